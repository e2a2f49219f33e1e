"""pickle, copy and deepcopy of every object: the same bits come back, without the files they came from."""
import copy
import os
import pickle
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import jounce
from support import SHARED, SOURCE, main, random_state


def round_trips(thing):
    """The object through every protocol of pickle, and through copy and deepcopy."""
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        yield pickle.loads(pickle.dumps(thing, protocol))
    yield copy.copy(thing)
    yield copy.deepcopy(thing)


def models():
    """Robots with everything a description can hold."""
    yield from (jounce.Model(name) for name in jounce.builtins())
    yield jounce.Model("tilthex", layout="pinocchio", threads=2, damping=True)
    yield jounce.Model("arm7", root="floating", representation="hybrid", formulation="spatial", strict=True)
    yield jounce.Model("humanoid", layout="mujoco", gravity=[0.1, -0.2, -3.7])
    spec = jounce.Spec("odd names \u00e9 \"quoted\" \\ and 1/3")
    spec.gravity = [1 / 3, -0.0, -9.80665]
    spec.add_link("a", 1 / 3, com=[0.1, 1e-300, -1 / 7], inertia=np.diag([0.3, 0.2, 0.15]) + 1e-3)
    spec.add_link("b", 2 / 7, com=[0, 0.1, 0], inertia=[0.1, 0.2, 0.15])
    spec.add_joint("root", "free", None, "a")
    spec.add_joint("screw", "helical", "a", "b", axis=[1, 2, 3], pitch=0.1, armature=0.01 / 3, damping=0.1,
                   friction=0.2, lower=-1 / 3, upper=2 / 3, velocity=1.1, effort=5, acceleration=7, jerk=11,
                   effort_rate=13)
    for i, kind in enumerate(("cylindrical", "planar", "universal", "spherical", "prismatic", "fixed")):
        spec.add_link("c%d" % i, 0.3 + i / 7, com=[0, 0.1, i / 3], inertia=[0.1, 0.2, 0.15])
        spec.add_joint("j%d" % i, kind, "b", "c%d" % i, axis=[1, i / 3, 2], axis2=[3, -1, 0] if i == 2 else None,
                       R=jounce.so3_exp([0.1, i / 3, 0.2]), p=[0.1, 0.2, i / 9])
    spec.add_frame("tip", "c0", R=jounce.so3_exp([1, 2, 3]), p=[1 / 3, 0, 0])
    spec.add_rotor("propeller", "a", c_f=1e-5 / 3, c_d=1e-7, spin=-1, p=[0.1, 0, 0], idle=10, speed=900,
                   thrust=8, thrust_rate=30)
    yield spec.build()
    yield spec.build(strict=True, gravity=[0, 0, 0])


