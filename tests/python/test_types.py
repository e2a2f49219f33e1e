"""The stub lists every name and argument of the module, everything has a docstring, and a type checker (mypy) agrees."""
import ast
import inspect
import os
import re
import subprocess
import sys
import tempfile
import unittest

import jounce
from jounce import _jounce
from support import main

STUB = os.path.join(os.path.dirname(jounce.__file__), "_jounce.pyi")


def names_of(function):
    a = function.args
    return [x.arg for x in a.posonlyargs + a.args + a.kwonlyargs] + ([a.kwarg.arg] if a.kwarg else [])


class Stub(unittest.TestCase):
    def setUp(self):
        with open(STUB) as file:
            self.tree = ast.parse(file.read())
        self.classes = {n.name: n for n in self.tree.body if isinstance(n, ast.ClassDef)}

    def test_everything_is_listed(self):
        listed = set(self.classes) | {n.name for n in self.tree.body if isinstance(n, ast.FunctionDef)}
        listed |= {n.target.id for n in self.tree.body if isinstance(n, ast.AnnAssign)}
        self.assertEqual({n for n in jounce.__all__} - listed, set())
        self.assertEqual({n for n in listed if not hasattr(_jounce, n)}, set())
        self.assertTrue(os.path.exists(os.path.join(os.path.dirname(STUB), "py.typed")))

    def test_methods_and_their_arguments(self):
        count = 0
        for name, node in self.classes.items():
            real = getattr(_jounce, name)
            if issubclass(real, (BaseException, tuple)):
                continue
            stub = {n.name: n for n in node.body if isinstance(n, ast.FunctionDef)}
            stub.update({n.target.id: n for n in node.body if isinstance(n, ast.AnnAssign)})
            public = {n for n in vars(real) if not n.startswith("_")}
            self.assertEqual(public, {n for n in stub if not n.startswith("_")}, name)
            for n in public:
                member = getattr(real, n)
                self.assertTrue(member.__doc__, "%s.%s has no docstring" % (name, n))
                if callable(member):
                    signature = inspect.signature(member)
                    self.assertEqual(list(signature.parameters), names_of(stub[n]), "%s.%s" % (name, n))
                    count += 1
        print("%d methods" % count)
        self.assertGreater(count, 60)

    def test_named_tuples(self):
        for name, node in self.classes.items():
            real = getattr(_jounce, name)
            if issubclass(real, tuple):
                self.assertEqual(list(real.__match_args__), [n.target.id for n in node.body], name)

    def test_results_are_named_tuples(self):
        result = jounce.Model("pendulum").inverse_partials([0.1], [[0.2], [0.3]])
        self.assertEqual(list(result._asdict()), ["dq", "dv"])
        self.assertIs(type(result)(*result).dq, result.dq)


# what a type checker says of a program: an error where the line says so
PROGRAM = """
import numpy as np
import jounce
robot = jounce.Model("tilthex", representation="body", threads=2)
q, v = robot.state({"q2": 0.1}, {"q2": [1.0, 2.0]}, order=1)
elbow: float = float(robot.by_joint(q, v)["q2"]["v"][0, 0])
tau = robot.inverse_dynamics(q, v, external=[("B4", np.zeros((2, 6)), "hybrid")])
total: float = tau.sum() + robot.limits.effort[0]
dq = robot.inverse_partials(q, v).dq
names: tuple[str, ...] = robot.joint_names
spec = jounce.Spec("x").add_link("a", 1.0).add_constraint("c", "weld", "a")
motion = jounce.Trajectory.minimum(robot, [0, 1], [q, q])
speed, when = motion.tool_peak("B4")
files: dict[str, str] = robot.generate(inverse=[0, 1])
sim = jounce.Simulation(robot, "rkmk4", step=1e-3)
try:
    sim.run_to(1.0)
except jounce.SingularError as error:
    where: str | None = error.joint
robot.inverse_dynamics(q)  # error
robot.inverse_dynamics(q, v, exernal=[])  # error
jounce.Model("x", representation="bdy")  # error
robot.inverse_partials(q, v).dtau  # error
wrong: int = robot.joint_names  # error
jounce.Simulation("arm6")  # error
spec.add_joint("j", "revolut", None, "a")  # error
robot.state([1, 2])  # error
robot.nq = 3  # error
"""


@unittest.skipUnless(os.environ.get("JOUNCE_TYPES"), "three minutes: 'make test-types' runs it")
class Checker(unittest.TestCase):
    def run_tool(self, *command, folder):
        environment = dict(os.environ, MYPYPATH=os.path.dirname(os.path.dirname(STUB)), MYPY_CACHE_DIR=os.path.join(
            folder, "cache"))
        done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        return done.stdout

    def test_a_program(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "program.py"), "w") as file:
                file.write(PROGRAM)
            told = self.run_tool("mypy", "--strict", "--no-error-summary", "--allow-untyped-calls", "program.py",
                                 folder=folder)
        lines = {int(n) for n in re.findall(r"^program\.py:(\d+): error", told, re.M)}
        wanted = {i + 1 for i, line in enumerate(PROGRAM.split("\n")) if "# error" in line}
        self.assertEqual(lines, wanted, told)
        print("mypy finds the %d wrong lines" % len(wanted))

    def test_the_stub_is_the_module(self):
        if subprocess.run([sys.executable, "-c", "import mypy.stubtest"], stderr=subprocess.DEVNULL).returncode:
            self.skipTest("mypy belongs to another Python")
        with tempfile.TemporaryDirectory() as folder:
            told = self.run_tool(sys.executable, "-m", "mypy.stubtest", "--concise", "jounce._jounce", folder=folder)
        with open(STUB) as file:  # names of types are in the stub alone
            aliases = {"jounce._jounce.%s is not present at runtime" % n for n in
                       re.findall(r"^(\w+) = ", file.read(), re.M)}
        self.assertEqual(set(told.strip().split("\n")) - aliases - {""}, set())


if __name__ == "__main__":
    main()
