/* A stand-in for the drivers libcuda.so.1 and libamdhip64.so: tests load it under these names. The program
 * cannot access its device memory (PROT_NONE), so that each forgotten access by the processor crashes. The
 * driver, and MPI with gpu_mpi.c, reach the same pages through a second mapping.
 *
 *   GPU_DEVICES           number of devices on a node; default 1
 *   CUDA_VISIBLE_DEVICES  numbers of the visible devices, separated by commas
 *   GPU_MEMORY            free memory of a device in MiB; default 4096
 *   GPU_FAIL              number of the copy that fails, from 1 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "shim.h"

enum { NO_MEMORY = 2, NO_DEVICE = 100, NOT_A_DEVICE = 101, ILLEGAL = 700, MOST = 4096 };

static struct {
    char *device, *reachable;
    size_t bytes;
} areas[MOST];
static size_t used_bytes;

/* Returns the address at which driver and MPI reach a byte. */
void *gpu_reachable(const void *address)
{
    const char *a = address;
    for (int i = 0; i < MOST; i++)
        if (areas[i].device && a >= areas[i].device && a <= areas[i].device + areas[i].bytes)
            return areas[i].reachable + (a - areas[i].device);
    return (void *)address;
}

/* Returns the physical number of a visible device, or -1. */
static int physical(int device)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    if (!visible)
        return device < setting("GPU_DEVICES", 1) ? device : -1;
    for (; *visible && device; device--)
        visible += strcspn(visible, ","), visible += *visible == ',';
    return *visible ? atoi(visible) : -1;
}

static int allocate(void **memory, size_t bytes, int reachable)
{
    int i = 0, file = memfd_create("gpu", 0);
    size_t size = (bytes + 4096) & ~(size_t)4095;
    while (areas[i].device)
        i++;
    if (used_bytes + size > (size_t)setting("GPU_MEMORY", 4096) << 20 || ftruncate(file, (off_t)size))
        return close(file), NO_MEMORY;
    used_bytes += size;
    areas[i].bytes = size;
    areas[i].reachable = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    areas[i].device = reachable ? areas[i].reachable : mmap(NULL, size, PROT_NONE, MAP_SHARED, file, 0);
    close(file);
    *memory = areas[i].device;
    return 0;
}

int cuInit(unsigned flags)
{
    (void)flags;
    return physical(0) < 0 ? NO_DEVICE : 0;
}

int cuDeviceGetCount(int *count)
{
    for (*count = 0; physical(*count) >= 0; ++*count)
        ;
    return 0;
}

int cuDeviceGet(int *device, int number)
{
    *device = number;
    return physical(number) < 0 ? NOT_A_DEVICE : 0;
}

int cuDeviceGetName(char *name, int size, int device)
{
    snprintf(name, (size_t)size, "Stand-in GPU %d", physical(device));
    return 0;
}

int cuDeviceGetPCIBusId(char *name, int size, int device)
{
    snprintf(name, (size_t)size, "0000:%02X:00.0", 0xa0 + physical(device));
    return 0;
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
    *context = &areas[device];
    return 0;
}

int cuCtxSetCurrent(void *context)
{
    return context ? 0 : 201;
}

int cuMemGetInfo_v2(size_t *available, size_t *total)
{
    *total = (size_t)setting("GPU_MEMORY", 4096) << 20;
    *available = *total - used_bytes;
    return 0;
}

int cuCtxSynchronize(void)
{
    return 0;
}

int cuMemAlloc_v2(void **memory, size_t bytes)
{
    return allocate(memory, bytes, 0);
}

int cuMemAllocManaged(void **memory, size_t bytes, unsigned flags)
{
    return flags == 1 ? allocate(memory, bytes, 1) : 1;
}

int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    return flags ? 1 : allocate(memory, bytes, 1);
}

int cuMemFree_v2(void *memory)
{
    for (int i = 0; i < MOST; i++)
        if (areas[i].device == memory) {
            munmap(areas[i].device, areas[i].bytes);
            if (areas[i].reachable != areas[i].device)
                munmap(areas[i].reachable, areas[i].bytes);
            used_bytes -= areas[i].bytes;
            areas[i].device = NULL;
            return 0;
        }
    return 1;
}

int cuMemFreeHost(void *memory)
{
    return cuMemFree_v2(memory);
}

static int copy(void *to, const void *from, size_t bytes)
{
    static long copies;
    if (++copies == setting("GPU_FAIL", 0))
        return ILLEGAL;
    memcpy(gpu_reachable(to), gpu_reachable(from), bytes);
    return 0;
}

int cuMemcpyHtoD_v2(void *to, const void *from, size_t bytes)
{
    return copy(to, from, bytes);
}

int cuMemcpyDtoH_v2(void *to, const void *from, size_t bytes)
{
    return copy(to, from, bytes);
}

int cuMemsetD8_v2(void *memory, unsigned char byte, size_t bytes)
{
    memset(gpu_reachable(memory), byte, bytes);
    return 0;
}

int cuGetErrorString(int code, const char **text)
{
    *text = code == ILLEGAL ? "an illegal memory access" : "another error";
    return 0;
}

/* HIP */
int hipInit(unsigned flags)
{
    return cuInit(flags);
}
int hipGetDeviceCount(int *count)
{
    return cuDeviceGetCount(count);
}
int hipDeviceGet(int *device, int number)
{
    return cuDeviceGet(device, number);
}
int hipDeviceGetName(char *name, int size, int device)
{
    return cuDeviceGetName(name, size, device);
}
int hipDeviceGetPCIBusId(char *name, int size, int device)
{
    return cuDeviceGetPCIBusId(name, size, device);
}
int hipSetDevice(int device)
{
    return physical(device) < 0 ? NOT_A_DEVICE : 0;
}
int hipMemGetInfo(size_t *available, size_t *total)
{
    return cuMemGetInfo_v2(available, total);
}
int hipDeviceSynchronize(void)
{
    return 0;
}
int hipMalloc(void **memory, size_t bytes)
{
    return cuMemAlloc_v2(memory, bytes);
}
int hipMallocManaged(void **memory, size_t bytes, unsigned flags)
{
    return cuMemAllocManaged(memory, bytes, flags);
}
int hipHostMalloc(void **memory, size_t bytes, unsigned flags)
{
    return cuMemHostAlloc(memory, bytes, flags);
}
int hipFree(void *memory)
{
    return cuMemFree_v2(memory);
}
int hipHostFree(void *memory)
{
    return cuMemFree_v2(memory);
}
int hipMemsetD8(void *memory, unsigned char byte, size_t bytes)
{
    return cuMemsetD8_v2(memory, byte, bytes);
}
int hipMemcpyHtoD(void *to, const void *from, size_t bytes)
{
    return copy(to, from, bytes);
}
int hipMemcpyDtoH(void *to, const void *from, size_t bytes)
{
    return copy(to, from, bytes);
}
