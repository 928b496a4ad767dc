#include "common/environment.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/sysinfo.h"

enum { MAX_VARIABLES = 200, MAX_FILES = 10000, NAME_SIZE = 64, VALUE_SIZE = 201, PATH_SIZE = 4096 };

static const char prefixes[] =
    "MPICH_ MPIR_CVAR_ HYDRA_ OMPI_MCA_ UCX_ FI_ PMIX_MCA_ PSM2_ PSM3_ I_MPI_ MV2_ ROMIO_ SLURM_CPU_BIND "
    "SLURM_DISTRIBUTION OMP_ LD_PRELOAD KMP_AFFINITY GOMP_CPU_AFFINITY";

/* Variables that launchers set differently for each job, node or rank. */
static const char launchers[] =
    "MPIR_CVAR_CH3_INTERFACE_HOSTNAME OMPI_MCA_ess OMPI_MCA_orte_ OMPI_MCA_prte_ OMPI_MCA_pmix "
    "OMPI_MCA_initial_wdir OMPI_MCA_mpi_oversubscribe OMPI_MCA_shmem_RUNTIME_QUERY_hint OMPI_MCA_PREFIXES "
    "OMPI_MCA_num_procs HYDRA_USER_PROVIDED_BINDING PMIX_MCA_mca_base_component_show_load_errors "
    "I_MPI_INFO_ I_MPI_HYDRA_UUID MV2_COMM_WORLD_";

static bool starts_with_any(const char *name, const char *starts)
{
    for (size_t length; *starts; starts += length, starts += *starts == ' ') {
        length = strcspn(starts, " ");
        if (strncmp(name, starts, length) == 0)
            return true;
    }
    return false;
}

bool environment_is_launchers(const char *line)
{
    return starts_with_any(line, launchers);
}

static bool looks_secret(const char *name)
{
    return strcasestr(name, "KEY") || strcasestr(name, "TOKEN") || strcasestr(name, "SECRET") ||
           strcasestr(name, "PASS");
}

