"""Models: built in code, from files, with rotors; the groups SO(3) and SE(3)."""
import ctypes
import json
import os
import pickle
import shutil
import subprocess
import tempfile
import unittest

import numpy as np

import jounce
from support import close, main, program, random_state, residual


class Models(unittest.TestCase):
    def test_by_hand(self):
        spec = jounce.Spec("pendulum")
        spec.add_link("base").add_link("rod", 2.0, com=[0, 0, -0.5], inertia=[0.1, 0.1, 0.01])
        spec.add_joint("hinge", "revolute", "base", "rod", axis=[0, 1, 0], damping=0.3, upper=2,
                       effort=5, jerk=70, effort_rate=40)
        spec.add_frame("tip", "rod", p=[0, 0, -1])
        robot = spec.build()
        self.assertEqual((robot.nq, robot.nv, robot.name), (1, 1, "pendulum"))
        # I q'' + m g l sin q
        tau = robot.inverse_dynamics([0.3], [[0.0], [1.0]])[0, 0]
        residual("pendulum by hand", abs(tau - (0.1 + 0.5 + 2 * 9.81 * 0.5 * np.sin(0.3))), 1e-14)
        damped = robot.with_settings(damping=True)
        residual("damping", abs(damped.inverse_dynamics([0.3], [[2.0], [1.0]])[0, 0] - tau - 0.6), 1e-14)
        moon = robot.with_settings(gravity=(0, 0, -1.62))
        self.assertEqual(moon.gravity, (0, 0, -1.62))
        self.assertEqual(robot.gravity, (0, 0, -9.81))
        limits = [robot.joints[1][x] for x in ("upper", "effort", "jerk", "effort_rate")]
        self.assertEqual(limits, [2, 5, 70, 40])
        np.testing.assert_allclose(robot.frame_pose([0.0], "tip")[:3, 3], [0, 0, -1])

    def test_locked_joints(self):
        whole = jounce.Model("arm6")
        spec = jounce.Spec.load("arm6")
        names = [j["name"] for j in whole.joints if j["nv"]]
        spec.lock(names[2], 0.7).lock(names[5], [-0.4]).set_armature(names[0], 0.5)
        part = spec.build()
        free = [0, 1, 3, 4]
        self.assertEqual(part.nv, 4)
        q, v = random_state(whole, 3)
        q[2], q[5], v[:, [2, 5]] = 0.7, -0.4, 0
        want = whole.inverse_dynamics(q, v)[:, free]
        want[:, 0] += 0.5 * v[1:, 0]
        close("locked joints", part.inverse_dynamics(q[free], v[:, free]), want)
        with self.assertRaisesRegex(jounce.ArgumentError, "no joint 'nobody'"):
            spec.lock("nobody")
        with self.assertRaises((jounce.ArgumentError, TypeError)):
            jounce.Spec.load("arm6").lock(names[0], [1, 2])

    def test_inertias_that_no_body_has(self):
        spec = jounce.Spec("bad").add_link("a").add_link("b", 1, inertia=[-1e-3, 0.01, 0.01])
        spec.add_joint("j", "revolute", "a", "b", axis=[1, 0, 0], armature=1)
        with self.assertRaisesRegex(jounce.ModelError, "not positive definite.*-0.001, 0.01, 0.01.*'repair'"):
            spec.build()
        for policy, moment in (("permissive", -1e-3), ("repair", 0)):
            robot = spec.build(inertia=policy)
            self.assertEqual(robot.inverse_dynamics([0.0], [[0.0], [1.0]])[0, 0], 1 + moment)
        self.assertIn("repaired: ixx -0.001 -> 0", spec.lint(inertia="repair")[-1][2])
        with self.assertRaisesRegex(jounce.ArgumentError, "inertia: one of 'default', 'strict'"):
            spec.build(inertia="lenient")
        flat = jounce.Spec("flat").add_link("a", 1, inertia=[1, 1, 3])
        flat.build(root="floating")
        flat.build(inertia="strict")  # it does not move
        with self.assertRaisesRegex(jounce.ModelError, "triangle"):
            flat.build(root="floating", inertia="strict")
        self.assertEqual([f[0] for f in flat.lint(root="floating", inertia="strict")], ["serious"])
        with self.assertRaises(TypeError):
            flat.lint("floating")

    def test_files(self):
        import os
        import tempfile
        mjcf = jounce.Spec.parse_mjcf("""<mujoco model="m"><worldbody><body name="a"><joint name="j" axis="0 1 0"/>
            <geom size="0.1" mass="2" pos="0.5 0 0"/></body></worldbody></mujoco>""")
        self.assertEqual((mjcf.name, mjcf.links, mjcf.joints), ("m", ("a",), ("j",)))
        # 2/5 m r^2 + m l^2, and m g l at rest
        arm = mjcf.build()
        close("an arm from MJCF", arm.mass_matrix([0.0]), [[2 * (0.4 * 0.01 + 0.25)]])
        close("an arm from MJCF", arm.inverse_dynamics([0.0], [[0.0], [0.0]])[0], [-2 * 9.81 * 0.5])
        arm = jounce.Spec.parse_xacro("""<robot name="x"><xacro:property name="m" value="${3 - 1}"/><link name="l${m}"/></robot>""")
        self.assertEqual(arm.links, ("l2",))
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "packages", "parts"))
            with open(os.path.join(folder, "packages", "parts", "part.xacro"), "w") as file:
                file.write("""<x><link name="$(arg side)"/></x>""")
            path = os.path.join(folder, "robot.xacro")
            with open(path, "w") as file:
                file.write("""<robot name="r"><xacro:arg name="side" default="left"/>
                    <xacro:include filename="$(find parts)/part.xacro"/></robot>""")
            options = {"package_path": os.path.join(folder, "packages"), "arguments": {"side": True}}
            self.assertEqual(jounce.Spec.load(path, **options).links, ("true",))
            self.assertEqual(jounce.Model(path, **options).nframe, 1)
            self.assertIn('<link name="true"/>', jounce.expand(path, **options))
            os.rename(os.path.join(folder, "packages"), os.path.join(folder, "others"))
            with self.assertRaisesRegex(jounce.FileError, "robot.xacro:2: include .* no package 'parts'"):
                jounce.Spec.load(path)
            with self.assertRaises(TypeError):
                jounce.expand(path, arguments=["side:=left"])
            with self.assertRaises(TypeError):
                jounce.Model(path, arguments={1: 2})
        spec = jounce.Spec.load("tilthex")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "robot.json")
            spec.save_json(path)
            arm.save_urdf(os.path.join(folder, "arm.urdf"))
            self.assertEqual(jounce.Spec.load(os.path.join(folder, "arm.urdf")).links, ("l2",))
            a, b = jounce.Model(path), jounce.Model("tilthex")
            q, v = random_state(a, 3)
            np.testing.assert_array_equal(a.inverse_dynamics(q, v), b.inverse_dynamics(q, v))
            with open(path) as file:
                c = jounce.Spec.parse_json(file.read()).build()
            np.testing.assert_array_equal(c.inverse_dynamics(q, v), b.inverse_dynamics(q, v))
            with open(path) as file:
                c = jounce.Spec.parse(file.read()).build()
            np.testing.assert_array_equal(c.inverse_dynamics(q, v), b.inverse_dynamics(q, v))
        self.assertEqual(jounce.Spec.parse("<robot name='r'><link name='a'/></robot>").links, ("a",))
        commas = jounce.Spec.parse("<robot><link name='a'/><link name='b'/><joint name='j' "
                                   "type='continuous'><parent link='a'/><child link='b'/>"
                                   "<axis xyz='0,1,0'/></joint></robot>")
        with self.assertRaisesRegex(jounce.FormatError, "lenient"):
            commas.build()
        self.assertEqual(commas.build(lenient=True).nv, 1)
        self.assertIn("tilthex", jounce.builtins())
        self.assertIsInstance(spec.lint(), list)

    def test_poses(self):
        robot = jounce.Model("tilthex")
        R = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]])
        q = robot.with_pose(robot.home(), 0, R, [1, 2, 3])
        np.testing.assert_allclose(robot.frame_pose(q, "B1")[:3, :3], R, atol=1e-15)
        np.testing.assert_array_equal(robot.frame_pose(q, "B1")[:3, 3], [1, 2, 3])
        with self.assertRaises(jounce.PoseError):
            robot.with_pose(q, 0, 2 * R)

    def test_difference(self):
        robot = jounce.Model("tilthex")
        q0, _ = random_state(robot, 1, 1)
        dq = 0.3 * np.random.default_rng(2).normal(size=robot.nv)
        close("difference of integrate", robot.difference(q0, robot.integrate(q0, dq)), dq)


