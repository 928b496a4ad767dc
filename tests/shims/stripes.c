/* LD_PRELOAD: MPI reports that files have STRIPE_COUNT stripes of STRIPE_SIZE bytes, and that collective
 * writes have no threshold, as ROMIO's driver for Lustre does. */
#include <mpi.h>

#include "shim.h"

int MPI_File_get_info(MPI_File file, MPI_Info *info)
{
    int code = PMPI_File_get_info(file, info);
    const char *count = getenv("STRIPE_COUNT"), *size = getenv("STRIPE_SIZE");
    if (code == MPI_SUCCESS && *info != MPI_INFO_NULL && count && size) {
        MPI_Info_set(*info, "striping_factor", count);
        MPI_Info_set(*info, "striping_unit", size);
        MPI_Info_set(*info, "romio_lustre_coll_threshold", "0");
    }
    return code;
}