class Models(unittest.TestCase):
    def same(self, a, b):
        for name in ("name", "nq", "nv", "joints", "bodies", "frames", "constraints", "mass", "gravity", "dofs",
                     "coordinates", "representation", "formulation", "damping", "strict", "threads", "layout"):
            self.assertEqual(getattr(a, name), getattr(b, name), name)
        for x, y in zip(a.rotors, b.rotors):
            for key in x:
                np.testing.assert_array_equal(x[key], y[key])
        q, v = random_state(a.with_settings(layout="jounce"), 4)
        layout = jounce.Layout(a, a.layout)
        q, v = layout.export_q(q), layout.export_rows(v)
        for call in (lambda m: m.inverse_dynamics(q, v), lambda m: m.mass_matrix(q),
                     lambda m: m.forward_dynamics(q, v[0], v[1:3]), lambda m: m.home()):
            self.assertEqual(call(a).tobytes(), call(b).tobytes())
        if any(j["leader"] >= 0 for j in a.joints):
            return  # eliminated mimic joints: the model has no constraints
        closure = [m.constraint_closure(q, v[:2]) for m in (a, b)]
        for x, y in zip(*closure):
            self.assertEqual(x.tobytes(), y.tobytes())

    def test_every_number_comes_back(self):
        count = 0
        for model in models():
            for again in round_trips(model):
                self.same(model, again)
                count += 1
        print("%d round trips of models" % count)

    def test_without_their_files(self):
        urdf = os.path.join(SOURCE, "tests", "data", "odd")
        files = [os.path.join(urdf, f) for f in sorted(os.listdir(urdf)) if f.endswith((".urdf", ".xml", ".xacro"))]
        robots = os.path.join(SHARED, "robots")
        if os.path.isdir(robots):
            files += [os.path.join(robots, r, "model.urdf") for r in ("ur5", "panda7", "solo12")]
        done = 0
        for path in files:
            if not os.path.exists(path):
                continue
            try:
                model = jounce.Model(path)
            except jounce.Error:
                continue
            with tempfile.TemporaryDirectory() as folder:
                here = os.getcwd()
                os.chdir(folder)
                try:
                    self.same(model, pickle.loads(pickle.dumps(model)))
                finally:
                    os.chdir(here)
            done += 1
        print("%d robots from files" % done)
        self.assertGreater(done, 10)

    def test_what_is_written_later_does_not_matter(self):
        spec = jounce.Spec.load("pendulum")
        model = spec.build()
        spec.set_armature(spec.joints[0], 5.0)
        again = pickle.loads(pickle.dumps(model))
        self.assertEqual(again.joints, model.joints)
        self.assertNotEqual(spec.build().joints, model.joints)

    def test_copies_share_the_robot(self):
        model = jounce.Model("humanoid", threads=2, layout="mujoco")
        for again in (copy.copy(model), copy.deepcopy(model), copy.deepcopy([model, model])[1]):
            self.assertIsNot(again, model)
            self.same(model, again)
        spec = jounce.Spec.load("arm6")
        for again in (copy.copy(spec), copy.deepcopy(spec)):
            again.lock("joint2")
            self.assertNotEqual(again.to_json(), spec.to_json())

    def test_options_of_building(self):
        for options in ({"root": "floating"}, {"root": "fixed"}, {"inertia": "repair"}, {"lenient": True}):
            model = jounce.Model("arm6", **options)
            self.same(model, pickle.loads(pickle.dumps(model)))
        gripper = os.path.join(os.path.dirname(__file__), "..", "data", "odd", "mimic_and_transmission.urdf")
        for mimic in ("eliminated", "constraint", "independent"):
            model = jounce.Model(gripper, mimic=mimic)
            again = pickle.loads(pickle.dumps(model))
            self.assertEqual((model.nv, model.constraints), (again.nv, again.constraints))

    def test_another_process(self):
        model = jounce.Model("tilthex", strict=True)
        q, v = random_state(model, 5)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.pickle")
            with open(path, "wb") as file:
                pickle.dump((model, q, v), file)
            code = ("import pickle, sys; m, q, v = pickle.load(open(sys.argv[1], 'rb')); "
                    "print(m.inverse_dynamics(q, v).tobytes().hex())")
            out = subprocess.run([sys.executable, "-c", code, path], check=True, stdout=subprocess.PIPE,
                                 text=True).stdout
            self.assertEqual(out.strip(), model.inverse_dynamics(q, v).tobytes().hex())
            shown = subprocess.run([sys.executable, "-m", "pickle", path], check=True, stdout=subprocess.PIPE,
                                   text=True).stdout
            self.assertIn("tilthex", shown)


