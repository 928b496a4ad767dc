#!/usr/bin/env bats
# Messages in GPU memory: stand-ins for the drivers and for a GPU-aware MPI (tests/shims/gpu.c, gpu_mpi.c).
# shellcheck disable=SC2154,SC2016,SC2030,SC2031 # variables that bats sets; with_time expands its argument; a test changes only its own

load helpers

setup_file() {
    gpu_drivers
}

# gpu_with SHIM mpi|virtual N [NAME=VALUE]... ARGUMENT...: as gpu, with one more shim.
gpu_with() {
    "$2" "$3" "LD_LIBRARY_PATH=$BATS_FILE_TMPDIR/drivers" "$(shims yield gpu_mpi "$1")" MPIR_CVAR_POLLS_BEFORE_YIELD=1 "${@:4}"
}

# brief N [NAME=VALUE]... ARGUMENT...: as gpu, but a run of a few seconds of virtual time.
brief() {
    gpu_with clock virtual "$1" CLOCK_CALL=5000 "${@:2}"
}

@test "an MPI that does not take GPU memory ends the run with one line" {
    run --separate-stderr mpi 2 "LD_LIBRARY_PATH=$BATS_FILE_TMPDIR/drivers" "$(shims yield)" --buffers cuda --memory 128
    ends_with 3 "cannot send from GPU memory with MPI_Sendrecv, 1 B; methods that passed: none"
    run --separate-stderr gpu 2 GPU_DEVICES=2 GPU_UNAWARE=MPI_Alltoallv --buffers cuda --memory 128
    ends_with 3 "with MPI_Alltoallv, 1 B; methods that passed: Sendrecv, nonblocking (--methods)"
}

@test "--methods measures with the methods that take GPU memory" {
    run --separate-stderr brief 2 GPU_DEVICES=2 GPU_UNAWARE=MPI_Alltoallv --buffers cuda --memory 1 --time 5 --output out \
        --methods Sendrecv,nonblocking
    [[ $status == [01] ]]
    holds out/run.prot "buffers = cuda:device" "gpu_library = libcuda.so.1" "gpu_shared = no" \
        $'@gpu\t0\t0\t0\t0000:A0:00.0\tStand-in_GPU_0' $'@gpu\t1\t0\t1\t0000:A1:00.0\tStand-in_GPU_1'
    holds out/summary.txt "b_eff (cuda:device)" "pass  at most one process per GPU (shared: no)" "(0 wrong bytes)"
}

@test "four processes on four GPUs, and two on one" {
    run --separate-stderr brief 4 GPU_DEVICES=4 --buffers gpu --memory 1 --time 3 --output out
    [[ $stderr == *"GPU: 4 per node, Stand-in GPU 0, one process each"* ]]
    holds out/run.prot $'@gpu\t3\t0\t3\t0000:A3:00.0' "memory_per_process_mib = 1"
    run --separate-stderr brief 4 GPU_DEVICES=4 --buffers rocm:device --device 2 --time 3 --output shared
    holds shared/run.prot "buffers = rocm:device" "memory_per_process_mib = 1024" \
        "gpu_shared = ranks 0 and 1 use GPU 2 (0000:A2:00.0) of node 0; idle: 0 1 3"
    holds shared/summary.txt "FAIL  at most one process per GPU (shared: ranks 0 and 1 use GPU 2"
}

@test "visible devices, and drivers without any" {
    run --separate-stderr brief 2 GPU_DEVICES=4 CUDA_VISIBLE_DEVICES=3 --buffers cuda:managed --memory 1 --time 2 --output out
    holds out/run.prot $'@gpu\t0\t0\t0\t0000:A3:00.0' "buffers = cuda:managed"
    run --separate-stderr gpu 2 CUDA_VISIBLE_DEVICES= --buffers cuda
    ends_with 3 "libcuda.so.1: cuInit failed with error 100"
    run --separate-stderr mpi 2 --buffers rocm
    ends_with 3 "no driver for rocm memory" libamdhip64.so
    run --separate-stderr gpu 2 --buffers level_zero
    ends_with 3 "not supported yet"
    run --separate-stderr gpu 2 --buffers cuda --device 7
    ends_with 3 "invalid --device 7"
    run --separate-stderr "$BEFF" --buffers cdua
    ends_with 2 'invalid --buffers "cdua": expected one of system, gpu, cuda,'
}

@test "memory of the host that a driver allocates" {
    run --separate-stderr brief 2 GPU_DEVICES=2 --buffers cuda:host --memory 1 --time 2 --output out
    holds out/run.prot "buffers = cuda:host"
}

