"""Stand-ins for EasyBuild 5, Ramble 0.6 and Benchpark, written after their documentation. Each loads a recipe and refuses what the tool
refuses: unknown names and arguments, values of another type, names that are declared twice, and references to what does not exist.

usage: recipe_stand_ins.py easybuild FILE.eb PREFIX     prints the commands, and the lines "file NAME", "dir NAME", "check COMMAND"
       recipe_stand_ins.py ramble application.py DIR    prints the figures of merit in DIR/run/run.json and DIR/out
       recipe_stand_ins.py benchpark experiment.py      prints the variables of each workload
"""
import ast
import contextlib
import inspect
import os
import re
import sys
import types


def refuse(text):
    raise SystemExit(f"refused: {text}")


def expect(condition, text):
    if not condition:
        refuse(text)


def parse(path):
    """Returns the tree of a recipe. Refuses names that a module or a class assigns or defines twice, except in loops."""
    tree = ast.parse(open(path).read())
    for body in [tree.body] + [node.body for node in tree.body if isinstance(node, ast.ClassDef)]:
        seen = set()
        for node in body:
            names = [t.id for t in getattr(node, "targets", []) if isinstance(t, ast.Name)] + [getattr(node, "name", None)]
            for name in filter(None, names):
                expect(name not in seen, f"{name} is declared twice")
                seen.add(name)
    return tree


def call(function, types_of):
    """Returns the function with a check of its arguments: {name: type}. Names without a type may be anything."""
    signature = inspect.signature(function)

    def checked(*arguments, **named):
        try:
            bound = signature.bind(*arguments, **named)
        except TypeError as error:
            refuse(f"{function.__name__}: {error}")
        for name, value in bound.arguments.items():
            kind = types_of.get(name)
            expect(kind is None or isinstance(value, kind), f"{function.__name__}: {name}={value!r} is not of type {kind}")
        return function(*bound.args, **bound.kwargs)

    return checked


# ---- EasyBuild ----

PARAMETERS = {"easyblock": str, "name": str, "version": str, "homepage": str, "description": str, "toolchain": dict, "toolchainopts": dict,
              "source_urls": list, "sources": list, "checksums": list, "patches": list, "dependencies": list, "builddependencies": list,
              "skipsteps": list, "configopts": (str, list), "buildopts": (str, list), "installopts": (str, list), "runtest": (bool, str),
              "sanity_check_paths": dict, "sanity_check_commands": list, "modextrapaths": dict, "moduleclass": str}
STEPS = {"fetch", "ready", "extract", "patch", "prepare", "configure", "build", "test", "install", "extensions", "postproc", "sanitycheck",
         "cleanup", "module", "permissions", "package", "testcases"}
CLASSES = {"astro", "base", "bio", "cae", "chem", "compiler", "data", "debugger", "devel", "geo", "ide", "lang", "lib", "math", "mpi",
           "numlib", "perf", "quantum", "phys", "system", "toolchain", "tools", "vis"}


def easybuild(path, prefix):
    scope = {"SOURCE_TAR_GZ": "%(name)s-%(version)s.tar.gz", "SOURCELOWER_TAR_GZ": "%(namelower)s-%(version)s.tar.gz"}
    constants = set(scope)
    parse(path)
    exec(compile(open(path).read(), path, "exec"), {"__builtins__": {}}, scope)
    given = {k: v for k, v in scope.items() if k not in constants and not k.startswith("local_")}
    for name, value in given.items():
        expect(name in PARAMETERS, f"unknown easyconfig parameter {name}")
        expect(isinstance(value, PARAMETERS[name]), f"{name}: {value!r} is not of type {PARAMETERS[name]}")
    for name in ("name", "version", "homepage", "description", "toolchain"):
        expect(name in given, f"the parameter {name} is mandatory")
    chain = given["toolchain"]
    expect(set(chain) == {"name", "version"}, "a toolchain has a name and a version")
    file = f"{given['name']}-{given['version']}-{chain['name']}-{chain['version']}.eb"
    expect(os.path.basename(path) == file, f"the file must be named {file}")
    expect(set(given.get("skipsteps", [])) <= STEPS, "unknown step")
    expect(given.get("moduleclass") in CLASSES, "unknown moduleclass")
    expect(len(given["sources"]) == len(given["checksums"]), "each source needs a checksum or None")
    checks = given["sanity_check_paths"]
    expect(set(checks) == {"files", "dirs"} and (checks["files"] or checks["dirs"]), "sanity_check_paths has files and dirs")
    templates = {"name": given["name"], "namelower": given["name"].lower(), "version": given["version"], "installdir": prefix}
    expand = lambda text: text % templates
    try:
        print("make", expand(given.get("buildopts", "")))
        print("make install", expand(given.get("installopts", "")))
    except KeyError as error:
        refuse(f"unknown template {error}")
    for kind in ("files", "dirs"):
        for name in checks[kind]:
            print(kind[:-1], name)
    for command in given.get("sanity_check_commands", []):
        print("check", command)


