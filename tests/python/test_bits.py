"""The module has the numbers of the program, bit for bit, and matches the reference values."""
import glob
import json
import os
import subprocess
import unittest

import numpy as np

import jounce
from support import (PROGRAM, SHARED, exact_quaternions, flat_to_state, main, program, random_state, residual, result_to_flat,
                     state_to_flat)

ROBOTS = ["double_pendulum", "tilthex", "humanoid"]


class Bits(unittest.TestCase):
    def each(self):
        for name in ROBOTS:
            for representation in ("body", "hybrid") if name == "tilthex" else ("spatial",):
                robot = jounce.Model(name, representation=representation)
                q, v = random_state(robot, 5, seed=len(name))
                yield name, robot, exact_quaternions(robot, q), v

    def test_inverse_dynamics(self):
        for name, robot, q, v in self.each():
            for order in (0, 3):
                tau = robot.inverse_dynamics(q, v[:order + 2])
                got = program("id", name, "--order", str(order), "--state", "-",
                              state=flat_to_state(robot, q, v[:order + 2]))
                want = result_to_flat(robot, got["tau"], got.get("base_wrench"), order + 1)
                np.testing.assert_array_equal(tau, want)

    def test_forward_dynamics(self):
        for name, robot, q, v in self.each():
            tau = v[1:4]
            a = robot.forward_dynamics(q, v[0], tau)
            got = program("fd", name, "--order", "2", "--state", "-",
                          state=flat_to_state(robot, q, v[:1], tau))
            want = result_to_flat(robot, got["joints"], got.get("base_twist"), 3)
            np.testing.assert_array_equal(a, want)

    def test_equations_and_partials(self):
        for name, robot, q, v in self.each():
            eom = robot.equations_of_motion(q, v[:2])
            got = program("eom", name, "--order", "1", "--state", "-",
                          state=flat_to_state(robot, q, v[:2]))
            for key in ("M", "C", "g", "h"):
                np.testing.assert_array_equal(getattr(eom, key), got[key])
            partials = robot.inverse_partials(q, v[:3])
            got = program("partials", name, "--order", "1", "--state", "-",
                          state=flat_to_state(robot, q, v[:3]))
            np.testing.assert_array_equal(partials.dq, got["dtau_dq"])
            np.testing.assert_array_equal(partials.dv, got["dtau_dv"])

    def test_kinematics(self):
        for name, robot, q, v in self.each():
            got = program("fk", name, "--order", "2", "--state", "-",
                          state=flat_to_state(robot, q, v[:3]))["links"]
            k = robot.kinematics(q, v[:3])
            for link, want in got.items():
                R, p = k.pose(link)
                np.testing.assert_array_equal(R, want["R"])
                np.testing.assert_array_equal(p, want["p"])
                np.testing.assert_array_equal(k.twist(link), want["twist"])
                np.testing.assert_array_equal(robot.frame_twist(q, v[:3], link), want["twist"])


