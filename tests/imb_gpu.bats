#!/usr/bin/env bats
# imb_compat with messages in GPU memory: stand-ins for the drivers and for a GPU-aware MPI (tests/shims/gpu.c, gpu_mpi.c).
# shellcheck disable=SC2154,SC2046,SC2030,SC2031 # bats sets status, output, stderr; word splitting is intended

load helpers
load imb
BEFF=$BUILD/IMB-MPI1-GPU

setup_file() {
    gpu_drivers
}

# gpu_clean PROCESSES ARGUMENT...: runs all benchmarks of $BEFF with -check, and checks that no data are wrong.
gpu_clean() {
    run --separate-stderr gpu "$1" GPU_DEVICES=4 -check -iter 2 -msglog 3:4 "${@:2}" $(all_of "${BEFF##*/IMB-}" | grep -v '^null')
    [[ $status == 0 ]] || fail "${BEFF##*/} on $1: status $status" "$stderr" || return
    echo "$output" >out
    [[ -z $(defects out 1) && -n $(defects out 0) ]] || fail "$(defects out 1)"
}

@test "IMB-MPI1-GPU prints the same tables as IMB's" {
    SAMPLES=$SAMPLES/gpu
    export LD_LIBRARY_PATH=$BATS_FILE_TMPDIR/drivers MPIR_CVAR_POLLS_BEFORE_YIELD=1
    eval "export $(shims gpu_mpi)"
    as_captured three pingping alltoallv bcast barrier pingpong_host pingpong_shared pingpong_cpu
    run gpu 2 -iter 1 -msglog 0:0 Uniband Biband
    grep --no-group-separator -B1 -A3 '^# Benchmarking' <<<"$output" | diff "$SAMPLES/headings" -
}

@test "all benchmarks of IMB-MPI1-GPU and IMB-RMA-GPU transfer GPU memory without wrong bytes" {
    local n
    for n in 2 3 4; do
        gpu_clean $n
        [[ $n == 4 && $stderr == *"IMB-MPI1-GPU: GPU: 4 per node, Stand-in GPU 0, one process each"* ]] || ((n < 4))
    done
    BEFF=$BUILD/IMB-RMA-GPU
    gpu_clean 3
    grep -qxF '#    Intel(R) MPI Benchmarks 2021.11, RMA part (GPU), Technical preview' out
}

@test "nonblocking, persistent and one-sided benchmarks of other components transfer GPU memory on request" {
    BEFF=$BUILD/IMB-NBC gpu_clean 2 -mem_alloc_type device
    BEFF=$BUILD/IMB-EXT gpu_clean 2 -mem_alloc_type shared
    BEFF=$BUILD/IMB-MPI4
    run --separate-stderr gpu 2 -mem_alloc_type device -check -iter 3 -msglog 0:2 Bcast_persist Allreduce_persist Alltoallv_persist
    [[ $status == 0 ]] || [[ $stderr == *"no persistent collectives"* ]]
    BEFF=$BUILD/IMB-P2P
    run --separate-stderr gpu 2 -mem_alloc_type device -check -iter 3 -msglog 2 -pause 0 -time 0.1
    [[ $status == 0 && $output != *"found by -check: "[1-9]* ]]
}

@test "data types, a moving root, and messages outside the cache, in GPU memory" {
    run --separate-stderr gpu 2 -data_type double -root_shift on -off_cache 1 -check -msglog 3:5 -iter 10 Sendrecv Bcast Reduce Gather
    [[ $status == 0 && $output == *MPI_DOUBLE* ]]
    run --separate-stderr gpu 2 -mem_alloc_type cpu -msglog 0:0 -iter 1 PingPong
    [[ $status == 0 && $stderr != *GPU* ]]
    run --separate-stderr gpu 2 GPU_DEVICES=4 -device 2 -msglog 0:0 -iter 1 -prot two.prot PingPong
    [[ $(grep -c '^#@gpu' two.prot) == 2 ]] || fail "$(<two.prot)"
    inspect two.prot 'p.meta["gpu_shared"].startswith("ranks 0 and 1 use GPU 2 ")'
}

@test "wrong bytes in GPU memory are found" {
    run --separate-stderr gpu 2 GPU_CORRUPT=middle GPU_ABOVE=10 GPU_BELOW=20 -check -iter 3 -msglog 3:5 PingPong
    [[ $status == 1 && $stderr == *"data error: PingPong, 16 bytes, rank "* ]]
}

@test "a crash of MPI names the benchmark and its size, keeps the rows before it, and lists the rest" {
    run --separate-stderr gpu 2 GPU_UNAWARE=MPI_Gather -iter 2 -msglog 0:2 -prot run.prot -exclude Alltoall Bcast Gather Gather Alltoall Reduce
    ends_with 3 "IMB-MPI1-GPU: MPI crashed in Gather with 1 B in GPU memory; not reached: Reduce"
    [[ $(grep -c '^ *[0-9]' <<<"$output") == 5 && $output == *"Benchmarking Bcast"*"Benchmarking Gather"*"#repetitions"*" 0 "* ]]
    inspect run.prot 'not p.sealed and [r["bytes"] for r in p.records] == [0, 1, 2, 4, 0]' 'p.meta["buffers"] == "cuda:device"'
    run --separate-stderr gpu 2 GPU_UNAWARE=MPI_Bcast -iter 2 -msglog 0:2 Bcast
    ends_with 3 "crashed in Bcast with 1 B in GPU memory; not reached: none"
}

@test "single elements, unknown kinds of memory, other components, and missing drivers are refused" {
    run --separate-stderr mpi 2 PingPong
    ends_with 3 "no driver for cuda memory: libcuda.so.1" "no driver for rocm memory: libamdhip64.so"
    run --separate-stderr "$BEFF" -mem_alloc_type nonsense
    ends_with 2 'invalid -mem_alloc_type "nonsense": expected one of cpu device host shared'
    BEFF=$BUILD/IMB-RMA-GPU
    run --separate-stderr gpu 1 Fetch_and_op
    ends_with 2 "Fetch_and_op is in IMB-RMA, not in IMB-RMA-GPU"
    [[ $("$BEFF" -list) != *Compare_and_swap* && $("$BEFF" -list) == *Get_accumulate* ]]
    BEFF=$BUILD/IMB-IO
    run --separate-stderr "$BEFF" -mem_alloc_type device
    ends_with 2 'unknown option "-mem_alloc_type"'
}