# ---- Ramble ----


def ramble(path, directory):
    made = {"executables": {}, "workloads": {}, "variables": {}, "foms": {}, "contexts": {}, "criteria": {}}

    def add(kind, name, value):
        expect(name not in made[kind], f"{name} is declared twice")
        made[kind][name] = value

    def executable(name, template, use_mpi=False, variables=None, redirect="{log_file}", output_capture=None, run_in_background=False, when=None):
        add("executables", name, template)

    def workload(name, executables=None, executable=None, input=None, inputs=None, tags=None, when=None):
        expect(executables or executable, f"workload {name} has no executable")
        add("workloads", name, executables or [executable])

    def workload_variable(name, default, description, values=None, workload=None, workloads=None, expandable=True, when=None):
        for one in workloads or [workload]:
            add("variables", (one, name), default)

    def figure_of_merit_context(name, regex, output_format, when=None):
        expect(set(re.findall(r"{(\w+)}", output_format)) <= set(re.compile(regex).groupindex), f"context {name}: unknown group")
        add("contexts", name, regex)

    def figure_of_merit(name, fom_regex=None, group_name=None, log_file="{log_file}", units="", contexts=None, fom_type=None, when=None):
        expect(group_name in re.compile(fom_regex).groupindex, f"{name}: the regular expression has no group {group_name}")
        add("foms", name, (fom_regex, group_name, log_file, units, contexts or []))

    def success_criteria(name, mode, match=None, file="{log_file}", fom_name=None, fom_context="null", formula=None, anti_match=None, when=None):
        expect(mode in ("string", "application_function", "fom_comparison"), f"{name}: unknown mode {mode}")
        expect(mode != "string" or match or anti_match, f"{name}: mode string needs match or anti_match")
        add("criteria", name, (match, file, when or []))

    def software_spec(name, pkg_spec, compiler=None, compiler_spec=None, when=None):
        pass

    def required_package(name, package_manager=None, when=None):
        pass

    kinds = {"name": str, "template": (str, list), "use_mpi": bool, "executables": list, "executable": str, "default": (str, int, float),
             "description": str, "workloads": list, "regex": str, "output_format": str, "fom_regex": str, "group_name": str, "log_file": str,
             "units": str, "contexts": list, "mode": str, "match": str, "file": str, "when": list, "pkg_spec": str}
    kit = types.ModuleType("ramble.appkit")
    for function in (executable, workload, workload_variable, figure_of_merit_context, figure_of_merit, success_criteria, software_spec, required_package):
        setattr(kit, function.__name__, call(function, kinds))
    kit.tags = kit.maintainers = lambda *names: [expect(isinstance(n, str), "a tag is a text") for n in names]
    kit.when = lambda condition: contextlib.nullcontext()
    kit.ExecutableApplication = type("ExecutableApplication", (), {})
    sys.modules["ramble"], sys.modules["ramble.appkit"] = types.ModuleType("ramble"), kit
    parse(path)
    scope = {"__name__": "application"}
    exec(compile(open(path).read(), path, "exec"), scope)
    found = [c for c in scope.values() if isinstance(c, type) and issubclass(c, kit.ExecutableApplication) and c is not kit.ExecutableApplication]
    expect(len(found) == 1 and found[0].name == os.path.basename(os.path.dirname(os.path.abspath(path))), "the class has the name of its folder")
    for name, used in made["workloads"].items():
        for one in used:
            expect(one in made["executables"], f"workload {name}: unknown executable {one}")
            for key in re.findall(r"{(\w+)}", made["executables"][one]):
                expect(key in ("experiment_run_dir", "log_file") or (name, key) in made["variables"], f"{one}: unknown variable {key}")
    for one, name in made["variables"]:
        expect(one in made["workloads"], f"variable {name}: unknown workload {one}")
    for name, (_, file, when) in made["criteria"].items():
        for condition in when:
            expect(condition.split("=")[0] == "workload" and condition.split("=")[1] in made["workloads"], f"{name}: unknown condition {condition}")
    files = {"experiment_run_dir": directory, "log_file": directory + "/out"}
    for name, (regex, group, file, units, contexts) in made["foms"].items():
        for context in contexts:
            expect(context in made["contexts"], f"{name}: unknown context {context}")
        for match in filter(None, (re.match(regex, line) for line in open(file.format(**files)))):
            print(name, match[group], units)
    for name, (match, file, _) in made["criteria"].items():
        print(name, any(re.match(match, line) for line in open(file.format(**files))))


