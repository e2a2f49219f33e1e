"""Names, vectors of limits, states by names, and what objects show."""
import html.parser
import unicodedata
import unittest

import numpy as np

import jounce
from jounce import _jounce
from support import flat_to_state, main, program, random_state


class States(unittest.TestCase):
    def test_every_joint_by_name(self):
        """A state made by names is the state, in every layout; joints may be named by their bodies or indices."""
        for name in ("humanoid", "tilthex", "arm6"):
            for layout in ("jounce", "pinocchio", "mujoco", "drake", "rbdl"):
                if (name, layout) == ("humanoid", "drake"):
                    continue  # Drake's spherical joints have other numbers
                robot = jounce.Model(name)
                q, v = random_state(robot, 4)
                other = robot.with_settings(layout=layout)
                for key in ("name", "body", "index"):
                    keys = {"name": robot.joint_names, "body": robot.body_names, "index": range(robot.nbody)}[key]
                    moving = [(k, j) for k, j in zip(keys, robot.joints) if j["nv"]]
                    by_q = {k: q[j["iq"]:j["iq"] + j["nq"]] for k, j in moving}
                    by_v = {k: v[:, j["iv"]:j["iv"] + j["nv"]] for k, j in moving}
                    got_q, got_v = other.state(by_q, by_v, order=2)
                    to = jounce.Layout(robot, layout)
                    np.testing.assert_array_equal(got_q, to.export_q(q))
                    np.testing.assert_array_equal(got_v, to.export_rows(v))
                by_q = dict(zip(other.coordinates, to.export_q(q)))
                by_v = dict(zip(other.dof_names, to.export_rows(v).T))
                got_q, got_v = other.state(by_q, by_v, order=2)
                np.testing.assert_array_equal(got_q, to.export_q(q))
                np.testing.assert_array_equal(got_v, to.export_rows(v))

    def test_values_by_joint(self):
        """by_joint is state the other way round; mimic joints follow without a force."""
        for layout in ("jounce", "pinocchio", "mujoco"):
            robot = jounce.Model("humanoid").with_settings(layout=layout)
            q = jounce.Layout(robot, layout).export_q(random_state(jounce.Model("humanoid"), 4)[0])
            v = np.ones((3, robot.nv))
            found = robot.by_joint(q, v)
            again = robot.state({k: x["q"] for k, x in found.items()}, {k: x["v"] for k, x in found.items()}, order=1)
            np.testing.assert_array_equal(again[0], q)
            np.testing.assert_array_equal(again[1], v)
        text = """<robot name="g"><link name="base"/>%s</robot>""" % "".join(
            """<link name="%s"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
            </inertial></link><joint name="%s" type="prismatic"><parent link="base"/><child link="%s"/><axis xyz="0 0 1"/>
            <limit effort="1" velocity="1" lower="-1" upper="1"/>%s</joint>""" % x for x in (
                ("a", "one", "a", ""), ("b", "two", "b", '<mimic joint="one" multiplier="-2" offset="0.5"/>')))
        grip = jounce.Spec.parse_urdf(text).build()
        found = grip.by_joint([0.25], [[1.0], [3.0]], [7.0])
        np.testing.assert_array_equal(found["one"]["v"], [[1], [3]])
        for name, want in (("q", [0.0]), ("v", [[-2], [-6]]), ("tau", [[0]])):
            np.testing.assert_array_equal(found["two"][name], want)
        self.assertRaises(jounce.ArgumentError, grip.by_joint, [1, 2])

    def test_short_forms(self):
        robot = jounce.Model("tilthex")
        q, v = robot.state()
        np.testing.assert_array_equal(q, robot.home())
        self.assertEqual((v.shape, v.any()), ((2, 12), False))
        T = jounce.se3_exp([0.1, 0.2, 0.3, 1, 2, 3])
        q, v = robot.state({"base": T, "q3": 0.4}, {"q3": 2, "q4": [3, 4], "base": [1, 2, 3, 4, 5, 6]})
        np.testing.assert_allclose(robot.frame_pose(q, "B1"), T, atol=1e-15)
        self.assertEqual((q[8], v[0, 7], v[0, 8], v[1, 8], list(v[0, :6])), (0.4, 2, 3, 4, [1, 2, 3, 4, 5, 6]))
        human = jounce.Model("humanoid")
        R = jounce.so3_exp([0.3, -0.2, 0.1])
        q, _ = human.state({"waist": R})
        at = human.joints[human.joint_index("waist")]["iq"]
        np.testing.assert_allclose(q[at:at + 4], human.with_pose(human.home(), "waist", R)[at:at + 4])

    def test_as_the_program_reads_it(self):
        robot = jounce.Model("arm6")
        q, v = robot.state({"joint2": 0.3}, {"joint2": [0.1, 0.2, 0.3]}, order=1)
        told = program("id", "arm6", "--state", "-", "--order", "1", state=flat_to_state(robot, q, v))
        tau = robot.inverse_dynamics(q, v)
        np.testing.assert_allclose(told["tau"]["joint2"], tau[:, robot.dof_names.index("joint2")], rtol=1e-14)