class Others(unittest.TestCase):
    def test_spec(self):
        spec = jounce.Spec.load("humanoid")
        for again in round_trips(spec):
            self.assertEqual(again.to_json(), spec.to_json())
            self.assertEqual(again.lint(), spec.lint())
            again.gravity = [0, 0, -1]
            self.assertNotEqual(again.gravity, spec.gravity)
        # remarks of the reader, with their lines
        spec = jounce.Spec.parse_urdf("<robot name='r'><link name='a'/><mystery/>\n<link name='b'/>\n<joint "
                                      "name='j' type='floating'><parent link='a'/><child link='b'/></joint>"
                                      "</robot>", "my.urdf")
        self.assertTrue(spec.lint())
        for again in round_trips(spec):
            self.assertEqual(again.lint(), spec.lint())

    def test_kinematics(self):
        model = jounce.Model("tilthex", layout="pinocchio")
        q, v = random_state(model, 3)
        for arguments in ((q,), (q, v), (q, v[0])):
            k = model.kinematics(*arguments)
            for again in round_trips(k):
                self.assertEqual((again.order, again.q.tobytes()), (k.order, k.q.tobytes()))
                for x, y in zip(k.pose("B4"), again.pose("B4")):
                    self.assertEqual(x.tobytes(), y.tobytes())
                self.assertEqual(k.jacobian("B4").tobytes(), again.jacobian("B4").tobytes())
            q[:] = q  # the object has its own copies
            k.q[:] = 0
            self.assertEqual(k.q.tobytes(), q.tobytes())

    def test_trajectory(self):
        robot = jounce.Model("tilthex", representation="body")
        random = np.random.default_rng(1)
        ways = np.stack([robot.integrate(robot.home(), random.normal(size=robot.nv)) for _ in range(4)])
        t = np.linspace(0, 3, 7)
        motion = jounce.Trajectory.minimum(robot, [0, 1, 2, 3], ways, 4)
        clock = [[0, 0, 0.5, 0, 0], [3, 2, 0.5, 0, 0]]
        others = [motion, jounce.Trajectory.half_cosine(robot, [0, 1, 2, 3], ways), motion.scaled(1 / 3 + 0.7),
                  motion.clocked(clock), jounce.Trajectory.bspline(robot, ways, 3, start=0, end=3),
                  jounce.Trajectory.fourier(robot, 1.3, random.normal(size=(3, 12)), random.normal(size=(3, 12)), 0, 3),
                  jounce.Trajectory.polynomial(robot, random.normal(size=(4, 12)), 0, 3)]
        for motion in others:
            times = t * (motion.end - motion.start) / 3 + motion.start
            for again in round_trips(motion):
                for x, y in zip(motion.at(times, 3), again.at(times, 3)):
                    self.assertEqual(x.tobytes(), y.tobytes())
                self.assertFalse(again.band(1.0)[0].any())

    def test_a_fit_has_no_bands_afterwards(self):
        robot = jounce.Model("double_pendulum")
        t = np.linspace(0, 4, 400)
        samples = np.stack([np.sin(t), np.cos(2 * t)], axis=1) + 1e-4 * np.random.default_rng(1).normal(size=(400, 2))
        fit = jounce.Trajectory.fit(robot, t, samples)
        again = pickle.loads(pickle.dumps(fit))
        self.assertEqual(fit.at(t, 2)[1].tobytes(), again.at(t, 2)[1].tobytes())
        for x, y in zip(fit.residual, again.residual):
            np.testing.assert_array_equal(x, y)
        self.assertEqual(sorted(fit.report), sorted(again.report))
        self.assertTrue(copy.deepcopy(fit).band(1.0)[0].any())
        for lost in (again, pickle.loads(pickle.dumps(again)), again.scaled(2)):
            with self.assertRaisesRegex(jounce.StateError, "fit the samples again"):
                lost.band(1.0)
            with self.assertRaisesRegex(jounce.StateError, "fit the samples again"):
                lost.force_band(1.0)

    def test_simulation(self):
        robot = jounce.Model("double_pendulum")
        sim = jounce.Simulation(robot, "rkmk4", step=1e-3, tau=[0.1, 0.2], damping=[0.01, 0.02])
        sim.set_state(0.5, [1, 0.3], [0, 1])
        sim.run_to(0.75)
        sim.set_tau(np.array([0.3, -0.1]))
        copies = list(round_trips(sim))
        sim.run_to(1.25)
        for again in copies:
            again.run_to(1.25)
            self.assertEqual(again.q.tobytes(), sim.q.tobytes())
            self.assertEqual(again.v.tobytes(), sim.v.tobytes())
        # elastic joints: the motors are part of the state; an adaptive scheme chooses its step anew
        sim = jounce.Simulation(robot, motor_stiffness=[100, 0], motor_inertia=[0.1, 0], tolerance=1e-12)
        sim.set_state(0, [1, 0.3], [0, 1])
        sim.run_to(0.3)
        again = pickle.loads(pickle.dumps(sim))
        np.testing.assert_array_equal(again.motor, sim.motor)
        sim.run_to(1), again.run_to(1)
        np.testing.assert_allclose(again.q, sim.q, atol=1e-9)
        # constraints that were switched off stay off
        robot = jounce.Model("fourbar")
        q, v = robot.assemble([0.5, 0, 0], np.zeros((2, 3)), driven=["crank"])
        sim = jounce.Simulation(robot)
        sim.set_state(0, q, v[0])
        sim.set_active([])
        again = copy.deepcopy(sim)
        sim.run_to(0.3), again.run_to(0.3)
        np.testing.assert_allclose(again.q, sim.q, atol=1e-9)
        # a function that pickle cannot keep is named by pickle; a function of a module is kept
        with self.assertRaises((pickle.PicklingError, AttributeError)):
            pickle.dumps(jounce.Simulation(robot, "rkmk54", state=lambda t, q, v: 0 * v))
        sim = jounce.Simulation(jounce.Model("pendulum"), "rkmk54", state=force, events=[(crossing, 1)])
        self.assertEqual(pickle.loads(pickle.dumps(sim)).run_to(1), sim.run_to(1))

    def test_layout_and_cmtm(self):
        layout = jounce.Layout(jounce.Model("tilthex"), "mujoco")
        for again in round_trips(layout):
            self.assertEqual(again.name, "mujoco")
            np.testing.assert_array_equal(again.q_index, layout.q_index)
        T = jounce.se3_exp([0.1, 0.2, 0.3, 1, 2, 3])
        c = jounce.CMTM(T, np.random.default_rng(1).normal(size=(3, 6)))
        for x in (c, c @ c, c.inverse(), jounce.CMTM(T)):
            for again in round_trips(x):
                self.assertEqual(again.matrix().tobytes(), x.matrix().tobytes())
                self.assertEqual(again.zeta.tobytes(), x.zeta.tobytes())
        with self.assertRaises(jounce.ArgumentError):
            jounce.CMTM._of_numbers(2, b"short")
        first, step = len(jounce.CMTM(T)._numbers()), (len(c._numbers()) - len(jounce.CMTM(T)._numbers())) // c.order
        for order in (-1, jounce.MAX_ORDER + 1):  # orders that there are none of, with as many numbers as they would have
            with self.assertRaises(jounce.ArgumentError):
                jounce.CMTM._of_numbers(order, bytes(first + order * step))

    def test_results_and_errors(self):
        robot = jounce.Model("arm6")
        q, v = random_state(robot, 3)
        for result in (robot.inverse_partials(q, v), robot.equations_of_motion(q, v[0]),
                       jounce.Simulation(robot).statistics):
            for again in round_trips(result):
                self.assertIs(type(again), type(result))
                for x, y in zip(again, result):
                    np.testing.assert_array_equal(x, y)
        try:
            robot.inverse_dynamics([q, q * np.nan], [v, v])
        except jounce.NotFiniteError as error:
            for again in round_trips(error):
                self.assertIs(type(again), jounce.NotFiniteError)
                self.assertEqual((str(again), again.index), (str(error), 1))

    def test_nothing_half_restored(self):
        text, options, settings = jounce.Model("arm6")._source() + ({},)
        from jounce import _pickle
        for bad in (lambda: _pickle._restore_model(text[:-20], options, settings),
                    lambda: _pickle._restore_model(text, {"root": "sideways"}, settings),
                    lambda: _pickle._restore_model(text, options, {"layout": "none"}),
                    lambda: _pickle._restore_model(text, {"root": "floating"}, settings, (6, 6, 7)),
                    lambda: _pickle._restore_trajectory(jounce.Model("arm7"), "{}", None, None, 0)):
            with self.assertRaises(jounce.Error):
                bad()
        self.assertRaises(TypeError, jounce.Spec("x")._annotate, 1, 2)
        self.assertRaises(TypeError, jounce.Spec("x")._annotate, None, [1], [])


def force(t, q, v):
    return -0.3 * v + 1


def crossing(t, q, v):
    return q[0] - 0.2


if __name__ == "__main__":
    main()
