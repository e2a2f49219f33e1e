"""Bad input: exceptions with the library's messages, never a crash; nothing leaks."""
import gc
import os
import random
import resource
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import jounce
from support import main, random_state


def setUpModule():
    """Random arguments may be names of files to write, so the tests run in a temporary folder."""
    scratch, home = tempfile.TemporaryDirectory(), os.getcwd()
    os.chdir(scratch.name)
    unittest.addModuleCleanup(scratch.cleanup)
    unittest.addModuleCleanup(os.chdir, home)


class Memory(unittest.TestCase):
    def test_memory_that_is_refused_is_an_exception(self):
        """Python refuses the n-th request of a call, n = 1, 2, ...: MemoryError, or the call did without."""
        try:
            from _testcapi import remove_mem_hooks, set_nomemory
        except ImportError:
            self.skipTest("this Python has no test interface")
        robot, t = jounce.Model("double_pendulum"), np.linspace(0, 1, 60)
        q, v = random_state(robot, 2)
        samples = np.stack([np.sin(3 * t), np.cos(2 * t)], 1)
        path = jounce.Trajectory.minimum(robot, [0, 2], [[0, 0], [1, -1]])
        calls = {"fit": lambda: jounce.Trajectory.fit(robot, t, samples, tolerance=0),
                 "at": lambda: path.at(0.5, order=2), "limits": lambda: path.limits(effort=40),
                 "inverse dynamics": lambda: robot.inverse_dynamics(q, v),
                 "partial derivatives": lambda: robot.inverse_partials(q, v)}
        refused = {}
        for name, call in calls.items():
            call()
            refused[name] = passed = n = 0
            while passed < 20:
                n += 1
                set_nomemory(n, n + 1)
                try:
                    call()
                except MemoryError:
                    remove_mem_hooks()
                    refused[name] += 1
                else:
                    remove_mem_hooks()
                    passed += 1
        self.assertGreater(refused["fit"], 10)  # a small array may come from a cache


