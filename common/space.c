#include "common/space.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

enum { PAGE = 4096, LIBRARIES = 3, OUT_OF_MEMORY = 2 /* an error code of all drivers */ };

/* ---- drivers ---- */

/* The functions of the drivers, with their symbols in libcuda and in libamdhip64 (NULL: not needed). The
 * symbols of a row have the same arguments. */
#define FUNCTIONS(ROW)                                                                                       \
    ROW(INIT, "cuInit", "hipInit")                                                                           \
    ROW(COUNT, "cuDeviceGetCount", "hipGetDeviceCount")                                                      \
    ROW(DEVICE, "cuDeviceGet", "hipDeviceGet")                                                               \
    ROW(NAME, "cuDeviceGetName", "hipDeviceGetName")                                                         \
    ROW(PCI, "cuDeviceGetPCIBusId", "hipDeviceGetPCIBusId")                                                  \
    ROW(INFO, "cuMemGetInfo_v2", "hipMemGetInfo")                                                            \
    ROW(SYNCHRONISE, "cuCtxSynchronize", "hipDeviceSynchronize")                                             \
    ROW(NEW_DEVICE, "cuMemAlloc_v2", "hipMalloc")                                                            \
    ROW(NEW_MANAGED, "cuMemAllocManaged", "hipMallocManaged")                                                \
    ROW(NEW_HOST, "cuMemHostAlloc", "hipHostMalloc")                                                         \
    ROW(FREE, "cuMemFree_v2", "hipFree")                                                                     \
    ROW(FREE_HOST, "cuMemFreeHost", "hipHostFree")                                                           \
    ROW(TO, "cuMemcpyHtoD_v2", "hipMemcpyHtoD")                                                              \
    ROW(FROM, "cuMemcpyDtoH_v2", "hipMemcpyDtoH")                                                            \
    ROW(SET, "cuMemsetD8_v2", "hipMemsetD8")                                                                 \
    ROW(ERROR, "cuGetErrorString", NULL)                                                                     \
    ROW(SELECT, NULL, "hipSetDevice")                                                                        \
    ROW(RETAIN, "cuDevicePrimaryCtxRetain", NULL)                                                            \
    ROW(CONTEXT, "cuCtxSetCurrent", NULL)
#define NUMBER(function, ...)  function,
#define SYMBOLS(function, ...) {__VA_ARGS__},

enum function { FUNCTIONS(NUMBER) CALLS };
static const char *const symbols[CALLS][2] = {FUNCTIONS(SYMBOLS)};
_Static_assert((int)CALLS == SPACE_CALLS, "a struct space has room for all functions");

