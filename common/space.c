#include "common/space.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

enum { PAGE = 4096, LIBRARIES = 3 };

/* ---- drivers ---- */

/* Their error codes. */
enum { OUT_OF_MEMORY = 2 };

/* A driver's library and its symbols. Functions with the same arguments in all drivers are called through
 * struct space.call; the rest is below. */
struct space_driver {
    const char *kind, *libraries[LIBRARIES];
    const char *symbol[SPACE_CALLS]; /* NULL: not needed */
    int to, from;                    /* direction of a copy; 0: the function has no such argument */
};

static const struct space_driver drivers[] = {
    {"cuda",
     {"libcuda.so.1"},
     {[SPACE_INIT] = "cuInit",
      [SPACE_COUNT] = "cuDeviceGetCount",
      [SPACE_DEVICE] = "cuDeviceGet",
      [SPACE_NAME] = "cuDeviceGetName",
      [SPACE_PCI] = "cuDeviceGetPCIBusId",
      [SPACE_INFO] = "cuMemGetInfo_v2",
      [SPACE_SYNCHRONISE] = "cuCtxSynchronize",
      [SPACE_NEW_DEVICE] = "cuMemAlloc_v2",
      [SPACE_NEW_MANAGED] = "cuMemAllocManaged",
      [SPACE_NEW_HOST] = "cuMemAllocHost_v2",
      [SPACE_FREE] = "cuMemFree_v2",
      [SPACE_FREE_HOST] = "cuMemFreeHost",
      [SPACE_TO] = "cuMemcpyHtoD_v2",
      [SPACE_FROM] = "cuMemcpyDtoH_v2",
      [SPACE_SET] = "cuMemsetD8_v2",
      [SPACE_ERROR] = "cuGetErrorString",
      [SPACE_SELECT] = "cuDevicePrimaryCtxRetain",
      [SPACE_CONTEXT] = "cuCtxSetCurrent"}},
    {"rocm",
     {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so"},
     {[SPACE_INIT] = "hipInit",
      [SPACE_COUNT] = "hipGetDeviceCount",
      [SPACE_DEVICE] = "hipDeviceGet",
      [SPACE_NAME] = "hipDeviceGetName",
      [SPACE_PCI] = "hipDeviceGetPCIBusId",
      [SPACE_INFO] = "hipMemGetInfo",
      [SPACE_SYNCHRONISE] = "hipDeviceSynchronize",
      [SPACE_NEW_DEVICE] = "hipMalloc",
      [SPACE_NEW_MANAGED] = "hipMallocManaged",
      [SPACE_NEW_HOST] = "hipHostMalloc",
      [SPACE_FREE] = "hipFree",
      [SPACE_FREE_HOST] = "hipHostFree",
      [SPACE_TO] = "hipMemcpy",
      [SPACE_FROM] = "hipMemcpy",
      [SPACE_SET] = "hipMemset",
      [SPACE_SELECT] = "hipSetDevice"},
     .to = 1,
     .from = 2},
    {"level_zero", {"libze_loader.so.1"}, {NULL}},
};
enum { DRIVERS = sizeof drivers / sizeof drivers[0], LEVEL_ZERO = DRIVERS - 1 };

/* Calls one of the driver's functions, whose arguments have these types. */
#define CALL(space, number, types, ...) (((int(*) types)(space)->call[number])(__VA_ARGS__))

static void say_failure(const struct space *space, enum space_call call, int code, struct message *error)
{
    const char *text = NULL;
    if (space->call[SPACE_ERROR])
        CALL(space, SPACE_ERROR, (int, const char **), code, &text);
    message_set(error, "%s: %s failed with error %d%s%.100s", space->library, space->driver->symbol[call],
                code, text ? ": " : "", text ? text : "");
}

/* Ends the program if a call of the driver failed. */
static void check(const struct space *space, enum space_call call, int code)
{
    struct message error;
    if (!code)
        return;
    say_failure(space, call, code, &error);
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

static void *load(struct space *space, const struct space_driver *driver, struct message *error)
{
    void *library = NULL;
    for (int i = 0; i < LIBRARIES && driver->libraries[i] && !library; i++) {
        library = dlopen(driver->libraries[i], RTLD_NOW | RTLD_GLOBAL);
        space->library = driver->libraries[i];
    }
    if (!library)
        message_set(error, "no driver for %s memory: %.200s", driver->kind, dlerror());
    for (int i = 0; i < SPACE_CALLS && library; i++) {
        void *symbol = driver->symbol[i] ? dlsym(library, driver->symbol[i]) : NULL;
        if (!symbol && driver->symbol[i]) {
            message_set(error, "%s has no %s: expected a newer driver", space->library, driver->symbol[i]);
            library = NULL;
        }
        memcpy(&space->call[i], &symbol, sizeof symbol);
    }
    return library;
}

/* Loads a driver and counts its devices. Returns 0, or -1 with a message. */
static int start(struct space *space, const struct space_driver *driver, struct message *error)
{
    int code, call = SPACE_INIT;
    space->driver = driver;
    if (!load(space, driver, error))
        return -1;
    code = CALL(space, SPACE_INIT, (unsigned), 0);
    if (!code)
        code = CALL(space, call = SPACE_COUNT, (int *), &space->devices);
    if (code)
        say_failure(space, (enum space_call)call, code, error);
    if (code || space->devices)
        return code ? -1 : 0;
    return message_set(error, "no GPU is visible: %s finds no device", space->library);
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

static int choose(struct space *space, const char *device, struct message *error)
{
    int rank = local_rank();
    if (!is_automatic(device))
        space->device = atoi(device);
    else if (space->devices > 1 && rank < 0)
        return message_set(
            error, "%d GPUs are visible, and the launcher states no local rank: choose one with --device",
            space->devices);
    else
        space->device = space->devices > 1 ? rank % space->devices : 0;
    return space->device < space->devices
               ? 0
               : message_set(error, "invalid --device %d: expected a number below %d, the visible GPUs",
                             space->device, space->devices);
}

/* Selects the device and describes it. Returns 0, or -1 with a message. */
static int use(struct space *space, struct message *error)
{
    int device = 0, call = SPACE_DEVICE;
    void *context = NULL;
    size_t available = 0, total = 0;
    int code = CALL(space, SPACE_DEVICE, (int *, int), &device, space->device);
    if (!code && space->call[SPACE_CONTEXT])
        code = CALL(space, call = SPACE_SELECT, (void **, int), &context, device);
    else if (!code)
        code = CALL(space, call = SPACE_SELECT, (int), device);
    if (!code && context)
        code = CALL(space, call = SPACE_CONTEXT, (void *), context);
    if (!code)
        code = CALL(space, call = SPACE_NAME, (char *, int, int), space->name, sizeof space->name, device);
    if (!code)
        code = CALL(space, call = SPACE_PCI, (char *, int, int), space->pci, sizeof space->pci, device);
    if (!code)
        code = CALL(space, call = SPACE_INFO, (size_t *, size_t *), &available, &total);
    for (char *c = space->name; *c; c++)
        *c = *c == ' ' ? '_' : *c;
    space->free_mib = (int64_t)(available / 1048576);
    if (code)
        say_failure(space, (enum space_call)call, code, error);
    return code ? -1 : 0;
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
        failed = choose(space, device, error) || use(space, error);
    snprintf(space->kind, sizeof space->kind, "%s:%s", space->driver->kind, forms[form][0]);
    return failed ? EXIT_ENVIRONMENT : EXIT_OK;
}

/* ---- memory ---- */

void *space_new(const struct space *space, size_t bytes)
{
    void *memory = NULL;
    if (space_is_system(space))
        return posix_memalign(&memory, PAGE, bytes) ? NULL : memory;
    const enum space_call call = SPACE_NEW_DEVICE + (int)space->form;
    int code =
        space->form == SPACE_OF_DEVICE ? CALL(space, call, (void **, size_t), &memory, bytes)
        : space->form == SPACE_OF_HOST && space->call[SPACE_CONTEXT]
            ? CALL(space, call, (void **, size_t), &memory, bytes)
            : CALL(space, call, (void **, size_t, unsigned), &memory, bytes, space->form == SPACE_OF_MANAGED);
    if (code != OUT_OF_MEMORY)
        check(space, call, code);
    return code ? NULL : memory;
}

void space_free(const struct space *space, void *memory)
{
    if (space_is_system(space))
        free(memory);
    else if (memory) {
        enum space_call call = space->form == SPACE_OF_HOST ? SPACE_FREE_HOST : SPACE_FREE;
        check(space, call, CALL(space, call, (void *), memory));
    }
}

static void copy(const struct space *space, enum space_call call, void *to, const void *from, size_t bytes)
{
    if (space_is_system(space) || space->form == SPACE_OF_HOST) {
        memcpy(to, from, bytes);
        return;
    }
    int direction = call == SPACE_TO ? space->driver->to : space->driver->from;
    check(space, call,
          direction ? CALL(space, call, (void *, const void *, size_t, int), to, from, bytes, direction)
                    : CALL(space, call, (void *, const void *, size_t), to, from, bytes));
    check(space, SPACE_SYNCHRONISE, CALL(space, SPACE_SYNCHRONISE, (void)));
}

void space_put(const struct space *space, void *to, const void *from, size_t bytes)
{
    copy(space, SPACE_TO, to, from, bytes);
}

void space_get(const struct space *space, void *to, const void *from, size_t bytes)
{
    copy(space, SPACE_FROM, to, from, bytes);
}

void space_clear(const struct space *space, void *memory, int byte, size_t bytes)
{
    if (space_is_system(space) || space->form == SPACE_OF_HOST) {
        memset(memory, byte, bytes);
        return;
    }
    int code =
        space->call[SPACE_CONTEXT]
            ? CALL(space, SPACE_SET, (void *, unsigned char, size_t), memory, (unsigned char)byte, bytes)
            : CALL(space, SPACE_SET, (void *, int, size_t), memory, byte, bytes);
    check(space, SPACE_SET, code);
    check(space, SPACE_SYNCHRONISE, CALL(space, SPACE_SYNCHRONISE, (void)));
}
