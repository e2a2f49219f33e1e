"""Every function and method of the module: valid calls leak nothing, and an argument of any kind in any place raises an ordinary
exception, leaks nothing, and never ends the interpreter."""
import gc
import inspect
import itertools
import sys
import tracemalloc
import unittest
import warnings

import numpy as np

import jounce
from support import main

ORDINARY = (TypeError, ValueError, IndexError, KeyError, OSError, OverflowError, MemoryError, jounce.Error)
JUNK = [None, -1, 0, 3, 1 << 70, 1e308, float("nan"), -0.5, "", "no\x00name", "\ud800", b"x", True, [], [[]], [None], ["a"], [[1, 2], [3]],
        (), {}, {"a": 1}, object(), int, iter([1.0]), np.zeros(0), np.zeros((0, 3)), np.zeros((2, 2, 2, 2)), np.full(6, np.nan),
        np.array("x"), np.array([None] * 6, object), np.zeros(6, np.complex128), np.zeros(6, np.int8), np.zeros(12)[::2], 1j,
        range(6), slice(None), Ellipsis, lambda *a: None, jounce.Model("pendulum"), jounce.Model]
# they write files, start processes, or run on with what is given
LEFT_OUT = {"save", "save_json", "save_urdf", "run", "shard", "robot", "expand", "load", "extend", "sweep", "run_to"}
KEEPS = {"Simulation.set_active"}  # what was given is part of the object, and of its copies
CALLS = 12


def spec():
    s = jounce.Spec("two")
    s.add_link("base")
    s.add_link("arm", mass=1, com=(0.1, 0.2, 0.3), inertia=np.eye(3) * 0.1)
    s.add_joint("hinge", "revolute", "base", "arm", axis=(0, 1, 0))
    return s


def values(model):
    """Names of parameters, and what may be given for them."""
    nv, q = model.nv, model.home()
    times, eye = [0.0, 1.0, 2.0], np.eye(4)
    path = [[0.1 * (i + j) for i in range(nv)] for j in range(3)]
    rows = [0.1 * np.ones((n, nv)) for n in (1, 2, 3)]
    return dict(
        q=[q, path], q0=[q], q1=[q + 0.1], p=[rows[0][0], (0, 0, 0)], v=rows + [None], tau=rows, dq=[np.ones(nv)] + rows, dv=rows, dtau=rows,
        weight=[np.ones(nv)] + rows, B=[np.ones((nv, 2)), np.ones(nv), np.ones((2, 2))], frame=["link3", 0], joint=["joint2", "hinge", 0], body=["link3", 2],
        point=[(0.1, 0, 0)], prescribed=[[True] * len(model.joints), [1] * nv], given=[[True] * nv], h=[0.01], stiffness=[100 * np.ones(nv)],
        motor_inertia=[0.1 * np.ones(nv)], twists=[np.zeros((n, nv, 6)) for n in (1, 2)], pose=[(0.4, 0.2, 0.5)], t=[0.5], times=[times], c=[[[0.1] * nv] * 3],
        w=[2.0, (0.1, 0.2, 0.3)], a=[[[0.1] * nv] * 2], b=[[[0.1] * nv] * 2, [[0.1] * nv]], text=['{"kind": "minimum", "times": [0, 1], "joints": {}}'],
        clock=[np.array([[0, 0, 1, 0, 0], [2, 2, 1, 0, 0.0]])], factor=[2.0], velocity=[1.0], effort=[100.0], samples=[50], order=[1, 0, None], x=[np.ones(3), np.ones((3, 3)), np.ones((3, 6))], y=[np.ones(3), np.ones((3, 3))],
        V=[np.ones(6), np.ones((3, 6))], U=[np.ones((3, 6))], W=[np.ones((3, 6))], A=[np.ones((3, 6)), np.eye(2), np.tile(eye, (3, 1, 1)), np.ones(6)],
        from_=["body"], to=["spatial"], R=[np.eye(3), np.tile(np.eye(3), (3, 1, 1))], T=[eye, None], mass=[1.0], inertia=[np.eye(3), "default"], model=[model],
        name=["new"], type=["revolute"], parent=["arm"], child=["other"], link=["arm"], theta=[np.zeros(nv)], theta_dot=[np.zeros(nv)], active=[[], None],
        t_max=[0.01], quantity=["J", "jacobian"], operator=["J"], column=[0], columns=[()], thrust=[np.ones(6)], wrench=[np.ones(6)], omega=[np.ones(6)], c_f=[1.0],
        form=["spatial"], degree=[3, 5], derivative=[3], start=[0], end=[1], armature=[0.1], representation=["spatial", "body"])