/* Level Zero comes last and has no column in the table. */
static const struct space_driver {
    const char *kind, *libraries[LIBRARIES];
} drivers[] = {{"cuda", {"libcuda.so.1"}},
               {"rocm", {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so"}},
               {"level_zero", {NULL}}};
enum { DRIVERS = sizeof drivers / sizeof drivers[0], LEVEL_ZERO = DRIVERS - 1 };

static const char *symbol_of(const struct space *space, enum function function)
{
    return symbols[function][space->driver - drivers];
}

/* Calls one of the driver's functions, whose arguments have these types. */
#define CALL(space, function, types, ...) (((int(*) types)(space)->call[function])(__VA_ARGS__))

/* Returns 0, or -1 with a message if a call of the driver returned an error. */
static int judge(const struct space *space, enum function function, int code, struct message *error)
{
    const char *text = NULL;
    if (!code)
        return 0;
    if (space->call[ERROR])
        CALL(space, ERROR, (int, const char **), code, &text);
    return message_set(error, "%s: %s failed with error %d%s%.100s", space->library,
                       symbol_of(space, function), code, text ? ": " : "", text ? text : "");
}

#define TRY(space, error, function, ...)                                                                     \
    judge((space), (function), CALL((space), (function), __VA_ARGS__), (error))

/* Ends the program if a call of the driver failed. */
static void check(const struct space *space, enum function function, int code)
{
    struct message error;
    if (judge(space, function, code, &error))
        memory_end(error.text);
}

/* ---- kinds ---- */

static const char *const forms[][2] = {{"device", "device"}, {"managed", "shared"}, {"host", "host"}};

/* Finds the driver (DRIVERS: the first with a device) and the form of a kind. Returns 0, or -1 if the kind is
 * unknown. */
static int parse(const char *kind, int *driver, enum space_form *form)
{
    size_t length = strcspn(kind, ":");
    *form = SPACE_OF_DEVICE;
    for (*driver = 0; *driver < DRIVERS; ++*driver)
        if (strncmp(drivers[*driver].kind, kind, length) == 0 && !drivers[*driver].kind[length])
            break;
    if (*driver == DRIVERS && (length != strlen("gpu") || strncmp(kind, "gpu", length) != 0))
        return -1;
    if (!kind[length])
        return 0;
    for (*form = 0; *form < SPACE_FORMS; ++*form)
        if (strcmp(kind + length + 1, forms[*form][*driver == LEVEL_ZERO]) == 0)
            return 0;
    return -1;
}

static bool is_system(const char *kind)
{
    return !kind || strcmp(kind, "system") == 0;
}

static bool is_automatic(const char *device)
{
    return !device || strcmp(device, "auto") == 0;
}

int space_check(const char *option, const char *kind, const char *device, struct message *error)
{
    int driver;
    enum space_form form;
    if (!is_system(kind) && parse(kind, &driver, &form))
        return message_set(
            error,
            "invalid %s \"%.40s\": expected one of system, gpu, cuda, cuda:managed, cuda:host, "
            "rocm, rocm:managed, rocm:host, level_zero, level_zero:shared, level_zero:host",
            option, kind);
    if (!is_automatic(device) && (!*device || device[strspn(device, "0123456789")]))
        return message_set(error, "invalid --device \"%.80s\": expected auto or a number", device);
    return 0;
}

const struct column space_columns[5] = {COLUMN_OF(space_place, INTEGER, rank, 0, COLUMN_MAX, false),
                                        COLUMN_OF(space_place, INTEGER, node, 0, COLUMN_MAX, false),
                                        COLUMN_OF(space_place, INTEGER, device, 0, COLUMN_MAX, false),
                                        COLUMN_OF(space_place, WORD, pci, 0, 0, false),
                                        COLUMN_OF(space_place, WORD, name, 0, 0, false)};

/* ---- opening ---- */

/* Loads a driver and counts its devices. */
static int start(struct space *space, const struct space_driver *driver, struct message *error)
{
    void *library = NULL;
    space->driver = driver;
    for (int i = 0; i < LIBRARIES && driver->libraries[i] && !library; i++) {
        library = dlopen(driver->libraries[i], RTLD_NOW | RTLD_GLOBAL);
        space->library = driver->libraries[i];
    }
    if (!library)
        return message_set(error, "no driver for %s memory: %.200s", driver->kind, dlerror());
    for (int i = 0; i < CALLS; i++) {
        const char *name = symbol_of(space, (enum function)i);
        void *symbol = name ? dlsym(library, name) : NULL;
        if (name && !symbol)
            return message_set(error, "%s has no %s: expected a newer driver", space->library, name);
        memcpy(&space->call[i], &symbol, sizeof symbol);
    }
    int devices = 0;
    if (TRY(space, error, INIT, (unsigned), 0) || TRY(space, error, COUNT, (int *), &devices))
        return -1;
    space->place.devices = devices;
    return devices ? 0 : message_set(error, "no GPU is visible: %s finds no device", space->library);
}

/* Returns the rank among the processes of this node, or -1 if no launcher states it. */
static int local_rank(void)
{
    static const char *const names[] = {
        "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",    "SLURM_LOCALID",
        "PALS_LOCAL_RANKID",          "FLUX_TASK_LOCAL_ID", "MV2_COMM_WORLD_LOCAL_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (getenv(names[i]))
            return atoi(getenv(names[i]));
    return -1;
}

static int choose(struct space_place *place, const char *device, struct message *error)
{
    int rank = local_rank(), devices = (int)place->devices, own = 0;
    if (!is_automatic(device))
        own = atoi(device);
    else if (devices > 1 && rank < 0)
        return message_set(
            error, "%d GPUs are visible, and the launcher states no local rank: choose one with --device",
            devices);
    else if (devices > 1)
        own = rank % devices;
    place->device = own;
    return own < devices
               ? 0
               : message_set(error, "invalid --device %d: expected a number below %d, the visible GPUs", own,
                             devices);
}

/* Selects the device and describes it. */
static int use(struct space *space, struct message *error)
{
    struct space_place *p = &space->place;
    int device = 0;
    void *context = NULL;
    size_t available = 0, total = 0;
    if (TRY(space, error, DEVICE, (int *, int), &device, (int)p->device) ||
        (space->call[SELECT] && TRY(space, error, SELECT, (int), device)) ||
        (space->call[RETAIN] && TRY(space, error, RETAIN, (void **, int), &context, device)) ||
        (space->call[CONTEXT] && TRY(space, error, CONTEXT, (void *), context)) ||
        TRY(space, error, NAME, (char *, int, int), p->name, sizeof p->name, device) ||
        TRY(space, error, PCI, (char *, int, int), p->pci, sizeof p->pci, device) ||
        TRY(space, error, INFO, (size_t *, size_t *), &available, &total))
        return -1;
    for (char *c = p->name; *c; c++)
        *c = *c == ' ' ? '_' : *c;
    p->free_mib = (int64_t)(available / 1048576);
    return 0;
}

enum exit_status space_open(struct space *space, const char *kind, const char *device, struct message *error)
{
    int driver, failed = -1;
    enum space_form form;
    if (is_system(kind) || parse(kind, &driver, &form))
        return EXIT_OK;
    if (driver == LEVEL_ZERO)
        return EXIT_WITH(EXIT_ENVIRONMENT, error, "memory of %s is not supported yet: expected cuda or rocm",
                         drivers[driver].kind);
    const int first = driver < DRIVERS ? driver : 0, last = driver < DRIVERS ? driver : LEVEL_ZERO - 1;
    *error->text = 0;
    for (int i = first; i <= last && failed; i++) {
        struct message why = {""};
        *space = (struct space){.form = form};
        failed = start(space, &drivers[i], &why);
        text_append(error->text, sizeof error->text, "%s%s", i > first ? "; " : "", why.text);
    }
    if (!failed)
        failed = choose(&space->place, device, error) || use(space, error);
    snprintf(space->kind, sizeof space->kind, "%s:%s", space->driver->kind, forms[form][0]);
    return failed ? EXIT_ENVIRONMENT : EXIT_OK;
}

/* ---- memory ---- */

void *space_new(const struct space *space, size_t bytes)
{
    void *memory = NULL;
    if (space_is_system(space))
        return posix_memalign(&memory, PAGE, bytes) ? NULL : memory;
    const enum function function = NEW_DEVICE + (int)space->form;
    int code = function == NEW_DEVICE ? CALL(space, function, (void **, size_t), &memory, bytes)
                                      : CALL(space, function, (void **, size_t, unsigned), &memory, bytes,
                                             function == NEW_MANAGED);
    if (code != OUT_OF_MEMORY)
        check(space, function, code);
    return code ? NULL : memory;
}

void space_free(const struct space *space, void *memory)
{
    if (space_is_system(space))
        free(memory);
    else if (memory) {
        enum function function = space->form == SPACE_OF_HOST ? FREE_HOST : FREE;
        check(space, function, CALL(space, function, (void *), memory));
    }
}

static bool is_plain(const struct space *space)
{
    return space_is_system(space) || space->form == SPACE_OF_HOST;
}

/* Waits for a call that returned `code`. */
static void complete(const struct space *space, enum function function, int code)
{
    check(space, function, code);
    check(space, SYNCHRONISE, CALL(space, SYNCHRONISE, (void)));
}

static void copy(const struct space *space, enum function function, void *to, const void *from, size_t bytes)
{
    if (is_plain(space))
        memcpy(to, from, bytes);
    else
        complete(space, function, CALL(space, function, (void *, const void *, size_t), to, from, bytes));
}

void space_put(const struct space *space, void *to, const void *from, size_t bytes)
{
    copy(space, TO, to, from, bytes);
}

void space_get(const struct space *space, void *to, const void *from, size_t bytes)
{
    copy(space, FROM, to, from, bytes);
}

void space_clear(const struct space *space, void *memory, int byte, size_t bytes)
{
    if (is_plain(space))
        memset(memory, byte, bytes);
    else
        complete(space, SET,
                 CALL(space, SET, (void *, unsigned char, size_t), memory, (unsigned char)byte, bytes));
}
