"""Numbers of the module are those of the program, bit for bit, and match the reference values."""
import glob
import json
import os
import unittest

import numpy as np

import jounce
from support import (SHARED, exact_quaternions, flat_to_state, main, program, random_state, residual, result_to_flat,
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


class Reference(unittest.TestCase):
    def test_vectors(self):
        folders = sorted(glob.glob(os.path.join(SHARED, "vectors", "*", "expect.json")))
        if not folders:
            self.skipTest("no reference values at " + os.path.join(SHARED, "vectors"))
        for path in folders:
            folder = os.path.dirname(path)
            with open(path) as file:
                want = json.load(file)
            with open(os.path.join(folder, "state.json")) as file:
                state = json.load(file)
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
        folders = sorted(glob.glob(os.path.join(SHARED, "robots", "*", "expect.json")))
        if not folders:
            self.skipTest("no reference values at " + os.path.join(SHARED, "robots"))
        for path in folders:
            folder = os.path.dirname(path)
            with open(path) as file:
                want = json.load(file)
            with open(os.path.join(folder, "state.json")) as file:
                state = json.load(file)
            floating = "base" in state
            robot = jounce.Model(os.path.join(folder, "model.urdf"), layout="pinocchio",
                                 root="floating" if floating else "fixed")
            # as Pinocchio holds them: p, x y z w; linear first; written out without jounce
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
