# ReFrame tests that run beff and beff_io. Start them with: reframe -c reframe_beff.py -r. The figures are read from run.json. Set the
# reference values of your system in ReFrame's configuration of the system, or in this file. For a quick look with reduced or
# oversubscribed runs, which are NOT VALID, add -S want_valid=no. Tried with a stand-in for ReFrame that refuses what its documentation
# says ReFrame 4 refuses (tests/contrib), not with ReFrame itself.
import json
import os

import reframe as rfm
import reframe.utility.sanity as sn
import reframe.utility.typecheck as typ


class BeffRun(rfm.RunOnlyRegressionTest):
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    num_tasks = 4
    seconds = variable(int, value=180)
    want_valid = variable(typ.Bool, value=True)
    tags = {"network"}

    def more_options(self):
        return []

    @run_before("run")
    def set_options(self):
        self.time_limit = f"{self.seconds * 11 // 10 + 60}s"
        self.executable_opts = ["--time", str(self.seconds), "--progress=never", "--output", "run"] + self.more_options()
        self.keep_files = ["run"]

    def findings(self):  # slow nodes and links
        return []

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
            sn.assert_eq(self.findings(), []),
        ])


@rfm.simple_test
class BeffTest(BeffRun):
    descr = "effective communication bandwidth"
    executable = "beff"
    postrun_cmds = ["beff_report nodes --format json run > nodes.json || true"]

    @performance_function("MB/s")
    def b_eff(self):
        return self.figure("b_eff")

    @performance_function("us")
    def latency(self):
        return self.figure("message_latency_us")

    def findings(self):
        with open(os.path.join(self.stagedir, "nodes.json"), encoding="utf-8") as file:
            return [finding["text"] for finding in json.load(file)["findings"]]


@rfm.simple_test
class BeffIoTest(BeffRun):
    descr = "effective I/O bandwidth"
    executable = "beff_io"
    seconds = 1800
    tags = {"storage"}
    path = variable(str, value=".")

    def more_options(self):
        return ["--path", self.path]

    @performance_function("MB/s")
    def b_eff_io(self):
        return self.figure("b_eff_io")