class Refusals(unittest.TestCase):
    def setUp(self):
        self.robot = jounce.Model("tilthex")
        self.q, self.v = random_state(self.robot, 3)

    def test_shapes(self):
        r, q, v = self.robot, self.q, self.v
        for bad in (lambda: r.inverse_dynamics(q[:-1], v), lambda: r.inverse_dynamics(q, v[:, :-1]),
                    lambda: r.inverse_dynamics(q, v[0]), lambda: r.inverse_dynamics(q, v[:1]),
                    lambda: r.inverse_dynamics(0.0, v), lambda: r.inverse_dynamics(q, v[None, :1]),
                    lambda: r.inverse_dynamics(np.stack([q, q]), np.stack([v] * 3)),
                    lambda: r.forward_dynamics(q, v, v[:2]), lambda: r.mass_matrix(q[None, :, None]),
                    lambda: r.inverse_dynamics(q, v, out=np.empty((1, r.nv))),
                    lambda: r.inverse_dynamics(q, v, out=np.empty((2, r.nv), np.float32)),
                    lambda: r.inverse_dynamics(q, v, out=np.empty((r.nv, 2)).T),
                    lambda: r.inverse_dynamics(q, v, out=v[:2]),
                    lambda: r.inverse_partials(q, v, out=(np.empty(1),)),
                    lambda: r.inverse_mass_apply(q, v[0]), lambda: r.linearise(q, v[0], v[0], map=v),
                    lambda: r.linearise(q, v[0], v[0], input="map"),
                    lambda: r.hybrid_dynamics(q, v, v, []),
                    lambda: r.inverse_dynamics(q, v, external=[("B4", np.zeros(6))]),
                    lambda: r.inverse_dynamics(q, v, tau_ext=np.zeros(3)),
                    lambda: r.inverse_dynamics(q, v, external=[("nowhere", np.zeros((2, 6)))]),
                    lambda: r.inverse_dynamics(q, v, external=[("B4",)]),
                    lambda: r.frame_pose(q, "nowhere"), lambda: r.frame_pose(q, 1000),
                    lambda: r.frame_pose(q, -1), lambda: r.kinematics(q, np.zeros((0, r.nv))),
                    lambda: r.kinematics(q, v).twist("B4", order=7),
                    lambda: r.with_settings(representation="world"),
                    lambda: r.with_settings(threads=-1), lambda: jounce.Model("tilthex", layout="x"),
                    lambda: r.frame_twist(q, v, "B4", in_representation="worldly"),
                    lambda: jounce.Layout(r, "opensim"), lambda: jounce.to_taylor(np.zeros((0, 3))),
                    lambda: jounce.Model("tilthex").rotor_wrench(np.zeros((1, 1000))),
                    lambda: jounce.zero_order_hold(np.eye(2), np.eye(3), 1),
                    lambda: jounce.Simulation(r, "rkmk4"), lambda: jounce.Simulation(r, "euler"),
                    lambda: jounce.Simulation(r, table=([1, 0], np.zeros((2, r.nv)))),
                    lambda: jounce.Simulation(r, tau=np.zeros(3))):
            with self.assertRaises(jounce.ArgumentError):
                bad()

    def test_types(self):
        r, q, v = self.robot, self.q, self.v
        for bad in (lambda: r.inverse_dynamics(None, v), lambda: r.inverse_dynamics(q, "v"),
                    lambda: r.inverse_dynamics(q), lambda: r.inverse_dynamics(),
                    lambda: r.inverse_dynamics(q, v, q, v), lambda: r.inverse_dynamics(q, v, w=1),
                    lambda: r.inverse_dynamics(q, v, q=q), lambda: r.inverse_dynamics(q + 1j, v),
                    lambda: r.inverse_dynamics(q, v, out=[1.0]), lambda: r.inverse_dynamics(q, [v, 1]),
                    lambda: r.inverse_dynamics(q, v, external=3), lambda: r.frame_pose(q, 1.5),
                    lambda: r.hybrid_dynamics(q, v, v[:2], "q2"), lambda: r.hybrid_dynamics(q, v, v[:2], [None]),
                    lambda: jounce.Model(), lambda: jounce.Model(3), lambda: jounce.Model("tilthex", colour=1),
                    lambda: jounce.Simulation(3), lambda: jounce.Simulation(r, state=3),
                    lambda: jounce.Simulation(r, events=[3]), lambda: jounce.Kinematics(),
                    lambda: jounce.Trajectory(), lambda: jounce.Layout(3, "mujoco"),
                    lambda: jounce.Spec(3), lambda: jounce.Spec("x").add_link(3),
                    lambda: jounce.Spec("x").add_joint("j", "revolute", None),
                    lambda: jounce.Spec.parse_urdf(3), lambda: r.linearise_step(q, v[0], v[0], "h"),
                    lambda: r.kinematics(q, v).twist(object()),
                    lambda: jounce.Trajectory.minimum(3, [0], [q])):
            with self.assertRaises(TypeError):
                bad()

    def test_messages_are_the_library_s(self):
        r, q, v = self.robot, self.q.copy(), self.v.copy()
        v[1, 3] = np.nan
        with self.assertRaisesRegex(jounce.NotFiniteError,
                                    r"^a number in the state or in the result is not finite: v\[1, 3\] of "
                                    "'base:vx' is nan$") as e:
            r.inverse_dynamics(q, v)
        self.assertIsInstance(e.exception, ValueError)
        self.assertEqual(e.exception.status, 7)
        q[:4] = 0
        with self.assertRaisesRegex(jounce.PoseError, r"^a rotation or pose is not in SO\(3\) or SE\(3\): the "
                                    "quaternion of 'base' in q has length 0$"):
            r.mass_matrix(q)
        with self.assertRaises(jounce.NotFiniteError):
            r.mass_matrix(np.full(r.nq, np.inf))
        with self.assertRaises(jounce.NotFiniteError):
            r.inverse_dynamics(self.q, np.full((3, r.nv), 1e308))
        with self.assertRaises(jounce.LimitError):
            jounce.Model("double_pendulum").inverse_dynamics(np.zeros(2), np.zeros((1003, 2)))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "bad.urdf")
            with open(path, "w") as file:
                file.write("<robot name='r'>\n<link name='a'/>\n<link name='b'/>\n"
                           "<joint name='elbow' type='revolute'>\n<parent link='a'/><child link='b'/>\n"
                           "<axis xyz='0 0 0'/><limit effort='1' velocity='1'/></joint></robot>")
            with self.assertRaisesRegex(jounce.Error, "joint 'elbow': axis has zero length") as e:
                jounce.Model(path)
            self.assertEqual((e.exception.file, e.exception.line), (path, 4))
            with self.assertRaises(jounce.FileError) as e:
                jounce.Model(os.path.join(folder, "none.urdf"))
            self.assertIsInstance(e.exception, OSError)
        with self.assertRaises(jounce.Error):
            jounce.Model("no such robot")
        with self.assertRaises(ValueError):
            jounce.Model("a\0b")
        for text in ("", "<", "<robot", "\0" * 10, b"\xff\xfe", "{}", "<robot name='x'/>"):
            with self.assertRaises(jounce.Error):
                jounce.Spec.parse_urdf(text).build()
            with self.assertRaises(jounce.Error):
                jounce.Spec.parse_json(text).build()

    def test_lost_digits_are_found(self):
        spec = jounce.Spec("slide").add_link("base").add_link("a", 1, com=[0.3, 0, 0], inertia=[1, 1, 1])
        spec.add_link("b", 1, com=[0, 0.5, 0], inertia=[1, 1, 1]).add_joint("slide", "prismatic", "base", "a", axis=[1, 0, 0])
        robot = spec.add_joint("turn", "revolute", "a", "b", axis=[0, 0, 1]).build()
        near, far, v, tau = [0.3, -0.4], [3e6, -0.4], [1.0, 2.0], [0.5, 0.1]
        a, error = robot.forward_dynamics_error(near, v, tau)
        self.assertTrue(np.array_equal(a, robot.forward_dynamics(near, v, tau)))
        self.assertLess(error, 1e-14)
        self.assertEqual(robot.forward_dynamics_error([near, far], v, [[tau, tau]] * 2).error.shape, (2, 2))
        spatial = robot.with_settings(formulation="spatial")
        spatial.forward_dynamics(near, v, tau)
        for call in (spatial.forward_dynamics, spatial.forward_dynamics_error):
            with self.assertRaisesRegex(jounce.DigitsError, "too few digits"):
                call(far, v, tau)

    def test_a_joint_that_moves_no_mass_is_named(self):
        spec = jounce.Spec("light").add_link("a", 1, inertia=[1, 1, 1]).add_link("b")
        spec.add_joint("wrist", "revolute", "a", "b")
        robot = spec.build()
        with self.assertRaises(jounce.SingularError) as e:
            robot.forward_dynamics([0.0], [0.0], [1.0])
        self.assertEqual(e.exception.joint, "wrist")

    def test_a_failed_call_leaves_out_as_it_was(self):
        out = np.full((2, self.robot.nv), 7.0)
        bad = self.v.copy()
        bad[0, 0] = np.nan
        with self.assertRaises(jounce.NotFiniteError):
            self.robot.inverse_dynamics(self.q, bad, out=out)
        self.assertTrue((out == 7).all())

    def test_read_only_and_odd_memory(self):
        q = self.q.copy()
        q.flags.writeable = False
        want = self.robot.mass_matrix(self.q)
        np.testing.assert_array_equal(self.robot.mass_matrix(q), want)
        raw = np.zeros(8 * self.robot.nq + 1, np.uint8)
        unaligned = raw[1:].view(np.float64)
        unaligned[:] = self.q
        np.testing.assert_array_equal(self.robot.mass_matrix(unaligned), want)
        out = want.copy()
        out.flags.writeable = False
        with self.assertRaises(jounce.ArgumentError):
            self.robot.mass_matrix(self.q, out=out)

    def test_random_arguments(self):
        """Every method with invalid arguments of every kind: an exception or a result, never a crash."""
        pick = random.Random(1)
        r = self.robot
        things = [None, 0, -1, 1.5, "B4", "q2", "body", [], (), {}, b"x", 10 ** 30, float("nan"), object(),
                  self.q, self.v, self.v[0], np.zeros((0, r.nq)), np.zeros((2, r.nq)), np.zeros((2, 3, r.nv)),
                  np.array(["a"]), np.zeros(r.nv), np.eye(r.nv), np.full(r.nq, np.nan), [self.q, self.v], r,
                  np.zeros((1,) * 32), np.zeros((2, 0)), [("B4", np.zeros(6))], lambda *a: 0]
        kinematics = r.kinematics(self.q, self.v)
        layout = jounce.Layout(r, "rbdl")
        motion = jounce.Trajectory.half_cosine(r, [0, 1], [self.q, self.q])
        simulation = jounce.Simulation(r)
        targets = [getattr(o, n) for o in (r, r.with_settings(layout="rbdl"), kinematics, layout, motion,
                                           jounce.Spec("x"), jounce, jounce.Trajectory)
                   for n in dir(o) if not n.startswith("_") and callable(getattr(o, n))
                   and n != "save_json"]
        targets += [simulation.set_state, simulation.set_tau, simulation.set_motor, simulation.at]
        keys = ["out", "external", "tau_ext", "frame", "v", "order", "in_representation", "map", "input", "layout"]
        answers = refused = 0
        for _ in range(12000):
            target = pick.choice(targets)
            args = [pick.choice(things) for _ in range(pick.randrange(5))]
            kw = {pick.choice(keys): pick.choice(things) for _ in range(pick.randrange(3))}
            try:
                target(*args, **kw)
                answers += 1
            except MemoryError:
                raise
            except Exception:
                refused += 1
        print("%d answers, %d refusals" % (answers, refused))
        self.assertGreater(answers, 50)


