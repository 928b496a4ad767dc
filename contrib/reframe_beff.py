# ReFrame tests that run beff and beff_io. Start them with: reframe -c reframe_beff.py -r. The figures are read from run.json. Set the
# reference values of your system in ReFrame's configuration of the system, or in this file.
import json
import os

import reframe as rfm
import reframe.utility.sanity as sn


class BeffRun(rfm.RunOnlyRegressionTest):
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    num_tasks = variable(int, value=4)
    seconds = variable(int, value=180)
    # Set this to False for a quick look with reduced or oversubscribed runs, which are NOT VALID.
    want_valid = variable(bool, value=True)
    tags = {"network"}

    @run_before("run")
    def set_options(self):
        self.time_limit = f"{self.seconds + 120}s"
        self.executable_opts = ["--time", str(self.seconds), "--progress=never", "--output", "run"]
        self.keep_files = ["run"]

    @deferrable
    def result(self):
        with open(os.path.join(self.stagedir, "run", "run.json"), encoding="utf-8") as file:
            return json.load(file)["result"]

    @deferrable
    def figure(self, name):
        return self.result().evaluate()[name]

    @sanity_function
    def rated(self):
        result = self.result().evaluate()
        return sn.all([
            sn.assert_eq(result["end"], "complete"),
            sn.assert_true(result["valid"] or not self.want_valid, msg="NOT VALID: " + "; ".join(result["reasons"])),
        ])


@rfm.simple_test
class BeffTest(BeffRun):
    descr = "effective communication bandwidth"
    executable = "beff"

    @performance_function("MB/s")
    def b_eff(self):
        return self.figure("b_eff")

    @performance_function("us")
    def latency(self):
        return self.figure("latency_us")


@rfm.simple_test
class BeffIoTest(BeffRun):
    descr = "effective I/O bandwidth"
    executable = "beff_io"
    seconds = 1800
    tags = {"storage"}
    path = variable(str, value=".")

    @run_before("run")
    def set_path(self):
        self.executable_opts += ["--path", self.path]

    @performance_function("MB/s")
    def b_eff_io(self):
        return self.figure("b_eff_io")
