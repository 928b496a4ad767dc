/* Tests the benchmark table and the selection of benchmarks. */
#include "imb_compat/selection.h"

#include "imb_compat/results.h"

#include "imb_compat/settings_test.h"
#include "tests/unit.h"

/* Selects benchmarks from lists of names (separated by commas, or NULL). Returns the selected names,
 * separated by spaces, or the error message. */
static char *chosen(enum imb_component component, const char *include, const char *names, const char *exclude,
                    const char *input)
{
    static char text[1024];
    const char *const lists[] = {include, names, exclude};
    struct imb_settings settings = imb_settings_default(component);
    struct texts *const words[] = {&settings.include, &settings.names, &settings.exclude};
    struct imb_selection selection;
    struct message error;
    char *word[3][16], copy[3][256];
    for (int l = 0; l < 3; l++) {
        words[l]->text = word[l];
        snprintf(copy[l], sizeof copy[l], "%s", lists[l] ? lists[l] : "");
        for (char *w = strtok(copy[l], ","); w; w = strtok(NULL, ","))
            word[l][words[l]->count++] = w;
    }
    settings.input = "some.txt";
    *text = 0;
    if (imb_selection_make(&selection, &settings, input, &error))
        snprintf(text, sizeof text, "%s", error.text);
    else
        for (size_t i = 0; i < selection.count; i++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "",
                     selection.benchmarks[i]->name);
    free(selection.benchmarks);
    return text;
}

static const char mpi1_default[] =
    "PingPong PingPing Sendrecv Exchange Allreduce Reduce Reduce_local Reduce_scatter Reduce_scatter_block "
    "Allgather "
    "Allgatherv Gather Gatherv Scatter Scatterv Alltoall Alltoallv Bcast Barrier";

TEST(runs_the_default_list)
{
    assert_string_equal(chosen(IMB_MPI1, NULL, NULL, NULL, NULL), mpi1_default);
    assert_string_equal(
        chosen(IMB_NBC, NULL, NULL, NULL, NULL),
        "Ibcast Iallgather Iallgatherv Igather Igatherv Iscatter Iscatterv Ialltoall Ialltoallv Ireduce "
        "Ireduce_scatter Iallreduce Ibarrier");
    assert_string_equal(chosen(IMB_EXT, NULL, NULL, NULL, NULL),
                        "Window Unidir_Get Unidir_Put Bidir_Get Bidir_Put Accumulate");
    assert_string_equal(chosen(IMB_RMA, NULL, NULL, NULL, NULL),
                        "Unidir_put Bidir_put Unidir_get Bidir_get Put_local Put_all_local One_put_all "
                        "All_put_all One_get_all All_get_all Exchange_put Exchange_get Accumulate "
                        "Get_accumulate Fetch_and_op Compare_and_swap Truly_passive_put");
}

TEST(chooses_in_the_order_of_imb)
{
    assert_string_equal(chosen(IMB_MPI1, "uniband", "BCAST,pingpong", NULL, "Reduce\n"),
                        "Uniband Bcast PingPong Reduce");
    assert_string_equal(chosen(IMB_MPI1, NULL, "PingPong,PingPong", NULL, NULL), "PingPong PingPong");
    assert_string_equal(chosen(IMB_MPI1, NULL, "PingPong,Bcast,PingPong", "PingPong", NULL), "Bcast");
    char *both = chosen(IMB_MPI1, "Uniband", NULL, NULL, NULL);
    assert_true(strncmp(both, "Uniband PingPong PingPing", 25) == 0);
}

TEST(reads_input_files)
{
    assert_string_equal(chosen(IMB_MPI1, NULL, NULL, NULL,
                               "# no\n\n \t\nPingPong  # why\r\n  Bcast\tReduce #Gather\r\n#Reduce"),
                        "PingPong Bcast Reduce");
    assert_string_equal(chosen(IMB_MPI1, NULL, NULL, NULL, "\xef\xbb\xbfPingPong"), "PingPong");
    assert_contains(chosen(IMB_MPI1, NULL, NULL, NULL, "Bcast\nPingPong other\n"),
                    "some.txt, line 2: unknown benchmark \"other\"");
    assert_contains(chosen(IMB_MPI1, NULL, NULL, NULL, "# nothing\n"), "some.txt contains no benchmark name");
    assert_contains(chosen(IMB_MPI1, NULL, NULL, NULL, "PingPong\nNoSuch\n"), "some.txt, line 2: ");
}

