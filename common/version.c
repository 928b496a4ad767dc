#include "common/version.h"

#include <string.h>

enum { SHA256_LENGTH = 64 };

const char version_number[] = BUILD_VERSION;
const char version_commit[] = BUILD_COMMIT;
const char version_flags[] = BUILD_FLAGS;
#ifdef __clang__
const char version_compiler[] = __VERSION__;
#else
const char version_compiler[] = "gcc " __VERSION__;
#endif

void version_print(FILE *out, const char *program, const char *basis, const char *definition)
{
    fprintf(out, "%s %s (commit %s)%s%s\nbuilt with %s %s\n", program, version_number, version_commit,
            *basis ? ", " : "", basis, version_compiler, version_flags);
    char file[64];
    snprintf(file, sizeof file, " definition-%s.md", definition ? definition : "");
    const char *name = definition ? strstr(BUILD_SUMS, file) : NULL;
    if (name)
        fprintf(out, "SHA-256 of%s: %.*s\n", file, SHA256_LENGTH, name - SHA256_LENGTH - 1); /* two spaces */
}