static void add(struct texts *lines, const char *label, const char *value)
{
    size_t length = strlen(value), kept = length < VALUE_SIZE ? length : text_line(value, VALUE_SIZE - 1);
    char *line = text_format(kept < length ? "%s=%.*s... (%zu bytes)" : "%s=%.*s", label, (int)kept, value,
                             length),
         *clean = text_one_line(line);
    texts_add(lines, "%s", clean);
    free(clean);
    free(line);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_wanted(const char *name)
{
    return starts_with_any(name, prefixes) && !environment_is_launchers(name) && !looks_secret(name);
}

/* Adds the variables from `path` (.../environ), a file in which a zero byte ends each "NAME=VALUE". */
static void add_variables(struct texts *lines, const char *path)
{
    size_t first = lines->count, size = 0;
    char *name = NULL, *value;
    FILE *file = fopen(path, "r");
    while (file && lines->count - first < MAX_VARIABLES && getdelim(&name, &size, 0, file) > 0) {
        if (!(value = strchr(name, '=')) || value - name >= NAME_SIZE)
            continue;
        *value++ = 0;
        if (is_wanted(name))
            add(lines, name, value);
    }
    if (file)
        fclose(file);
    free(name);
    if (lines->count > first)
        qsort(lines->text + first, lines->count - first, sizeof *lines->text, compare_texts);
}

/* Calls `take` for each file below `root` that matches the pattern, in alphabetical order. */
static void each_file(struct texts *lines, const char *root, const char *pattern,
                      void (*take)(struct texts *lines, const char *path))
{
    char *full = text_format("%s%s", root, pattern);
    glob_t found;
    if (glob(full, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc && i < MAX_FILES; i++)
            take(lines, found.gl_pathv[i]);
    globfree(&found);
    free(full);
}

/* Adds a network interface. `path` is .../class/net/NAME/device, which exists only for hardware. */
static void add_interface(struct texts *lines, const char *path)
{
    char file[PATH_SIZE], state[VALUE_SIZE], speed[VALUE_SIZE], name[NAME_SIZE], label[80],
        value[VALUE_SIZE + 32];
    int directory = (int)(strlen(path) - strlen("device"));
    snprintf(file, sizeof file, "%.*soperstate", directory, path);
    sysinfo_line("", file, "", state, sizeof state);
    snprintf(file, sizeof file, "%.*sspeed", directory, path);
    sysinfo_line("", file, "", speed, sizeof speed);
    sscanf(strstr(path, "/class/net/"), "/class/net/%63[^/]", name);
    snprintf(label, sizeof label, "interface %s", name);
    if (strtol(speed, NULL, 10) > 0)
        snprintf(value, sizeof value, "%.20s Mbit/s, %.20s", speed, state);
    else
        snprintf(value, sizeof value, "speed unknown, %.20s", state);
    snprintf(file, sizeof file, "%s/infiniband", path);
    if (access(file, F_OK) == 0)
        text_append(value, sizeof value, ", RDMA");
    snprintf(file, sizeof file, "%s/physfn", path);
    if (access(file, F_OK) == 0)
        text_append(value, sizeof value, ", virtual");
    add(lines, label, value);
}

/* Adds an InfiniBand port. `path` is .../class/infiniband/NAME/ports/NUMBER/rate. Its state reads "4:
 * ACTIVE", for example. */
static void add_port(struct texts *lines, const char *path)
{
    char file[PATH_SIZE], state[VALUE_SIZE], rate[VALUE_SIZE], name[NAME_SIZE],
        port[NAME_SIZE] = "", label[160], value[2 * VALUE_SIZE + 16];
    int directory = (int)(strstr(path, "/ports/") + 1 - path);
    sysinfo_line("", path, "", rate, sizeof rate);
    snprintf(file, sizeof file, "%.*sstate", (int)(strlen(path) - strlen("rate")), path);
    sysinfo_line("", file, "", state, sizeof state);
    const char *word = strchr(state, ':');
    sscanf(strstr(path, "/class/infiniband/"), "/class/infiniband/%63[^/]/ports/%63[^/]", name, port);
    snprintf(label, sizeof label, "interface %s/%s", name, port);
    snprintf(value, sizeof value, "%s%s%s", rate, word ? "," : "", word ? word + 1 : "");
    snprintf(file, sizeof file, "%.*sdevice/physfn", directory, path);
    if (access(file, F_OK) == 0)
        text_append(value, sizeof value, ", virtual");
    add(lines, label, value);
}

/* Returns the value of a label among the lines, or NULL. The label ends with the text or with '='. */
static const char *value_of(const struct texts *lines, const char *label)
{
    size_t length = strcspn(label, "=");
    for (size_t i = 0; i < lines->count; i++)
        if (strncmp(lines->text[i], label, length) == 0 && lines->text[i][length] == '=')
            return lines->text[i] + length + 1;
    return NULL;
}

/* Adds a processor's governor to the line of governors, unless the line already contains it. */
static void add_governor(struct texts *lines, const char *path)
{
    static const char label[] = "cpu governor";
    char governor[VALUE_SIZE], all[VALUE_SIZE] = "";
    const char *known = value_of(lines, label);
    sysinfo_line("", path, "", governor, sizeof governor);
    if (!*governor || (known && strstr(known, governor)))
        return;
    if (!known) {
        add(lines, label, governor);
        return;
    }
    text_append(all, sizeof all, "%s %s", known, governor);
    free(lines->text[--lines->count]);
    add(lines, label, all);
}

static void add_balancing(struct texts *lines, const char *path)
{
    char value[VALUE_SIZE];
    sysinfo_line("", path, "", value, sizeof value);
    if (*value)
        add(lines, "NUMA balancing", value);
}

/* Adds the selected word of a line such as "always [madvise] never". */
static void add_huge_pages(struct texts *lines, const char *path)
{
    char value[VALUE_SIZE];
    sysinfo_line("", path, "", value, sizeof value);
    char *word = strchr(value, '[');
    if (!word)
        return;
    word[strcspn(word, "]")] = 0;
    add(lines, "transparent huge pages", word + 1);
}

/* Adds the limit of locked memory, which RDMA needs, from /proc/self/limits. */
static void add_locked_memory(struct texts *lines, const char *path)
{
    char limit[32];
    if (sysinfo_line("", path, "Max locked memory", limit, sizeof limit))
        return;
    limit[strcspn(limit, " ")] = 0;
    add(lines, "locked memory", limit);
}

void environment_read(struct texts *lines, const char *root)
{
    each_file(lines, root, "/proc/self/environ", add_variables);
    each_file(lines, root, "/sys/class/net/*/device", add_interface);
    each_file(lines, root, "/sys/class/infiniband/*/ports/*/rate", add_port);
    each_file(lines, root, "/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor", add_governor);
    each_file(lines, root, "/proc/sys/kernel/numa_balancing", add_balancing);
    each_file(lines, root, "/sys/kernel/mm/transparent_hugepage/enabled", add_huge_pages);
    each_file(lines, root, "/proc/self/limits", add_locked_memory);
}

static void add_change(char *text, size_t size, const char *line, const char *before, const char *after)
{
    text_append(text, size, "%s%.*s %s -> %s", *text ? "; " : "", (int)strcspn(line, "="), line,
                before ? before : ENVIRONMENT_UNSET, after ? after : ENVIRONMENT_UNSET);
}

void environment_changes(const struct texts *before, const struct texts *after, char *text, size_t size)
{
    *text = 0;
    for (size_t i = 0; i < before->count; i++) {
        const char *line = before->text[i], *old = line + strcspn(line, "=") + 1,
                   *new = value_of(after, line);
        if (!new || strcmp(old, new) != 0)
            add_change(text, size, line, old, new);
    }
    for (size_t i = 0; i < after->count; i++) {
        const char *line = after->text[i];
        if (!value_of(before, line))
            add_change(text, size, line, NULL, line + strcspn(line, "=") + 1);
    }
}