class Leaks(unittest.TestCase):
    def test_nothing_grows(self):
        robot = jounce.Model("tilthex", representation="body")
        q, v = random_state(robot, 3)
        tau = robot.inverse_dynamics(q, v)
        theirs = robot.with_settings(layout="pinocchio")
        q2 = jounce.Layout(robot, "pinocchio").export_q(q)
        out = np.empty((2, robot.nv))
        bad = np.full((3, robot.nv), np.nan)

        def refused(call, *args, **kw):
            try:
                call(*args, **kw)
            except Exception:
                return
            raise AssertionError("not refused")

        def once():
            robot.inverse_dynamics(q, v)
            robot.inverse_dynamics(q, v, out=out, external=[("B4", np.zeros((2, 6)))], tau_ext=tau)
            robot.inverse_dynamics(np.stack([q, q]), np.stack([v, v]))
            robot.inverse_partials(q, v)
            robot.hybrid_dynamics(q, v, tau, ["q2"])
            robot.linearise(q, v[0], tau[0], map=np.eye(robot.nv))
            theirs.inverse_partials(q2, v)
            k = robot.kinematics(q, v)
            k.pose("B4"), k.jacobian("B4"), k.cmtm("q2"), k.comprehensive_matrix("L")
            robot.with_settings(gravity=[0, 0, 0]).mass_matrix(q)
            robot.joints, robot.bodies, robot.frames, robot.dofs
            motion = jounce.Trajectory.minimum(robot, [0, 1], [q, q])
            motion.at([0.1, 0.2], 2), motion.scaled(2)
            refused(robot.inverse_dynamics, q, bad)
            refused(robot.inverse_dynamics, q, v, out=v)
            refused(robot.inverse_dynamics, q, v, external=[("x", v)])
            refused(robot.inverse_dynamics, q, "v")
            refused(theirs.inverse_dynamics, q2, bad)
            refused(jounce.Spec.parse_urdf, "<")
            refused(jounce.Model, "nothing")
            refused(motion.at, 5)

        def rarely():
            jounce.Model("pendulum")
            jounce.Spec.load("pendulum").build(layout="rbdl")
            events = [lambda t, q, v: 1.0]
            sim = jounce.Simulation(robot, "rkmk54", state=lambda t, q, v: -v, events=events)
            events.append(sim)  # a cycle through the list, which is copied
            sim.run_to(0.01), sim.state

        self.grow(once, 300, "calls")
        self.grow(rarely, 60, "objects")

    def grow(self, call, count, name):
        def blocks():
            gc.collect()
            return sys.getallocatedblocks()

        for _ in range(count):
            call()
        grown, memory = count, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(3):  # the least of three: free lists of the interpreter come and go
            before = blocks()
            for _ in range(count):
                call()
            grown = min(grown, blocks() - before)
        more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory
        print("%s: %d blocks and %d kB more after %d rounds" % (name, grown, more, count))
        self.assertLess(grown, count // 4)
        self.assertLess(more, 4096)

    def test_references_of_arguments(self):
        robot = jounce.Model("tilthex")
        q, v = random_state(robot, 3)
        out = np.empty((2, robot.nv))
        before = [sys.getrefcount(x) for x in (q, v, out, robot)]
        for _ in range(100):
            robot.inverse_dynamics(q, v, out=out)
            robot.inverse_partials(q, v)
            robot.kinematics(q, v)
        self.assertEqual([sys.getrefcount(x) for x in (q, v, out, robot)], before)

    def test_references_of_what_is_imported(self):
        """A module may keep namedtuple; the types made by it may not, of which there are dozens."""
        code = ("import collections, sys, numpy; before = sys.getrefcount(collections.namedtuple); import jounce; "
                "print(sys.getrefcount(collections.namedtuple) - before)")
        more = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        self.assertLess(int(more), 5)

    def test_objects_keep_what_they_need(self):
        q = jounce.Model("tilthex").home()
        kinematics = jounce.Model("tilthex").kinematics(q)
        layout = jounce.Layout(jounce.Model("tilthex"), "mujoco")
        view = jounce.Model("tilthex").with_settings(layout="drake")
        simulation = jounce.Simulation(jounce.Model("tilthex"))
        gc.collect()
        kinematics.pose("B4"), layout.q_index, view.mass_matrix(q), simulation.run_to(0.1)


def torques(threads):
    """In a child process: a batch with threads, with a model of its own."""
    robot = jounce.Model("tilthex", threads=threads)
    q, v = np.tile(robot.home(), (64, 1)), np.ones((64, 2, robot.nv))
    return robot.inverse_dynamics(q, v)


class Unlucky(unittest.TestCase):
    def test_lists_where_tuples_are_expected(self):
        robot = jounce.Model("double_pendulum")
        times, tau = [0.0, 0.5, 1.0], [[0.0, 0.0], [1.0, 0.5], [0.0, 0.0]]
        for name, value in (("table", (times, tau)), ("polynomial", (0.0, tau)),
                            ("fourier", (2.0, tau, tau))):
            a = jounce.Simulation(robot, **{name: value})
            b = jounce.Simulation(robot, **{name: list(value)})
            a.run_to(0.7), b.run_to(0.7)
            np.testing.assert_array_equal(a.q, b.q)
            for bad in (3, "ab", {1: 2, 3: 4}, np.zeros(2), None, [], [1.0], (1.0, 2.0, 3.0, 4.0),
                        [None, None], [None, None, None], ["a", "b"], [[], []], [object(), 2.0]):
                if bad is None:
                    continue
                with self.assertRaises((TypeError, ValueError)):
                    jounce.Simulation(robot, **{name: bad})
        wrench = np.zeros(6)
        a = jounce.Simulation(robot, external=[["link2", wrench]])
        a.run_to(0.1)
        for bad in ([3], ["link2"], [["link2"]], [[None, None]], [["link2", wrench, "body", 1]]):
            with self.assertRaises((TypeError, ValueError, LookupError)):
                jounce.Simulation(robot, external=bad)

    def test_jets_are_finite_or_refused(self):
        for scale in (jounce.to_taylor, jounce.to_derivatives):
            for bad in (np.nan, np.inf, -np.inf):
                with self.assertRaises(jounce.NotFiniteError):
                    scale(np.array([[1.0, 2.0], [bad, 1.0]]))
            with self.assertRaises(jounce.NotFiniteError):
                jounce.to_derivatives(np.ones((200, 1)))  # 171! is not a double
            np.testing.assert_array_equal(scale(np.ones((2, 3))), np.ones((2, 3)))

    def test_processes_of_a_pool(self):
        import multiprocessing
        want = torques(4)  # starts the threads of this process
        with multiprocessing.get_context("fork").Pool(2) as pool:
            for got in pool.map_async(torques, [4, 2, 4, 1]).get(timeout=120):
                np.testing.assert_array_equal(got, want)
        np.testing.assert_array_equal(torques(4), want)

    def test_an_unknown_instruction_set_is_reported(self):
        import subprocess
        program = "import jounce; print(jounce.Model('pendulum').engine)"
        for isa, warns in (("plain", False), ("avx3", True), ("", False)):
            result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                                    env=dict(os.environ, JOUNCE_ISA=isa), check=True)
            self.assertEqual("JOUNCE_ISA=avx3 is not an instruction set" in result.stderr, warns)
            if isa:
                self.assertEqual(result.stdout.strip(), "plain")


if __name__ == "__main__":
    main()
