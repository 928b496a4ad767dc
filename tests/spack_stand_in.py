"""A stand-in for Spack (package API v2), written after its documentation. Loads a recipe and installs it by its own methods.

usage: spack_stand_in.py PACKAGE.py PREFIX MPICC MPIEXEC [-VARIANT...]

Refuses what Spack refuses: unknown directives and arguments, values of another type, a variant, version or method that is declared
twice, a condition on a variant that the recipe does not declare, an unknown build system, and install methods that do not exist.
Prints the commands of the build, the installation and the tests.
"""
import re
import sys
import types

TYPES = {"build", "link", "run", "test"}
LANGUAGES = {"c", "cxx", "fortran"}
STATE = {"variants": {}, "versions": {}, "depends": [], "conditions": []}


def refuse(text):
    raise SystemExit(f"spack: {text}")


def of_type(name, value, *kinds):
    if not isinstance(value, kinds):
        refuse(f"{name}: {value!r} is not of type {kinds}")


def version(ver, *, sha256=None, url=None, preferred=False, deprecated=False):
    of_type("version", ver, str)
    if ver in STATE["versions"]:
        refuse(f"version {ver} is declared twice")
    STATE["versions"][ver] = sha256


def variant(name, *, default=None, description="", values=None, multi=None, when=None, sticky=False):
    of_type("variant", name, str)
    of_type("description", description, str)
    of_type("default", default, bool, str)
    if not re.fullmatch(r"[a-z][a-z0-9_-]*", name):
        refuse(f"invalid name of a variant: {name!r}")
    if name in STATE["variants"]:
        refuse(f"the variant {name} is declared twice")
    STATE["variants"][name] = default
    condition(when)


def depends_on(spec, *, when=None, type=("build", "link"), patches=None):
    of_type("depends_on", spec, str)
    kinds = (type,) if isinstance(type, str) else tuple(type)
    if not set(kinds) <= TYPES:
        refuse(f"{spec}: unknown type of a dependency in {kinds}")
    if not re.fullmatch(r"[a-z0-9-]+(@[0-9.:=]+)?([+~][a-z0-9_-]+)*", spec):
        refuse(f"invalid spec: {spec!r}")
    STATE["depends"].append((spec, kinds, when))
    condition(when)


def condition(when):
    if when is not None:
        of_type("when", when, str)
        STATE["conditions"].append(when)


def license(expression, *, checked_by=None, when=None):
    of_type("license", expression, str)


def maintainers(*names):
    for name in names:
        of_type("maintainers", name, str)


class Once(dict):
    def __setitem__(self, key, value):
        if key in self and key not in ("__module__", "__qualname__", "__doc__"):
            refuse(f"{key} is declared twice")
        super().__setitem__(key, value)


class Meta(type):
    ATTRIBUTES = {"homepage": str, "url": str, "git": str, "list_url": str, "tags": list, "build_targets": list, "install_targets": list}

    @classmethod
    def __prepare__(cls, name, bases):
        return Once()

    def __new__(cls, name, bases, body):
        for key, value in body.items():
            if not key.startswith("__") and not callable(value):
                if key not in cls.ATTRIBUTES:
                    refuse(f"unknown attribute {key}")
                of_type(key, value, cls.ATTRIBUTES[key])
        return super().__new__(cls, name, bases, dict(body))


class MakefilePackage(metaclass=Meta):
    def edit(self, spec, prefix):
        pass


class Path(str):
    def __getattr__(self, name):
        return Path(f"{self}/{name}")


class Executable:
    def __init__(self, path):
        self.path = path

    def __call__(self, *arguments, output=None, error=None, fail_on_error=True):
        for argument in arguments:
            of_type("argument", argument, str)
        print(self.path, *arguments)
        return self.path


def load(path, mpicc, mpiexec):
    api = types.ModuleType("spack.package")
    for function in (version, variant, depends_on, license, maintainers):
        setattr(api, function.__name__, function)
    api.make = Executable("make")
    api.which = lambda name, required=False: Executable(str(name))
    build_systems = types.ModuleType("spack_repo.builtin.build_systems.makefile")
    build_systems.MakefilePackage = MakefilePackage
    for name in ("spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["spack.package"], sys.modules["spack_repo.builtin.build_systems.makefile"] = api, build_systems
    scope = {"__name__": "package"}
    exec(compile(open(path).read(), path, "exec"), scope)
    found = [c for c in scope.values() if isinstance(c, Meta) and c is not MakefilePackage]
    if len(found) != 1 or found[0].__name__ != "Beff":
        refuse("the recipe of the folder beff must define the class Beff")
    for when in STATE["conditions"]:
        for name in re.findall(r"[+~]([a-z0-9_-]+)", when):
            if name not in STATE["variants"]:
                refuse(f"the condition {when!r} names a variant that is not declared")
    if not STATE["versions"] or not any(spec.split("@")[0] in LANGUAGES for spec, _, _ in STATE["depends"]):
        refuse("a recipe needs a version and a language")
    return found[0]


def main(path, prefix, mpicc, mpiexec, *without):
    package = load(path, mpicc, mpiexec)()
    mpi = types.SimpleNamespace(mpicc=mpicc, prefix=types.SimpleNamespace(bin=types.SimpleNamespace(mpiexec=Path(mpiexec))))

    class Spec(dict):
        def satisfies(self, what):
            name = what.lstrip("+~")
            if name not in STATE["variants"]:
                refuse(f"satisfies({what!r}): the variant is not declared")
            return ("-" + name not in without) == what.startswith("+")

    package.spec, package.prefix = Spec(mpi=mpi), Path(prefix)
    for name in ("build", "install"):
        getattr(package, name)(package.spec, package.prefix)
    tests = [name for name in dir(package) if name.startswith("test_")]
    if not tests:
        refuse("no test_ method")
    for name in tests:
        if not getattr(package, name).__doc__:
            refuse(f"{name} has no docstring")
        getattr(package, name)()


main(*sys.argv[1:])
