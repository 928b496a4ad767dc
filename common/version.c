/* Version and build, handed in by the Makefile. */
#include "common/version.h"

const char version_number[] = BUILD_VERSION;
const char version_commit[] = BUILD_COMMIT;
const char version_flags[] = BUILD_FLAGS;
#ifdef __clang__
const char version_compiler[] = __VERSION__;
#else
const char version_compiler[] = "gcc " __VERSION__;
#endif
