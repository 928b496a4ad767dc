#!/usr/bin/env bats
# After a beginner's mistake, the programs print one line that states the remedy; the commands in the documents work.
# shellcheck disable=SC2154,SC2016 # bats sets status, output, stderr; sh -c expands the variables

load helpers
BATS_TEST_TIMEOUT=1200 # the commands of the documents take two minutes on an idle machine

@test "a launcher that belongs to a different MPI: one line from one process, status 3" {
    local program
    for program in beff beff_io IMB-MPI1; do
        run --separate-stderr env OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 "$BUILD/$program"
        [[ $status == 3 ]] || fail "$program: status $status" "$stderr"
        is_one_line "$stderr" 'each of the 2 processes sees only itself' 'start it with the mpiexec of that MPI, or with srun --mpi=pmi2'
        run --separate-stderr env OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=1 "$BUILD/$program"
        [[ $status == 3 && -z $stderr ]]
    done
    env OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 "$BEFF" --plan --processes 4 | grep -q ring-1
    directory_is_empty
}

@test "a read-only directory: one line with the directory and the option for another one, status 3" {
    needs_mount
    mkdir closed
    run --separate-stderr unshare --mount sh -c 'mount -t tmpfs -o ro none closed; cd closed; exec "$0" -n 2 "$1" --time 2' "$MPIEXEC" "$BEFF"
    [[ $status == 3 ]]
    is_one_line "$(said)" protocols/runs 'Read-only file system' '--output DIR'
    BEFF=$BUILD/beff_io
    run --separate-stderr unshare --mount sh -c 'mount -t tmpfs -o ro none closed; exec "$0" -n 2 "$1" --time 2 --path closed' "$MPIEXEC" "$BEFF"
    [[ $status == 3 ]]
    is_one_line "$(said)" closed 'Read-only file system' 'use --path'
}

@test "a container whose /dev/shm is too small: one line before MPI fails" {
    needs_mount
    run --separate-stderr unshare --mount sh -c 'mount -t tmpfs -o size=1M none /dev/shm; exec "$0" -n 2 "$1" --time 2' "$MPIEXEC" "$BEFF"
    [[ $status != 0 ]]
    is_one_line "$(said | head -n 1)" '/dev/shm has only 1.0 MiB' '--shm-size'
}

@test "commands in the documents that do not start MPI succeed, and all files that the documents name exist" {
    "$TESTS/doc" --fast || fail 'see above'
}
