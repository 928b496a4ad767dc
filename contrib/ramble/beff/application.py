# Ramble: copy this folder to applications/beff of a repository of Ramble or Benchpark. The software comes from contrib/spack.
# Tried with a stand-in for Ramble (tests/contrib), not with Ramble itself.
from ramble.appkit import *


class Beff(ExecutableApplication):
    """Effective bandwidth of communication (b_eff) and files (b_eff_io), slow nodes, and the Intel MPI Benchmarks"""

    name = "beff"

    tags("synthetic-benchmarks")

    with when("package_manager_family=spack"):
        software_spec("beff", pkg_spec="beff")
        required_package("beff")

    run_directory = "{experiment_run_dir}/run"
    run_json = run_directory + "/run.json"

    executable("rate", f"beff --force --output {run_directory} {{options}}", use_mpi=True)
    executable("rate-io", f"beff_io --force --output {run_directory} --path {{path}} {{options}}", use_mpi=True)
    executable("benchmarks", "imb_compat {benchmarks} {options}", use_mpi=True)
    executable("slow", f"(beff_report nodes {run_directory} && echo 'nodes: no finding')", use_mpi=False)

    workload("rating", executables=["rate"])
    workload("io", executables=["rate-io"])
    workload("imb", executables=["benchmarks"])
    workload("nodes", executables=["rate", "slow"])

    workload_variable("options", default="", description="More options of the program", workloads=["rating", "io", "imb", "nodes"])
    workload_variable("path", default="{experiment_run_dir}", description="Directory of the file system", workloads=["io"])
    workload_variable("benchmarks", default="MPI1 Allreduce Alltoall", description="Component and benchmarks", workloads=["imb"])

    number_regex = r"(?P<value>[0-9][0-9.e+-]*)"
    for figure, units in (
        ("b_eff", "MB/s"),
        ("b_eff_per_process", "MB/s"),
        ("b_eff_lmax", "MB/s"),
        ("pingpong_latency_us", "us"),
        ("noise_percent", "%"),
        ("b_eff_io", "MB/s"),
        ("b_eff_io_write", "MB/s"),
        ("b_eff_io_rewrite", "MB/s"),
        ("b_eff_io_read", "MB/s"),
    ):
        figure_of_merit(figure, fom_regex=rf'\s*"{figure}": {number_regex},?$', group_name="value", log_file=run_json, units=units)

    figure_of_merit_context("benchmark", regex=r"# Benchmarking (?P<benchmark>\S+)", output_format="{benchmark}")
    row_regex = r"\s+(?P<bytes>\d+)\s+\d+\s+(?P<t_min>[0-9.]+)\s+(?P<t_max>[0-9.]+)\s+(?P<t_avg>[0-9.]+)\s*"
    figure_of_merit_context("bytes", regex=row_regex, output_format="{bytes} bytes")
    for column in ("t_min", "t_max", "t_avg"):
        figure_of_merit(column, fom_regex=row_regex, group_name=column, units="us", contexts=["benchmark", "bytes"])

    success_criteria("valid", mode="string", match=r'\s*"valid": true,', file=run_json, when=["workload=rating"])
    success_criteria("valid-io", mode="string", match=r'\s*"valid": true,', file=run_json, when=["workload=io"])
    success_criteria("complete", mode="string", match=r"# All processes entering MPI_Finalize", when=["workload=imb"])
    success_criteria("no-finding", mode="string", match=r"nodes: no finding", when=["workload=nodes"])