class Limits(unittest.TestCase):
    def test_vectors(self):
        for layout in ("jounce", "mujoco", "rbdl"):
            robot = jounce.Model("humanoid", layout=layout)
            limits = robot.limits
            for joint in robot.joints:
                if joint["nv"] != 1:
                    continue
                i, k = robot.coordinates.index(joint["name"]), robot.dof_names.index(joint["name"])
                for name in ("lower", "upper"):
                    self.assertEqual(getattr(limits, name)[i], joint[name])
                for name in ("velocity", "acceleration", "jerk", "effort", "effort_rate"):
                    self.assertEqual(getattr(limits, name)[k], joint[name])
            self.assertEqual(np.isfinite(limits.velocity).sum(), 4)
            self.assertTrue((limits.lower <= robot.home()).all())
        # they are those that motions are checked against
        robot = jounce.Model("humanoid")
        motion = jounce.Trajectory.minimum(robot, [0, 1], [robot.home()] * 2)
        told = {(x["joint"], x["quantity"]) for x in motion.limits(samples=5)["limits"]}
        self.assertEqual({n for n, q in told if q == "velocity"},
                         {robot.dof_names[i] for i in np.flatnonzero(np.isfinite(robot.limits.velocity))})


class Shown(unittest.TestCase):
    def test_the_tree(self):
        text = repr(jounce.Model("tilthex"))
        self.assertEqual(text.splitlines()[:4], [
            "<jounce.Model 'tilthex': 7 bodies, nq = 13, nv = 12, spatial>",
            "  body         joint  type      v    mass  limits",
            "  B1           base   free      0:6  2.5",
            "  \u251c\u2500 B2        q2     revolute  6    0.25"])
        self.assertIn("rotors: p1", text)
        self.assertIn("constraints: pin", repr(jounce.Model("fourbar")))
        # in another layout the places in its own v
        robot = jounce.Model("tilthex", layout="rbdl")
        line = next(x for x in repr(robot).splitlines() if " q4 " in x)
        self.assertIn(" %d " % robot.dof_names.index("q4"), line)
        many = repr(jounce.Model("chain:200"))
        self.assertLess(len(many.splitlines()), 70)
        self.assertIn("more bodies", many)
        for name in jounce.builtins():
            robot = jounce.Model(name)
            for body in robot.body_names[:40]:
                self.assertIn(body, repr(robot))

    def test_html(self):
        spec = jounce.Spec("<script>").add_link("a & b", 1, inertia=[1, 1, 1])
        text = spec.build()._repr_html_()
        self.assertNotIn("<script>", text)
        self.assertIn("a &amp; b", text)
        open_tags = []

        class Parser(html.parser.HTMLParser):
            def handle_starttag(self, tag, attrs):
                if tag != "br":
                    open_tags.append(tag)

            def handle_endtag(self, tag):
                self_tag = open_tags.pop()
                assert tag == self_tag, (tag, self_tag)

        Parser().feed(jounce.Model("humanoid")._repr_html_())
        self.assertEqual(open_tags, [])

    def test_every_object(self):
        robot = jounce.Model("double_pendulum")
        self.assertEqual(repr(robot.kinematics([0, 0])), "<jounce.Kinematics of 'double_pendulum': positions>")
        self.assertEqual(repr(robot.kinematics([0, 0], [0, 0])), "<jounce.Kinematics of 'double_pendulum': order 0>")
        self.assertEqual(repr(jounce.Spec.load("arm6")), "<jounce.Spec 'arm6': 7 links, 7 joints>")
        self.assertEqual(repr(jounce.Layout(robot, "drake")), "<jounce.Layout 'drake' of 'double_pendulum'>")
        self.assertEqual(repr(jounce.CMTM(np.eye(4))), "<jounce.CMTM of order 0>")
        self.assertEqual(type(robot.inverse_partials([0, 0], [[0, 0], [0, 0]])).__name__, "InversePartials")
        motion = jounce.Trajectory.minimum(robot, [0, 1.5], [[0, 0], [1, 1]])
        self.assertEqual(repr(motion), "<jounce.Trajectory of 'double_pendulum': 0 s to 1.5 s>")
        seen = []
        sim = jounce.Simulation(robot, "rkmk54", state=lambda t, q, v: (seen.append(repr(sim)), 0 * v)[1])
        sim.run_to(0.01)
        self.assertEqual(repr(sim), "<jounce.Simulation of 'double_pendulum': rkmk54, t = 0.01 s>")
        self.assertIn("in a step", seen[-1])


