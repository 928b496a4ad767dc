# Spack recipe. Copy this folder to packages/beff in a repository of recipes (spack repo create).
from spack.package import *


class Beff(MakefilePackage):
    """Effective communication bandwidth (b_eff) and I/O bandwidth (b_eff_io) of a parallel machine, and the benchmarks of the
    Intel MPI Benchmarks."""

    homepage = "file:///usr/local/share/doc/beff/README.md"
    # Make the tarball with `make dist`, and run `spack install beff` in the directory that contains beff-0.1.0.tar.gz.
    url = "file://./beff-0.1.0.tar.gz"

    license("BSD-3-Clause")

    version("0.1.0")

    variant("hwloc", default=True, description="Distinguish cores from hardware threads")
    variant("plots", default=True, description="Install gnuplot for beff_plot")

    depends_on("c", type="build")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build", when="+hwloc")
    depends_on("mpi@3.1:")
    depends_on("hwloc", when="+hwloc")
    depends_on("gnuplot", type="run", when="+plots")

    def options(self, prefix):
        mpi = self.spec["mpi"]
        options = [f"PREFIX={prefix}", f"MPICC={mpi.mpicc}", f"MPIEXEC={mpi.prefix.bin.mpiexec}"]
        return options if self.spec.satisfies("+hwloc") else options + ["WITHOUT=hwloc"]

    def build(self, spec, prefix):
        make(*self.options(prefix))

    def install(self, spec, prefix):
        make("install", *self.options(prefix))