class Constraints(unittest.TestCase):
    def test_a_loop_by_hand(self):
        """A four-bar built in code is the built-in one: the same constraint rows, bit for bit."""
        bar = jounce.Spec.load("fourbar")
        text = json.loads(bar.to_json())
        spec = jounce.Spec("fourbar")
        spec.gravity = bar.gravity
        for body in text["bodies"]:
            home = body.get("home", {})
            spec.add_link(body["name"], body["mass"], body.get("com"), body.get("inertia"), home.get("R"), home.get("p"))
            joint = body.get("joint")
            if joint:
                where = joint.get("origin")
                place = {"R": where.get("R"), "p": where.get("p", [0, 0, 0])} if where is not None else {
                    "point": joint.get("point")}
                spec.add_joint(joint["name"], joint["type"], body.get("parent"), body["name"], axis=joint.get("axis"),
                               passive=joint.get("passive", False), damping=joint.get("damping"),
                               **place, **joint.get("limits", {}))
        for c in text["constraints"]:
            links = [None if c[s]["link"] == "world" else c[s]["link"] for s in "ab"]
            spec.add_constraint(c["name"], c["type"], *links, R_a=c["a"].get("R"), p_a=c["a"].get("p"),
                                R_b=c["b"].get("R"), p_b=c["b"].get("p"))
        self.assertEqual(json.loads(spec.to_json()), text)
        robot, builtin = spec.build(), jounce.Model("fourbar")
        q, v = robot.assemble([0.5, 0, 0], np.zeros((3, 3)), driven=["crank"])
        for a, b in zip(robot.constrained_inverse_dynamics(q, v), builtin.constrained_inverse_dynamics(q, v)):
            self.assertEqual(a.tobytes(), b.tobytes())

    def test_joints_by_their_links(self):
        a, b = (jounce.Spec.load("arm6").lock(name, 0.3).build() for name in ("joint3", "link3"))
        self.assertEqual((a.joints, a.bodies), (b.joints, b.bodies))
        self.assertEqual(jounce.Spec.load("arm6").set_armature("link2", 0.5).build().joints[2]["armature"], 0.5)

    def test_every_type(self):
        spec = jounce.Spec("all").add_link("a", 1, inertia=[1, 1, 1]).add_link("b", 1, inertia=[1, 1, 1])
        spec.add_joint("x", "free", None, "a").add_joint("y", "revolute", "a", "b")
        R = jounce.so3_exp([0.1, 0.2, 0.3])
        spec.add_constraint("weld", "weld", "a", R_a=R, p_a=[1, 2, 3])
        spec.add_constraint("revolute", "revolute", "a", "b", R_b=R).add_constraint("point", "point", "b", p_b=[1, 0, 0])
        spec.add_constraint("universal", "universal", "a", axis_a=[1, 0, 0], axis_b=[0, 1, 0])
        spec.add_constraint("line", "point_on_line", "a").add_constraint("plane", "point_on_plane", "a")
        spec.add_constraint("rod", "distance", "a", length=1.5)
        spec.add_constraint("gear", "coupling", terms={"y": 2.0}, offset=0.25)
        robot = spec.build()
        self.assertEqual([s.stop - s.start for s in robot.constraints.values()], [6, 5, 3, 4, 2, 1, 1, 1])
        c = robot.constraint_closure(robot.state({"y": 1.0})[0], np.zeros(7))
        self.assertEqual(c.residual[robot.constraints["gear"]], 1.75)
        self.assertEqual(c.residual[robot.constraints["rod"]], -1.5 ** 2 / 2)
        with self.assertRaises(jounce.ModelError):
            spec.add_constraint("far", "weld", "nowhere").build()
        self.assertEqual(pickle.loads(pickle.dumps(robot)).constraint_closure(robot.home(), np.zeros(7)).J.tobytes(),
                         robot.constraint_closure(robot.home(), np.zeros(7)).J.tobytes())