class Shown(unittest.TestCase):
    def test_names_cannot_command_a_terminal(self):
        """repr and messages show no control character, no change of direction and nothing of no width."""
        bad = "\x1b[31m\x9b2J\u202e\u2066\u2028\n\xad\u200b\u2060\ufeff\U000e0041"
        spec = jounce.Spec("r" + bad)
        spec.add_link("base")
        spec.add_link("arm" + bad, mass=1, inertia=np.eye(3))
        spec.add_joint("j" + bad, "revolute", parent="base", child="arm" + bad, axis=[0, 0, 1])
        spec.add_frame("f" + bad, "arm" + bad)
        robot = spec.build()
        motion = jounce.Trajectory.minimum(robot, [0, 1], [[0.0], [1.0]])
        shown = [repr(x) for x in (robot, spec, motion, robot.kinematics(robot.home()), jounce.Simulation(robot),
                                   jounce.Layout(robot, "pinocchio"))] + [str(robot), robot._repr_html_()]
        self.assertIn("j?[31m?2J?????????", shown[0])
        for call in (lambda: robot.joint_index("nope"), lambda: robot.frame_index("f" + bad[:-1]),
                     lambda: robot.by_joint([0.0, 1]), lambda: robot.state({"j" + bad: "x"}),
                     lambda: robot.state({"j" + bad: [1, 2]}), lambda: robot.state({"j" + bad + ":x": 1}),
                     lambda: robot.state(v={"j" + bad: np.zeros((9, 9))}),
                     lambda: robot.inverse_dynamics([float("nan")], np.zeros((2, 1)))):
            with self.assertRaises((jounce.Error, TypeError)) as caught:
                call()
            shown.append(str(caught.exception))
        for text in shown:
            found = {c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")}
            self.assertFalse(found, ascii(text))

    def test_the_same_characters_as_in_messages_of_the_library(self):
        for code in (*range(1, 0x3000), *range(0xfe00, 0x10000), *range(0xdff00, 0xe0200)):
            with self.assertRaises(jounce.Error) as caught:
                jounce.Spec.parse_json('{"bodies": [], "a%sb": 1}' % (chr(code) if code >= 32 and chr(code) not in '"\\' else
                                                                    "\\u%04x" % code))
            message = str(caught.exception)
            self.assertEqual("a?b" in message, _jounce._clean(chr(code)) == "?" or chr(code) == "?", "%s: %s" % (hex(code), message))


if __name__ == "__main__":
    main()