def callables():
    """(name, function, model for its arguments)"""
    arm, flying, loop = jounce.Model("arm6"), jounce.Model("tilthex"), jounce.Model("fourbar")
    path = jounce.Trajectory.minimum(arm, [0, 1, 2], [[0.1 * (i + j) for i in range(6)] for j in range(3)])
    state = arm.kinematics(arm.home(), 0.1 * np.ones((2, 6)))
    for owner, objects in ((jounce.Model, [arm, flying, loop]), (jounce.Trajectory, [path]), (jounce.Simulation, [jounce.Simulation(arm)]), (jounce.Spec, [spec()]),
                           (jounce.Kinematics, [state]), (jounce.CMTM, [jounce.CMTM(np.eye(4), np.ones((3, 6)))]), (jounce, [jounce])):
        for name in dir(owner):
            f = getattr(owner, name)
            if name.startswith("_") or name in LEFT_OUT or not callable(f) or isinstance(f, type):
                continue
            rotors, loops = "rotor" in name, any(w in name for w in ("constrain", "assemble", "impact", "consistent"))
            o = objects[(1 if rotors else 2 if loops else 0) % len(objects)]
            yield f"{owner.__name__}.{name}", getattr(o, name), o if isinstance(o, jounce.Model) else arm


def traced(call):
    """Bytes that `CALLS` calls leave behind, and the error of the last."""
    error = None
    for n in range(CALLS + 3):
        if n == 3:
            gc.collect()
            before = tracemalloc.get_traced_memory()[0]
        try:
            call()
            error = None
        except ORDINARY as e:
            error = type(e)
    del call
    gc.collect()
    return tracemalloc.get_traced_memory()[0] - before, error


class EveryCall(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        warnings.filterwarnings("error", message="Casting complex")  # a number would lose its imaginary part
        tracemalloc.start()

    def tearDown(self):
        tracemalloc.stop()
        warnings.resetwarnings()

    def valid(self, f, names, model):
        known = values(model)
        choices = [known.get(n, [None]) for n in names]
        for chosen in itertools.islice(itertools.product(*choices), 60):
            given = [np.array(c) if isinstance(c, np.ndarray) else c for c in chosen]
            try:
                f(*given)
                return given
            except ORDINARY:
                pass
        return None

    def test_arguments(self):
        tried, calls, no_valid = 0, 0, []
        for name, f, model in callables():
            parameters = [p for p in inspect.signature(f).parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
            needed = [p.name for p in parameters if p.default is p.empty]
            given = self.valid(f, needed, model)
            if given is None:
                no_valid.append(name)
                given = [values(model).get(n, [None])[0] for n in needed]
            else:
                before = [sys.getrefcount(x) for x in given]
                left, error = traced(lambda: f(*given))
                if name not in ("Spec.add_link", "Spec.add_frame", "Spec.add_joint", "Spec.add_constraint", "Spec.add_rotor", "Simulation.step"):
                    self.assertLess(left, 8 * CALLS, f"{name} leaks {left} bytes in {CALLS} calls ({error})")
                self.assertEqual(before, [sys.getrefcount(x) for x in given], f"{name} keeps references to its arguments")
                tried += 1
            for at in range(len(parameters)):
                # every second one in turn; retiming and the search for extremes take long
                slow = name.split(".")[1] in ("retime", "retime_batch", "limits", "limits_batch", "tool_peak", "fit",
                                              "inverse_kinematics")
                for junk in JUNK[at % 6::6] if slow else JUNK[at % 2::2]:
                    words = {}
                    wrong = list(given)
                    if at < len(wrong):
                        wrong[at] = junk
                    elif parameters[at].kind == parameters[at].POSITIONAL_ONLY:
                        continue
                    else:
                        words[parameters[at].name] = junk
                    count = sys.getrefcount(junk)
                    try:
                        f(*wrong, **words)
                    except ORDINARY as e:
                        self.assertTrue(str(e), f"{name}: an error without a word")
                    except Exception as e:
                        self.fail(f"{name}, argument {parameters[at].name} = {junk!r:.60}: {type(e).__name__}: {e}")
                    calls += 1
                    if "add_" not in name and name not in KEEPS and type(junk) in (np.ndarray, list, dict, object, float):
                        self.assertEqual(sys.getrefcount(junk), count, f"{name}, argument {parameters[at].name} = {junk!r:.60}: a reference leaks")
        print(f"{tried} functions with valid arguments, {calls} calls with others; none valid: {' '.join(sorted(set(no_valid)))}")

    def test_words(self):
        """Keywords that no function has, and too many arguments."""
        for name, f, model in callables():
            for arguments, words in (([], {"nonsense": 1}), ([None] * 40, {}), ([], {"out": object()})):
                with self.assertRaises(ORDINARY, msg=name):
                    f(*arguments, **words)
                    if "out" in words or not inspect.signature(f).parameters:
                        raise TypeError("nothing is needed")


if __name__ == "__main__":
    main()