@test "a driver without memory, and one that fails in the middle" {
    run --separate-stderr gpu 2 GPU_DEVICES=2 GPU_MEMORY=4 --memory 128 --buffers cuda
    ends_with 3 "out of memory: each process needs"
    run --separate-stderr gpu 2 GPU_DEVICES=2 GPU_FAIL=100 --memory 128 --time 5 --buffers cuda
    [[ $status == 3 && $stderr == *"failed with error 700: an illegal memory access"* ]]
}

@test "a run between two GPUs in virtual time is VALID, with the known b_eff; verify and recompute agree" {
    run --separate-stderr gpu_with clock virtual 2 GPU_DEVICES=2 --buffers cuda --memory 8 --methods Sendrecv \
        --output out
    [[ $status == 0 ]] || fail "$status" "$stderr"
    inspect out/run.prot 'p.end == "complete"' 'all(r["errors"] == 0 for r in p.records)' \
        'abs(p.results["b_eff"] / statistics.mean(2e-6 * size / (55e-3 + 5e-9 * size) for size in {r["bytes"] for r in p.records}) - 1) < 1e-5'
    holds out/summary.txt 'VALID for comparison: all' 'pass  at most one process per GPU (shared: no)'
    "$BUILD/beff_report" verify out
    "$TESTS/read_protocol" out/run.prot
    recompute out/run.prot
}

@test "messages between nodes are in GPU memory, too" {
    unshare --uts --mount true 2>/dev/null || skip "host names cannot be changed here"
    local program=$BEFF BEFF=$TESTS/worlds/apart
    run --separate-stderr gpu_with clock virtual 2 CLOCK_CALL=5000 CLOCK_BYTE=1 GPU_DEVICES=2 1 "$program" --buffers cuda --time 10 \
        --memory 1 --polygons 1 --methods Sendrecv --output out
    [[ $status == [01] && $stderr == *"GPU: 1 per node"* ]] || fail "$status" "$stderr"
    inspect out/run.prot 'abs(p.results["pair_latency_us"] - 5000) < 1' 'all(r["errors"] == 0 for r in p.tables["exchange"])' \
        '[r["node"] for r in p.tables["gpu"]] == [0, 1]'
}

@test "--load: all messages are in GPU memory, except those of MPI_Allreduce, as a note says" {
    local blocks="inspect out/run.prot '{r[\"congestor\"] for r in p.tables[\"load_block\"]} == {\"nothing\", \"incast\", \"polygons\", \"alltoall\"}'"
    with_time '3 20' "$blocks" 6 "LD_LIBRARY_PATH=$BATS_FILE_TMPDIR/drivers" "$(shims yield gpu_mpi)" MPIR_CVAR_POLLS_BEFORE_YIELD=1 \
        GPU_DEVICES=6 --buffers cuda --memory 1 --polygons 1 --methods Sendrecv --load --load-processes --load-block 0.002
    [[ $status == [01] ]] || fail "$status" "$stderr"
    eval "$blocks"
    inspect out/run.prot 'all(r["errors"] == 0 for r in p.tables["load_block"])'
    holds out/summary.txt "note: under load: MPI_Allreduce uses system memory, the other messages GPU memory"
}

@test "a launcher that states no local rank: several visible GPUs need --device, one does not" {
    no_local_rank() {
        local devices=$1
        shift
        timeout 40 "$MPIEXEC" -n 2 env -u MPI_LOCALRANKID -u OMPI_COMM_WORLD_LOCAL_RANK "LD_LIBRARY_PATH=$BATS_FILE_TMPDIR/drivers" \
            "$(shims yield gpu_mpi clock)" CLOCK_CALL=5000 GPU_DEVICES="$devices" "$BEFF" --buffers cuda --memory 1 --time 1 "$@"
    }
    run --separate-stderr no_local_rank 2
    ends_with 3 "2 GPUs are visible, and the launcher states no local rank: choose one with --device"
    run --separate-stderr no_local_rank 3 --device 2 --output two
    holds two/run.prot $'@gpu\t1\t0\t2\t0000:A2:00.0'
    run --separate-stderr no_local_rank 1 --output one
    holds one/run.prot $'@gpu\t1\t0\t0\t0000:A0:00.0'
}

