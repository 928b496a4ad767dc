/* Compares the 64-bit FNV-1a checksum with the values that its authors published. */
#include "common/checksum.h"

#include "tests/unit.h"

TEST(agrees_with_published_values)
{
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

TEST(depends_on_every_byte)
{
    unsigned char all[256];
    for (int i = 0; i < 256; i++)
        all[i] = (unsigned char)i;
    assert_true(checksum_add(CHECKSUM_START, all, sizeof all) == UINT64_C(0x4242dc5249c33625));
}

TEST(extends_a_checksum)
{
    const char text[] = "every place to cut this";
    uint64_t whole = checksum_add(CHECKSUM_START, text, sizeof text);
    for (size_t cut = 0; cut <= sizeof text; cut++) {
        uint64_t first = checksum_add(CHECKSUM_START, text, cut);
        assert_true(checksum_add(first, text + cut, sizeof text - cut) == whole);
    }
}
