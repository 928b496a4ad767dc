#include "common/mpi/file.h"

#include <string.h>

int file_open(MPI_Comm comm, const char *path, int mode, MPI_Info info, MPI_File *file)
{
    int code = MPI_File_open(comm, path, mode, info, file);
    return code == MPI_SUCCESS ? MPI_File_set_errhandler(*file, MPI_ERRORS_RETURN) : code;
}

static int strided_view(MPI_File file, MPI_Offset displacement, int chunk, MPI_Offset stride, MPI_Info info)
{
    MPI_Datatype contiguous, strided;
    int code = MPI_Type_contiguous(chunk, MPI_BYTE, &contiguous);
    if (code != MPI_SUCCESS)
        return code;
    code = MPI_Type_create_resized(contiguous, 0, (MPI_Aint)stride, &strided);
    MPI_Type_free(&contiguous);
    if (code != MPI_SUCCESS)
        return code;
    code = MPI_Type_commit(&strided);
    if (code == MPI_SUCCESS)
        code = MPI_File_set_view(file, displacement, MPI_BYTE, strided, "native", info);
    MPI_Type_free(&strided);
    return code;
}

int file_view(MPI_File file, MPI_Offset displacement, int chunk, MPI_Offset stride, MPI_Info info)
{
    if (stride > chunk)
        return strided_view(file, displacement, chunk, stride, info);
    return MPI_File_set_view(file, displacement, MPI_BYTE, MPI_BYTE, "native", info);
}

void file_check(struct comm *comm, int code, const char *call, const char *path)
{
    char text[MPI_MAX_ERROR_STRING];
    if (code != MPI_SUCCESS)
        comm_fail(comm, "%.*s failed on %s: %.200s (rank %d, while %s)", (int)strcspn(call, "("), call, path,
                  comm_error_text(code, text), comm->rank, comm->activity);
}

bool file_check_whole(struct comm *comm, const MPI_Status *status, int bytes, const char *call,
                      const char *path)
{
    int transferred = 0;
    bool whole = bytes == 0 || /* Open MPI's ROMIO does not set the status of an empty transfer */
                 (MPI_Get_count(status, MPI_BYTE, &transferred) == MPI_SUCCESS && transferred == bytes);
    if (!whole)
        comm_fail(comm, "%s on %s transferred %d of %d bytes (rank %d, while %s)", call, path, transferred,
                  bytes, comm->rank, comm->activity);
    return whole;
}

void file_hints(MPI_File file, char *text, size_t size)
{
    MPI_Info info;
    int count = 0, found;
    *text = 0;
    if (MPI_File_get_info(file, &info) != MPI_SUCCESS || info == MPI_INFO_NULL)
        return;
    MPI_Info_get_nkeys(info, &count);
    for (int i = 0; i < count; i++) {
        char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1] = "";
        MPI_Info_get_nthkey(info, i, key);
        MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found);
        text_append(text, size, "%s%s=%s", *text ? " " : "", key, value);
    }
    MPI_Info_free(&info);
}

bool file_hint(MPI_File file, const char *key, char *value)
{
    MPI_Info info;
    int found = 0;
    if (MPI_File_get_info(file, &info) != MPI_SUCCESS || info == MPI_INFO_NULL)
        return false;
    MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found);
    MPI_Info_free(&info);
    return found;
}
