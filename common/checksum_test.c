/* FNV-1a, 64 bit, against its authors' published values; SHA-256 against those of FIPS 180-4. */
#include "common/checksum.h"

#include "tests/unit.h"

static void agrees_with_published_values(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t expected;
    } rows[] = {
        {"", UINT64_C(0xcbf29ce484222325)},
        {"a", UINT64_C(0xaf63dc4c8601ec8c)},
        {"foobar", UINT64_C(0x85944171f73967e8)},
        {"hello", UINT64_C(0xa430d84680aabd0b)},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_true(checksum_add(CHECKSUM_START, rows[i].text, strlen(rows[i].text)) == rows[i].expected);
}

static void takes_every_byte(void **state)
{
    (void)state;
    unsigned char all[256];
    for (int i = 0; i < 256; i++)
        all[i] = (unsigned char)i;
    assert_true(checksum_add(CHECKSUM_START, all, sizeof all) == UINT64_C(0x4242dc5249c33625));
}

static void adds_up(void **state)
{
    (void)state;
    const char text[] = "every place to cut this";
    uint64_t whole = checksum_add(CHECKSUM_START, text, sizeof text);
    for (size_t cut = 0; cut <= sizeof text; cut++) {
        uint64_t first = checksum_add(CHECKSUM_START, text, cut);
        assert_true(checksum_add(first, text + cut, sizeof text - cut) == whole);
    }
}

static void sha256_agrees_with_published_values(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int times;
        const char *expected;
    } rows[] = {
        {"", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char hex[CHECKSUM_SHA256_SIZE];
        FILE *file = tmpfile();
        for (int k = 0; k < rows[i].times; k++)
            fputs(rows[i].text, file);
        rewind(file);
        checksum_sha256(file, hex);
        assert_string_equal(hex, rows[i].expected);
        fclose(file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_published_values),
        cmocka_unit_test(takes_every_byte),
        cmocka_unit_test(adds_up),
        cmocka_unit_test(sha256_agrees_with_published_values),
    };
    return cmocka_run_group_tests_name("checksum", tests, NULL, NULL);
}