class Generated(unittest.TestCase):
    def test_as_the_program_writes_it(self):
        robot = jounce.Model("arm6", representation="body", gravity=[0, 0, -9.81])
        files = robot.generate(inverse=[0, 2], forward=0, name="arm")
        self.assertEqual(sorted(files), ["CMakeLists.txt", "arm.c", "arm.h", "arm_test.c"])
        for name in ("arm_id0", "arm_id2", "arm_fd0"):
            self.assertIn("int %s(" % name, files["arm.h"])
        self.assertNotIn("arm_fd1", files["arm.h"])
        more = robot.generate(inverse=[], forward=[], kinematics=1, mass=True, scalar="float", name="arm")
        self.assertIn("int arm_kin1(const float *q, const float *v, float *pose, float *twist);", more["arm.h"])
        self.assertIn("int arm_mass(const float *q, float *M);", more["arm.h"])
        partials = robot.generate(inverse=[], forward=[], partials=0, forward_partials=[0, 1], name="arm")["arm.h"]
        for name in ("arm_did0", "arm_dfd0", "arm_dfd1"):
            self.assertIn("int %s(" % name, partials)
        self.assertIn("arm_id0_sparsity_in", robot.generate(name="arm", signature="casadi")["arm.c"])
        if not shutil.which("cc"):
            self.skipTest("no compiler")
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                with open(os.path.join(folder, name), "w") as file:
                    file.write(text)
            subprocess.run(["cc", "-std=c11", "-O1", "-ffp-contract=off", "-DSTRICT", "-shared", "-fPIC", "-o", "arm.so",
                            "arm.c", "-lm"], cwd=folder, check=True)
            library = ctypes.CDLL(os.path.join(folder, "arm.so"))
            q, v = random_state(robot, 4)
            tau = np.empty((3, 6))
            pointer = ctypes.POINTER(ctypes.c_double)
            got = library.arm_id2(*(x.ctypes.data_as(pointer) for x in (q, v, tau)))
            self.assertEqual(got, 0)
            np.testing.assert_array_equal(tau, robot.with_settings(strict=True).inverse_dynamics(q, v))