class Layouts(unittest.TestCase):
    """The program with --layout and the module with layout= give the same numbers."""

    def test_every_command_in_every_layout(self):
        for layout in ("jounce", "pinocchio", "mujoco", "drake", "rbdl"):
            robot = jounce.Model("tilthex", layout=layout)
            _, v = random_state(jounce.Model("tilthex"), 4)
            ours = exact_quaternions(jounce.Model("tilthex"), jounce.Model("tilthex").home() + 0.25)
            q = jounce.Layout(robot, layout).export_q(ours)
            flat = {"q": q.tolist(), "v": v.tolist(), "tau": v[1:].tolist()}

            def run(command, order, *more):
                return program(command, "tilthex", "--layout", layout, "--state", "-", "--order", str(order),
                               *more, state=flat)

            got = run("id", 2)
            self.assertEqual((got["layout"], got["dofs"]), (layout, list(robot.dofs)))
            np.testing.assert_array_equal(got["tau"], robot.inverse_dynamics(q, v))
            np.testing.assert_array_equal(run("fd", 2)["a"], robot.forward_dynamics(q, v[0], v[1:]))
            got, want = run("eom", 1), robot.equations_of_motion(q, v[:2])
            self.assertEqual(got["dofs"], list(robot.dofs))
            for key in ("M", "C", "g", "h"):
                np.testing.assert_array_equal(got[key], getattr(want, key))
            got = run("jacobian", 1, "--link", "B4", "--representation", "hybrid")
            np.testing.assert_array_equal(got["jacobian"],
                                          robot.frame_jacobian(q, "B4", v[:1], in_representation="hybrid"))
            got = run("fk", 0, "--link", "B4")["links"]["B4"]
            np.testing.assert_array_equal(got["R"], robot.frame_pose(q, "B4")[:3, :3])
            if layout == "jounce":
                continue
            got, want = run("partials", 1), robot.inverse_partials(q, v[:3])
            np.testing.assert_array_equal(got["dtau_dq"], want.dq)
            np.testing.assert_array_equal(got["dtau_dv"], want.dv)
            got, want = run("partials", 1, "--forward"), robot.forward_partials(q, v[0], v[1:3])
            np.testing.assert_array_equal(got["dacc_dq"], want.dq)
            np.testing.assert_array_equal(got["dacc_dtau"], want.dtau)

    def test_tables(self):
        state = {"q": [1, 0, 0, 0, 0, 0, 0] + [0.1] * 6, "v": [[0] * 12, [0] * 12]}
        for more in (["--text"], ["--format", "csv"], ["--format", "npy"]):
            run = subprocess.run([PROGRAM, "id", "tilthex", "--layout", "drake", "--state", "-", *more],
                                 input=json.dumps(state).encode(), stdout=subprocess.PIPE, check=True)
            self.assertTrue(b"base:wx" in run.stdout or more[-1] == "npy")

    def test_refusals(self):
        good = {"q": [1, 0, 0, 0, 0, 0, 0] + [0.1] * 6, "v": [[0] * 12, [0] * 12]}
        for bad, words in (({}, "q: missing: the 13 numbers of q in the layout 'drake'"),
                           ({**good, "q": [1]}, "q: 13 numbers expected, found 1"),
                           ({**good, "v": [[0] * 12]}, "v: 1 list of 12 numbers given, order 0 needs 2"),
                           ({**good, "v": [[0] * 11] * 2}, "v[0]: 12 numbers expected"),
                           ({**good, "joints": {}}, "joints: unknown key"),
                           ({**good, "q": [0] * 13}, "not in SO(3)")):
            run = subprocess.run([PROGRAM, "id", "tilthex", "--layout", "drake", "--state", "-"],
                                 input=json.dumps(bad), stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            self.assertEqual(run.returncode, 1)
            self.assertIn(words, run.stderr)
        run = subprocess.run([PROGRAM, "id", "tilthex", "--layout", "opensim"], stderr=subprocess.PIPE)
        self.assertEqual(run.returncode, 2)
        run = subprocess.run([PROGRAM, "hybrid", "tilthex", "--layout", "drake"], stderr=subprocess.PIPE)
        self.assertEqual(run.returncode, 2)


class Reference(unittest.TestCase):
    def references(self, kind):
        """Folder, expected values and state of every case."""
        folders = sorted(glob.glob(os.path.join(SHARED, kind, "*", "expect.json")))
        if not folders:
            self.skipTest("no reference values at " + os.path.join(SHARED, kind))
        for path in folders:
            folder = os.path.dirname(path)
            with open(path) as file:
                want = json.load(file)
            with open(os.path.join(folder, "state.json")) as file:
                yield folder, want, json.load(file)

    def test_vectors(self):
        for folder, want, state in self.references("vectors"):
            if "wrench" in state or "tau" not in want:
                continue
            order = want.get("order", 0)
            representation = state.get("base", {}).get("representation", "spatial")
            robot = jounce.Model(os.path.join(folder, "model.json"), representation=representation,
                                 gravity=state.get("gravity"))
            q, v = state_to_flat(robot, state, order + 2)
            tau = robot.inverse_dynamics(q, v)
            flat = result_to_flat(robot, want["tau"], want.get("base_wrench"), order + 1)
            for k in range(order + 1):
                residual("vectors, order %d" % k,
                         abs(tau[k] - flat[k]).max() / abs(flat[k]).max(), 1e-13)

    def test_robots_in_the_layout_of_pinocchio(self):
        for folder, want, state in self.references("robots"):
            floating = "base" in state
            robot = jounce.Model(os.path.join(folder, "model.urdf"), layout="pinocchio",
                                 root="floating" if floating else "fixed")
            # in Pinocchio's layout: p, x y z w; linear first; written without jounce
            swap = list(range(len(want["dofs"])))
            q, v, a = [], [], []
            if floating:
                swap[:6] = [3, 4, 5, 0, 1, 2]
                base = state["base"]
                q += base["p"] + base["quat"][1:] + base["quat"][:1]
                v += np.roll(base["twist"][0], 3).tolist()
                a += np.roll(base["twist"][1], 3).tolist()
            for name in want["dofs"][6 if floating else 0:]:
                x = state["joints"][name]
                q.append(x[0]), v.append(x[1]), a.append(x[2])
            self.assertEqual([want["dofs"][i] for i in swap], list(robot.dofs))

            def compare(name, got, expected, bound):
                expected = np.array(expected)
                expected = expected[swap] if expected.ndim == 1 else expected[np.ix_(swap, swap)]
                residual("Pinocchio: " + name, abs(got - expected).max() / abs(expected).max(), bound)

            compare("tau", robot.inverse_dynamics(q, [v, a])[0], want["tau"], 1e-13)
            compare("M", robot.mass_matrix(q), want["M"], 1e-13)
            compare("h", robot.equations_of_motion(q, v).h, want["h"], 1e-13)
            partials = robot.inverse_partials(q, [v, a])
            compare("dtau_dq", partials.dq[0], want["dtau_dq"], 1e-12)
            compare("dtau_dv", partials.dv[0, 0], want["dtau_dv"], 1e-12)
            tau = np.array(want["tau_for_fd"])[swap]
            compare("acceleration", robot.forward_dynamics(q, v, tau), want["acceleration_for_fd"],
                    1e-9)


if __name__ == "__main__":
    main()
