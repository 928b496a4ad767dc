#!/usr/bin/env bats
# One short run of each program, built with another MPI (BUILD=). These tests are quick enough for every change; for the whole suite
# with Open MPI, see docs/other-mpis.md.
# shellcheck disable=SC2154 # bats sets status, output, stderr

load ../helpers

BATS_TEST_TIMEOUT=240

# The end of a protocol of beff or beff_io. On a busy machine, the time may be up before the run is complete.
ended='p.end == "complete" or "the time limit was reached" in p.end'

# confirmed DIR: checks that the results of a run, if it was completed, follow from its records.
confirmed() { ! grep -q '^#: end = complete' "$1/run.prot" || "$BUILD/beff_report" verify "$1"; }

# mpi_ios: prints the MPI's MPI-IO implementations. OMPI_MCA_io selects one of Open MPI's; other MPIs ignore it.
mpi_ios() { if grep -q 'openmpi' "$BUILD/config.mk"; then echo ompio "$ROMIO"; else echo its_own; fi; }

@test "beff: the protocol is sealed, and the records confirm its results" {
    run mpi 2 --time 8 --memory 1 --polygons 1 --output out
    [[ $status == [01] ]] || fail "status $status" "$output"
    inspect out/run.prot 'p.sealed' "$ended" 'sum(r["errors"] for r in p.records) == 0' 'len(p.records) > 0'
    confirmed out
}

@test "beff: a signal to the launcher leaves a sealed protocol" {
    export OMPI_MCA_odls_base_sigkill_timeout=3 PRTE_MCA_odls_base_sigkill_timeout=3 # docs/other-mpis.md
    start 2 --time 60 --memory 1 --polygons 1 --output out
    has_records out/run.prot 10
    kill -TERM "$launcher"
    ended_within 20
    inspect out/run.prot 'p.sealed' '"stopped by signal 15" in p.end'
}

@test "beff_io: a sealed protocol and no leftover files, with each MPI-IO" {
    local io
    BEFF=$BUILD/beff_io
    for io in $(mpi_ios); do
        export OMPI_MCA_io=$io
        run mpi 2 --time 8 --memory 16 --max-bytes 200M --verify full --output "$io"
        [[ $status == [01] ]] || fail "$io: status $status" "$output"
        inspect "$io/run.prot" 'p.sealed' "$ended" 'sum(r["errors"] for r in p.records) == 0'
        confirmed "$io"
        nothing_left
    done
}

@test "imb_compat: lists of benchmarks, and correct data in benchmarks of five components" {
    local row io
    for row in 'MPI1 Alltoallv' 'NBC Iallreduce' 'EXT Bidir_Put' 'RMA Get_accumulate'; do
        "$BUILD/IMB-${row% *}" -list | grep -q "^ *${row#* }"
        BEFF=$BUILD/IMB-${row% *}
        mpi 2 -check -iter 5 -msglog 0:10 -prot run.prot "${row#* }" >out
        inspect run.prot 'p.sealed' 'p.end == "complete"' 'len(p.records) > 5' 'all(r["errors"] == 0 for r in p.records)'
        rm run.prot
    done
    BEFF=$BUILD/IMB-IO
    for io in $(mpi_ios); do
        export OMPI_MCA_io=$io
        mpi 2 -check -iter 5 -msglog 10:12 -prot "$io.prot" P_Write_Priv C_Read_Shared >out
        inspect "$io.prot" 'p.sealed' 'p.end == "complete"' 'all(r["errors"] == 0 for r in p.records)'
        [[ -z $(find . -name 'IMB_out*') ]]
    done
}