TEST(refuses_unknown_names)
{
    assert_contains(chosen(IMB_MPI1, NULL, "NoSuch", NULL, NULL), "unknown benchmark \"NoSuch\"");
    assert_contains(chosen(IMB_MPI1, "NoSuch", NULL, NULL, NULL), "-include: ");
    assert_contains(chosen(IMB_MPI1, NULL, "PingPong", "NoSuch", NULL), "-exclude: ");
    assert_contains(chosen(IMB_MPI1, NULL, "PingPong", "PingPong", NULL),
                    "all selected benchmarks are excluded");
    assert_contains(chosen(IMB_NBC, NULL, "PingPong", NULL, NULL), "IMB-NBC");
}

TEST(says_where_a_name_belongs)
{
    assert_contains(chosen(IMB_MPI1, NULL, "PingPog", NULL, NULL),
                    "unknown benchmark \"PingPog\": IMB-MPI1 -list prints the names");
    assert_contains(chosen(IMB_MPI1, NULL, "ibcast", NULL, NULL), "Ibcast is in IMB-NBC");
    assert_contains(chosen(IMB_MPI1, NULL, "Bcast", "Ibcast", NULL), "-exclude: Ibcast is in IMB-NBC");
    assert_contains(chosen(IMB_MPI1, NULL, NULL, NULL, "Bcats\n"), "some.txt, line 1: ");
}

TEST(has_consistent_rows)
{
    int count[IMB_COMPONENTS] = {0}, hidden = 0;
    for (size_t i = 0; i < imb_benchmark_count; i++) {
        const struct imb_benchmark *b = &imb_benchmarks[i];
        assert_ptr_equal(imb_benchmark_find(b->component, b->name), b); /* names are unique */
        assert_true(strlen(b->name) < COLUMN_WORD_SIZE);                /* names fit into a record */
        assert_int_equal(b->class == IMB_CLASS_UNSIZED, b->send == IMB_NOTHING && b->receive == IMB_NOTHING);
        assert_int_equal((b->flags & IMB_OVERLAPPED) != 0,
                         b->columns == IMB_COLUMNS_OVERLAP || b->columns == IMB_COLUMNS_PASSIVE);
        assert_false(b->flags & (IMB_AT_END | IMB_FEW) &&
                     b->flags & (IMB_HAS_AGGREGATE | IMB_HAS_NON_AGGREGATE));
        assert_false(b->flags & IMB_AT_LAST && b->flags & IMB_AT_ROOT);
        assert_int_equal(b->rate > 0, b->columns == IMB_COLUMNS_TIME ||
                                          b->columns == IMB_COLUMNS_TIMES_RATE || imb_has_messages(b));
        if (b->flags & IMB_HIDDEN)
            hidden++;
        else
            count[b->component]++;
    }
    assert_int_equal(count[IMB_MPI1], 25);
    assert_int_equal(count[IMB_NBC], 26);
    assert_int_equal(count[IMB_EXT], 6);
    assert_int_equal(count[IMB_RMA], 19);
    assert_int_equal(count[IMB_IO], 37);
    assert_int_equal(count[IMB_MPI4], 26);
    assert_int_equal(count[IMB_MT], 10);
    assert_int_equal(count[IMB_P2P], 8);
    assert_int_equal(hidden, 2);
}

TEST(lists_names_sorted)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    imb_selection_list(IMB_MPI1, out);
    fclose(out);
    assert_true(strncmp(text, "    Allgather\n    Allgatherv\n", 29) == 0);
    assert_contains(
        text,
        "    PingPingAnySource (non-default)\n    PingPingSpecificSource (non-default)\n    PingPong\n");
    assert_null(strstr(text, "null"));
    free(text);
    out = open_memstream(&text, &size);
    imb_selection_list(IMB_RMA, out);
    fclose(out);
    assert_contains(text, "    Compare_and_swap\n        Uses MPI_INT data type\n    Exchange_get\n");
    free(text);
}

TEST(finds_components_by_name)
{
    assert_int_equal(options_find_part(&imb_options, "MPI1"), IMB_MPI1);
    assert_int_equal(options_find_part(&imb_options, "IMB-NBC"), IMB_NBC);
    assert_int_equal(options_find_part(&imb_options, "P2P"), IMB_P2P);
    assert_int_equal(options_find_part(&imb_options, "mpitests-IMB-MPI1-GPU"), IMB_MPI1_GPU);
    assert_int_equal(options_find_part(&imb_options, "rma-gpu"), IMB_RMA_GPU);
    assert_int_equal(options_find_part(&imb_options, "P3P"), IMB_COMPONENTS);
}