class Groups(unittest.TestCase):
    def test_there_and_back(self):
        random = np.random.default_rng(2)
        w, V = 0.5 * random.normal(size=(4, 3)), 0.5 * random.normal(size=(2, 3, 6))
        close("log exp on SO(3)", jounce.so3_log(jounce.so3_exp(w)), w)
        close("log exp on SE(3)", jounce.se3_log(jounce.se3_exp(V)), V)
        R = jounce.so3_exp(w)
        close("orthogonal", R @ R.transpose(0, 2, 1), np.stack([np.eye(3)] * 4))
        with self.assertRaises(jounce.PoseError):
            jounce.so3_log(2 * np.eye(3))
        with self.assertRaises(jounce.NotFiniteError):
            jounce.se3_exp([np.nan] * 6)
        with self.assertRaises(jounce.ArgumentError):
            jounce.se3_exp(np.zeros(5))


class Rotors(unittest.TestCase):
    def test_there_and_back(self):
        robot = jounce.Model("tilthex", representation="body")
        A, P, rank = robot.rotor_allocation()
        self.assertEqual((A.shape, P.shape, rank, len(robot.rotors)), ((6, 6), (6, 6), 6, 6))
        close("A P", A @ P, np.eye(6), 1e-13)
        omega = 500 + 20 * np.random.default_rng(1).random((4, 3, 6))
        thrust = robot.rotor_thrusts_at(omega)
        wrench = robot.rotor_wrench(thrust)
        close("wrench", wrench, np.einsum("ij,abj->abi", A, thrust), 1e-9)
        back, rest = robot.rotor_thrusts(wrench)
        close("thrusts", back, thrust, 1e-9)
        close("nothing is left", rest, 0 * wrench, 1e-9)
        close("speeds", robot.rotor_speeds(back), omega, 1e-8)
        use, rate = robot.rotor_loads(thrust)
        close("use", use, thrust[:, 0] / robot.rotors[0]["upper"], 1e-12)
        close("rate", rate, abs(thrust[:, 1]) / robot.rotors[0]["thrust_rate"], 1e-12)

    def test_hover_against_the_program(self):
        robot = jounce.Model("tilthex", representation="body")
        tau = robot.inverse_dynamics(robot.home(), np.zeros((2, robot.nv)))
        thrust, _ = robot.rotor_thrusts(tau.reshape(1, -1)[:, :6])
        close("program", np.array(program("rotors", "tilthex")["thrust"]), thrust, 1e-14)

    def test_a_drone_by_hand(self):
        spec = jounce.Spec("drone").add_link("body", 1, inertia=[1, 1, 1])
        spec.add_joint("base", "free", None, "body")
        for i, (x, y) in enumerate([(1, 0), (0, 1), (-1, 0), (0, -1)]):
            spec.add_rotor("r%d" % i, "body", c_f=2, c_d=0.5, spin=1 - 2 * (i % 2), p=(x, y, 0), speed=9)
        robot = spec.build()
        thrust, rest = robot.rotor_thrusts([[0, 0, 1, 3, 0, 8]])
        close("by hand", thrust, [[1, 3, 1, 3]], 1e-13)
        close("what it cannot do", rest, [[0, 0, 0, 3, 0, 0]], 1e-13)
        for bad in (lambda: jounce.Model("arm6").rotor_allocation(),
                    lambda: jounce.Model("arm6").rotor_thrusts([[0] * 6]),
                    lambda: robot.rotor_thrusts([0] * 6), lambda: robot.rotor_wrench([[0] * 6]),
                    lambda: robot.rotor_wrench(np.zeros((0, 4)))):
            with self.assertRaises(jounce.ArgumentError):
                bad()
        with self.assertRaises(jounce.InfeasibleError):
            robot.rotor_speeds([[-1, 1, 1, 1]])
        with self.assertRaises(jounce.NotFiniteError):
            robot.rotor_wrench([[np.nan, 1, 1, 1]])
        with self.assertRaises(jounce.ModelError):
            spec.add_rotor("r0", "body", c_f=1).build()

    def test_a_side_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "rotors.json")
            with open(path, "w") as file:
                json.dump({"rotors": [{"name": "r", "link": "link1", "c_f": 1, "spin": -1}]}, file)
            spec = jounce.Spec.load("pendulum").extend(path)
            self.assertEqual(spec.build(root="floating").rotors[0]["spin"], -1)
            with self.assertRaises(jounce.FileError):
                spec.extend(path + "x")


if __name__ == "__main__":
    main()