@test "a call that hangs when it is tried ends the run with one line" {
    run --separate-stderr gpu_with fault mpi 2 GPU_DEVICES=2 FAULT_RANK=1 FAULT_CALL=MPI_Alltoallv FAULT_BYTES=65536 \
        FAULT_ACTION=delay FAULT_SECONDS=1000 --buffers cuda --memory 128 --time 1 --output out
    ends_with 1 "a message did not arrive; hung while sending from GPU memory with MPI_Alltoallv, 65536 B; methods that passed: Sendrecv, nonblocking"
}

@test "compare and rank do not mix kinds of memory, except with --factor buffers" {
    stops_after 3 system
    sed '/^#: definition = /a #: buffers = cuda:device\n#: gpu_shared = no' system >unsealed
    "$TESTS/scale_run" unsealed cuda 0.8 cuda
    sed 's/cuda:device/rocm:device/' unsealed | "$TESTS/scale_run" /dev/stdin rocm 0.8 rocm
    run -3 "$BUILD/beff_report" compare system -- cuda
    [[ $output == *'refused: buffers differs: system in system, cuda:device in cuda'*'--factor buffers'* ]] || fail "$output"
    run -3 "$BUILD/beff_report" compare --factor buffers system -- cuda # one run of each is too few for a verdict
    [[ $output == 'changed on purpose: buffers system -> cuda:device'*' b_eff '*' 0.'*'refused: too few runs'* && $output != *differs* ]] || fail "$output"
    run -3 "$BUILD/beff_report" rank --require 1 cuda rocm
    [[ $output == *'refused: buffers differs: cuda:device in cuda, rocm:device in rocm'* ]] || fail "$output"
}

@test "wrong bytes at the end and in the middle of messages are found" {
    run --separate-stderr gpu 2 GPU_DEVICES=2 GPU_CORRUPT=middle GPU_ABOVE=1048576 --memory 1024 --time 5 --buffers cuda
    ends_with 3 "delivers wrong data from GPU memory with MPI_Sendrecv, 8388608 B"
    run --separate-stderr gpu 2 GPU_DEVICES=2 GPU_CORRUPT=last GPU_ABOVE=1048576 --memory 1024 --time 5 --buffers cuda
    ends_with 3 "delivers wrong data from GPU memory with MPI_Sendrecv, 8388608 B"
}

@test "wrong bytes at sizes that are not probed are data errors of the run" {
    local which
    for which in last middle; do
        run --separate-stderr brief 2 GPU_DEVICES=2 "GPU_CORRUPT=$which" GPU_ABOVE=3 GPU_BELOW=5000 --buffers cuda --memory 128 \
            --methods Sendrecv --time 5 --output out --force
        [[ $status == 1 && $stderr == *"data error: rank "*"($which byte of a message from rank "* ]] || fail "$status $stderr"
    done
}

@test "wrong bytes in the middle are found even if the ping-pong of ranks 0 and 1, which have none, comes first" {
    run --separate-stderr brief 3 GPU_DEVICES=3 GPU_CORRUPT=middle GPU_RANK=2 GPU_ABOVE=3 GPU_BELOW=5 --buffers cuda --memory 128 \
        --methods Sendrecv --polygons 1 --time 5 --output out
    [[ $status == 1 ]] || fail "$status $stderr"
    inspect out/run.prot 'next(r["pattern"] for r in p.records if r["bytes"] == 4) == "pingpong"' \
        'any(r["errors"] for r in p.records if r["bytes"] == 4)'
}

@test "the answers of the MPI about GPU memory are recorded; a switch that is off ends the run" {
    local answer
    for answer in "GPU_KINDS=mpi,system,cuda:host:device|yes: mpi_memory_alloc_kinds is mpi,system,cuda:host:device" \
        "GPU_KINDS=mpi,system|unknown: mpi_memory_alloc_kinds is mpi,system; MPIX" "GPU_QUERY=1|yes: MPIX_GPU_query_support returns 1" \
        "GPU_QUERY=0|unknown: MPIX_GPU_query_support returns 0"; do
        run --separate-stderr brief 2 GPU_DEVICES=2 "${answer%|*}" --buffers cuda --memory 1 --time 1 --output out --force
        holds out/run.prot "gpu_support = ${answer#*|}"
    done
    run --separate-stderr gpu 2 "GPU_LIBRARY=MPI VERSION : CRAY MPICH version 8" MPICH_GPU_SUPPORT_ENABLED=0 --buffers cuda
    ends_with 3 "switched off (MPICH_GPU_SUPPORT_ENABLED=0): set MPICH_GPU_SUPPORT_ENABLED=1"
}