# ---- Benchpark ----


def benchpark(path):
    variants, lines = {}, []

    def variant(name, default=None, description="", values=None, multi=None, validator=None, when=None, sticky=False):
        expect(name not in variants, f"the variant {name} is declared twice")
        expect(values is None or default in values, f"variant {name}: the default is none of its values")
        variants[name] = (default, values)

    class Spec:
        def __init__(self, chosen):
            self.chosen, self.variants = chosen, {k: (v,) for k, v in chosen.items()}

        def satisfies(self, condition):
            name, _, value = condition.partition("=")
            expect(name in self.chosen, f"satisfies({condition!r}): the variant is not declared")
            return self.chosen[name] == value

    class Experiment:
        name = "beff"

        def add_experiment_variable(self, name, value, named=False, matrixed=False):
            expect(name not in self.given, f"the variable {name} is added twice")
            self.given[name] = value

        def set_required_variables(self, n_resources, process_problem_size, total_problem_size):
            for text in (n_resources, process_problem_size, total_problem_size):
                expect(isinstance(text, str) and set(re.findall(r"{(\w+)}", text)) <= set(self.given), f"unknown variable in {text!r}")

        def add_package_spec(self, name, specs, package_manager="spack"):
            expect(isinstance(specs, list), "add_package_spec needs a list")
            lines.append(f"{self.given} {specs}")

    class ProgrammingModelType:
        Mpionly, Openmp, Cuda, Rocm = "mpi", "openmp", "cuda", "rocm"

    modules = {"": {}, ".directives": {"variant": call(variant, {"name": str, "description": str}), "maintainers": lambda *names: None},
               ".experiment": {"Experiment": Experiment},
               ".programming_model": {"ProgrammingModelType": ProgrammingModelType, "ProgrammingModel": lambda *models: type("Model", (), {})}}
    for name, members in modules.items():
        sys.modules["benchpark" + name] = types.ModuleType("benchpark" + name)
        vars(sys.modules["benchpark" + name]).update(members)
    parse(path)
    scope = {"__name__": "experiment"}
    exec(compile(open(path).read(), path, "exec"), scope)
    for workload in variants["workload"][1]:
        for mode in ("test", "perf"):
            chosen = {name: default for name, (default, _) in variants.items()}
            instance = scope["Beff"]()
            instance.spec, instance.given = Spec(dict(chosen, workload=workload, exec_mode=mode)), {}
            for section in ("compute_applications_section", "compute_package_section"):
                expect(hasattr(instance, section), f"{section} is missing")
                getattr(instance, section)()
            print(workload, mode, lines[-1])


{"easybuild": easybuild, "ramble": ramble, "benchpark": benchpark}[sys.argv[1]](*sys.argv[2:])
