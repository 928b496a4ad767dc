# Benchpark: copy this folder to experiments/beff, contrib/ramble/beff/application.py and contrib/spack/package.py to repo/beff.
# Tried with a stand-in for Benchpark (tests/contrib), not with Benchpark itself.
from benchpark.directives import maintainers, variant
from benchpark.experiment import Experiment
from benchpark.programming_model import ProgrammingModel, ProgrammingModelType


class Beff(Experiment, ProgrammingModel(ProgrammingModelType.Mpionly)):
    variant("workload", default="rating", values=("rating", "io", "imb", "nodes"), description="rating, io, imb or nodes")
    variant("version", default="1.0.0-rc1", values=("1.0.0-rc1",), description="version of beff")

    maintainers("beff")

    def compute_applications_section(self):
        test = self.spec.satisfies("exec_mode=test")
        self.add_experiment_variable("n_nodes", 1 if test else 4, True)
        self.add_experiment_variable("n_ranks", "{n_nodes} * {sys_cores_per_node}", False)
        if test and not self.spec.satisfies("workload=imb"):
            self.add_experiment_variable("options", "--time 60", False)
        self.set_required_variables(n_resources="{n_ranks}", process_problem_size="1", total_problem_size="{n_ranks}")

    def compute_package_section(self):
        version = self.spec.variants["version"][0]
        self.add_package_spec(self.name, [f"beff@{version}"])
