# Spack recipe for the package API v2 (Spack 1.0 and later). Put this folder into packages/beff/ of a repository of recipes (spack
# repo create). For Spack 0.23 and earlier, replace the first import by `from spack.package import *`, and remove nothing else.
import os

from spack_repo.builtin.build_systems.makefile import MakefilePackage

from spack.package import *


class Beff(MakefilePackage):
    """Effective communication bandwidth (b_eff) and I/O bandwidth (b_eff_io) of a parallel machine, and the benchmarks of the
    Intel MPI Benchmarks."""

    homepage = "file:///usr/local/share/doc/beff/README.md"
    # Make the tarball with `make dist DIST=beff-1.0.0~rc1`, and run `spack install --no-checksum beff` in the directory that contains it.

    license("BSD-3-Clause")

    version("1.0.0-rc1", url=f"file://{os.getcwd()}/beff-1.0.0~rc1.tar.gz")  # Spack allows no ~ in a version

    variant("hwloc", default=True, description="Distinguish cores from hardware threads")
    variant("gnuplot", default=True, description="Install gnuplot for beff_plot")

    depends_on("c", type="build")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build", when="+hwloc")
    depends_on("mpi@3.1:")
    depends_on("hwloc", when="+hwloc")
    depends_on("bash", type="run")
    depends_on("gawk", type=("build", "run"))
    depends_on("python@3.6:", type="run")
    depends_on("gnuplot", type="run", when="+gnuplot")

    def launcher(self):
        mpiexec = self.spec["mpi"].prefix.bin.mpiexec
        return mpiexec if os.path.exists(mpiexec) else "srun"  # Cray MPICH has no mpiexec

    def options(self, prefix):
        options = [f"PREFIX={prefix}", f"MPICC={self.spec['mpi'].mpicc}", f"MPIEXEC={self.launcher()}"]
        return options if self.spec.satisfies("+hwloc") else options + ["WITHOUT=hwloc"]

    def build(self, spec, prefix):
        make(*self.options(prefix))

    def install(self, spec, prefix):
        make("install", *self.options(prefix))

    def test_version(self):
        """beff_report prints its version"""
        report = which(self.prefix.bin.beff_report)
        assert "beff_report" in report("--version", output=str.split, error=str.split)

    def test_two_processes(self):
        """two processes are measured, and the record verifies"""
        launcher = which(self.launcher())
        launcher("-n", "2", self.prefix.bin.beff, "--time", "10", "--memory", "1", "--output", "beff-test", fail_on_error=False)
        which(self.prefix.bin.beff_report)("verify", "beff-test")
