"""Wrong calls and what they say: a table. Every message names the argument, and where it can the state, the number, the
joint and the nearest right name."""
import unittest

import numpy as np

import jounce
from support import main, random_state

arm, hex_, bar = jounce.Model("arm6"), jounce.Model("tilthex"), jounce.Model("fourbar")
human = jounce.Model("humanoid")
q, v = random_state(arm, 3)
Q, V = random_state(hex_, 3)
nan, inf = float("nan"), float("inf")
motion = jounce.Trajectory.minimum(arm, [0, 1], [q, q + 1])

rotors = jounce.Spec("rotors").add_link("b")
clock = np.arange(60) * 0.1
pendulum = jounce.Model("pendulum")
fitted = jounce.Trajectory.fit(pendulum, clock, np.sin(clock)[:, None]
                               + 1e-3 * np.random.default_rng(0).normal(size=(60, 1)))
started = jounce.Simulation(pendulum)
started.set_state(0, [0.1], [0])


def with_nan(x, *index, value=nan):
    x = x.copy()
    x[index] = value
    return x


# call, exception, what the message contains
WRONG = [
    # names, and the nearest right one
    (lambda: arm.joint_index("join2"), ValueError, "the model has no joint 'join2'; did you mean 'joint2'?"),
    (lambda: arm.joint_index("elbow"), ValueError, "no joint 'elbow'; there are 'mount', 'joint1', 'joint2'"),
    (lambda: human.frame_pose(human.home(), "left_hnad"), ValueError, "no frame 'left_hnad'; did you mean 'left_hand'?"),
    (lambda: human.hybrid_dynamics(human.home(), np.zeros((2, human.nv)), np.zeros((1, human.nv)), ["left_elbw"]),
     ValueError, "no joint 'left_elbw'; did you mean 'left_elbow'?"),
    (lambda: bar.constrained_inverse_dynamics([0.5, 0, 0], np.zeros((2, 3)), active=["pn"]), ValueError,
     "no constraint 'pn'; did you mean 'pin'?"),
    (lambda: arm.constrained_inverse_dynamics(q, v, active=["pin"]), ValueError, "no constraint 'pin'; there are none"),
    (lambda: arm.constrained_inverse_dynamics(q, v, active=[0]), ValueError, "the model has no constraints"),
    (lambda: hex_.kinematics(Q).cmtm("B44"), ValueError, "no body 'B44'; did you mean 'B4'?"),
    (lambda: arm.inverse_dynamics(q, v, external=[("tol", np.zeros((2, 6)))]), ValueError, "the model has no frame 'tol'"),
    (lambda: jounce.Spec("a" * 300), jounce.LimitError, "a name of 300 bytes: the longest has 255"),
    (lambda: jounce.Spec("s").add_link("a" * 300), jounce.LimitError, "a name of 300 bytes: the longest has 255"),
    (lambda: jounce.Spec("s").add_link(""), jounce.ArgumentError, "a name is empty"),
    (lambda: jounce.Spec("s").add_joint("j", "revolute", "b" * 256, "c"), jounce.LimitError, "a name of 256 bytes"),
    (lambda: jounce.Spec("s").add_frame("f", "b" * 256), jounce.LimitError, "a name of 256 bytes"),
    (lambda: jounce.Spec("s").add_rotor("r" * 256, "b", c_f=1), jounce.LimitError, "a name of 256 bytes"),
    (lambda: [rotors.add_rotor("r%d" % i, "b", c_f=1) for i in range(33)], jounce.LimitError, "more than 32 rotors"),
    (lambda: jounce.Spec("s").add_constraint("c", "coupling", terms={"j%d" % i: 1 for i in range(101)}), jounce.LimitError,
     "more than 100 terms"),
    (lambda: jounce.Trajectory.bspline(arm, np.zeros((60, arm.nq)), degree=40), jounce.ArgumentError,
     "degree: an integer from 1 to 31 expected, found 40"),
    (lambda: jounce.to_taylor(np.zeros((1500, 2))), jounce.LimitError, "x: 1500 orders, at most 1002 can be converted"),
    (lambda: jounce.to_taylor(3.0), jounce.ArgumentError, "x: a first axis of orders expected"),
    (lambda: motion.elastic(99, 1e3, 1.0), jounce.ArgumentError, "t: the trajectory runs from 0 to 1"),
    (lambda: fitted.force_band(99), jounce.ArgumentError, "t: the trajectory runs from 0 to 5.9"),
    (lambda: started.at(7), jounce.ArgumentError, "t: 7 is not within the last step, which ends at 0"),
    (lambda: arm.joint_index(7), ValueError, "joint: an integer from 0 to 6 expected, found 7"),
    (lambda: arm.frame_index(-1), ValueError, "frame: an integer from 0 to 7 expected, found -1"),
    (lambda: arm.frame_index(1.5), TypeError, "frame: a name or an index expected, found float"),
    (lambda: arm.frame_index(None), TypeError, "frame: a name or an index expected, found NoneType"),
    (lambda: arm.state({"joint22": 1}), ValueError, "no joint 'joint22'; did you mean 'joint2'?"),
    (lambda: hex_.state({"base:xx": 1}), ValueError, "no number 'base:xx'; did you mean 'base:x'?"),
    (lambda: hex_.state(v={"base:vw": 1}), ValueError, "v: the model has no number 'base:vw'; did you mean 'base:"),
    (lambda: jounce.Spec.load("arm6").lock("joint33"), ValueError, "there is no joint 'joint33'; did you mean 'joint3'?"),
    (lambda: jounce.Spec.load("arm6").set_armature("x", 1), ValueError, "there is no joint 'x'"),
    (lambda: motion.retime(jerk=1, tool_speed=("tol", 1.0)), ValueError, "the model has no frame 'tol'"),
    (lambda: motion.tool_peak("linkk3"), ValueError, "no frame 'linkk3'; did you mean 'link3'?"),
    (lambda: jounce.Model("arm66"), OSError, "did you mean 'arm6'?"),
    # arguments and words
    (lambda: arm.inverse_dynamics(q, v, exernal=[]), TypeError, "has no argument 'exernal'; did you mean 'external'?"),
    (lambda: arm.inverse_dynamics(q), TypeError, "inverse_dynamics() needs 'v'"),
    (lambda: arm.inverse_dynamics(q, v, q=q), TypeError, "inverse_dynamics() got two values for 'q'"),
    (lambda: arm.mass_matrix(q, v), TypeError, "mass_matrix() takes at most 1 positional arguments (2 given)"),
    (lambda: jounce.Model("arm6", thread=2), TypeError, "Model has no setting 'thread'; did you mean 'threads'?"),
    (lambda: jounce.Model("arm6", representation="bdy"), ValueError, "found 'bdy'; did you mean 'body'?"),
    (lambda: jounce.Model("arm6", layout="mujuco"), ValueError, "found 'mujuco'; did you mean 'mujoco'?"),
    (lambda: jounce.Model("arm6", root="free"), ValueError, "root: one of 'as given', 'fixed', 'floating' expected"),
    (lambda: jounce.Model("arm6", floating=True), TypeError, "Model has no setting 'floating': use root='floating'"),
    (lambda: hex_.linearise_step(Q, V[0], V[1], 0.1), ValueError,
     "linearise_step: free joints in body representation only: Model(..., representation='body')"),
    (lambda: arm.inverse_kinematics("tool", np.eye(4) + 9 * np.eye(4, k=3)), jounce.AssemblyError,
     "'tool' does not reach its pose"),
    (lambda: arm.with_settings(threads=-1), ValueError, "threads: an integer from 0 to"),
    (lambda: arm.with_settings(gravity=[0, 1]), ValueError, "gravity: shape (3,) expected, found (2,)"),
    (lambda: jounce.Simulation(arm, "tayler"), ValueError, "found 'tayler'; did you mean 'taylor'?"),
    (lambda: jounce.Simulation(arm, tolerence=1), TypeError, "no argument 'tolerence'; did you mean 'tolerance'?"),
    (lambda: jounce.Simulation(arm, "rkmk4"), ValueError, "step"),
    (lambda: jounce.Simulation("arm6"), TypeError, "Simulation() needs a Model"),
    (lambda: arm.linearise(q, v[0], v[0], input="map"), ValueError, "input='map' needs map="),
    (lambda: arm.hybrid_dynamics(q, v, v[:2], "joint2"), TypeError, "prescribed: a list of names expected, found a str"),
    (lambda: jounce.Spec("x").add_joint("j", "revolut", None, "a"), ValueError, "did you mean 'revolute'?"),
    (lambda: jounce.Spec("x").add_constraint("c", "wld", "a"), ValueError, "did you mean 'weld'?"),
    (lambda: jounce.Spec("x").add_constraint("c", "coupling", terms=[1]), TypeError, "terms: a dict {joint: coefficient}"),
    # shapes
    (lambda: arm.inverse_dynamics(q[:5], v), ValueError, "q: shape (..., nq) expected with nq = 6, nv = 6, found (5,)"),
    (lambda: arm.inverse_dynamics(q, v[0]), ValueError, "v: shape (..., r+2, nv) expected with nq = 6, nv = 6, found (6,)"),
    (lambda: arm.inverse_dynamics(q, v[:1]), ValueError, "v: shape (..., r+2, nv) expected"),
    (lambda: arm.inverse_dynamics(np.stack([q] * 3), np.stack([v] * 4)), ValueError,
     "v: its leading axes (4,) do not broadcast with (3,) of the arrays before it"),
    (lambda: arm.inverse_dynamics(q, v, external=[("link2", np.zeros(6))]), ValueError,
     "external: shape (..., 2, 6) expected, found (6,)"),
    (lambda: arm.inverse_dynamics(q, v, external=[("link2",)]), ValueError, "found 1 items"),
    (lambda: arm.inverse_dynamics(q, v, tau_ext=np.zeros((2, 5))), ValueError, "tau_ext: shape (..., 2, 6) expected"),
    (lambda: arm.inverse_dynamics(q, v, out=np.empty((3, 6))), ValueError,
     "out: tau: a writeable C-contiguous float64 array of shape (2, 6) expected"),
    (lambda: arm.inverse_dynamics(q, v, out=v[:2]), ValueError, "out: tau shares memory with v"),
    (lambda: arm.inverse_partials(q, v, out=(np.empty(1),)), ValueError, "out: 2 arrays expected, found 1"),
    (lambda: arm.inverse_dynamics(q, np.zeros((1003, 6))), ValueError, "order 1001, the largest is 1000"),
    (lambda: arm.state({"joint2": [1, 2]}), ValueError, "q of 'joint2': 1 number expected, found shape (2,)"),
    (lambda: hex_.state({"base": np.eye(3)}), ValueError, "q of 'base': 7 numbers or a pose (4, 4) expected"),
    (lambda: arm.state(v={"joint2": [1, 2, 3]}), ValueError, "v of 'joint2': at most 2 rows of 1 number expected"),
    (lambda: motion.limits(velocity=[1, 2]), ValueError, "velocity: a number or nv = 6 numbers expected"),
    (lambda: motion.clocked([[0, 1]]), ValueError, "clock: rows of 5 numbers expected"),
    (lambda: hex_.rotor_wrench(np.zeros((1, 4))), ValueError, "thrust: shape (..., r+1, 6) expected"),
    (lambda: arm.rotor_wrench(np.zeros((1, 4))), ValueError, "the model has no rotors"),
    # types
    (lambda: arm.inverse_dynamics(None, v), TypeError, "q: an array of numbers expected, found None"),
    (lambda: arm.inverse_dynamics(q, "fast"), TypeError, "v: an array of numbers expected, found str"),
    (lambda: arm.inverse_dynamics(q + 1j, v), TypeError, "q: an array of numbers expected, found ndarray"),
    (lambda: arm.state([0.1]), TypeError, "q: a dict of joints expected, found list"),
    (lambda: arm.state({"joint2": "bent"}), TypeError, "q of 'joint2': numbers expected, found str"),
    (lambda: arm.generate(inverse="all"), TypeError, "inverse: an order or a list of orders expected, found str"),
    (lambda: arm.generate(inverse=9), ValueError, "inverse: an integer from 0 to 5 expected, found 9"),
    (lambda: bar.generate(), ValueError, "constraint"),
    (lambda: arm.generate(scalar="half"), ValueError, "scalar: one of"),
    (lambda: arm.generate(signature="casadi", scalar="float"), ValueError, "one lane and double precision"),
    # numbers: which state, which number, which joint
    (lambda: arm.inverse_dynamics(q, with_nan(v, 1, 4)), ValueError, "not finite: v[1, 4] of 'joint5' is nan"),
    (lambda: arm.inverse_dynamics(with_nan(q, 2, value=inf), v), ValueError, "not finite: q[2] of 'joint3' is inf"),
    (lambda: arm.forward_dynamics(q, v[0], with_nan(v[1], 0, value=-inf)), ValueError, "tau[0] of 'joint1' is -inf"),
    (lambda: arm.inverse_dynamics(q, np.stack([v, v, with_nan(v, 0, 1)])), ValueError,
     "state 2: a number in the state or in the result is not finite: v[0, 1] of 'joint2' is nan"),
    (lambda: arm.mass_matrix(with_nan(np.stack([[q] * 3] * 2), 1, 2, 3)), ValueError,
     "state (1, 2): a number in the state or in the result is not finite: q[3] of 'joint4' is nan"),
    (lambda: arm.inverse_dynamics(q, np.full((3, 6), 1e308)), ValueError, "the state is finite, the result exceeds a double"),
    (lambda: hex_.mass_matrix(2 * Q), ValueError, "the quaternion of 'base' in q has length 2"),
    (lambda: hex_.mass_matrix(np.stack([Q, Q, 3 * Q, Q])), ValueError,
     "state 2: a rotation or pose is not in SO(3) or SE(3): the quaternion of 'base' in q has length 3"),
    (lambda: hex_.with_settings(layout="mujoco").inverse_dynamics(hex_.with_settings(layout="mujoco").home(),
                                                                  with_nan(V, 0, 0)), ValueError, "of 'base:vx' is nan"),
    (lambda: bar.constrained_inverse_dynamics([[0.5, 0, 0]], np.zeros((2, 3))), ValueError, "state 0: "),
    (lambda: hex_.with_pose(Q, "base", 2 * np.eye(3)), ValueError, "a rotation or pose is not in SO(3)"),
    (lambda: motion.at(3), ValueError, "t: the trajectory runs from 0 to 1"),
    (lambda: hex_.rotor_speeds([[-1, 1, 1, 1, 1, 1]]), ValueError, ""),
    (lambda: jounce.Spec.parse_urdf("<robot name='r'>\n<link name='a'></robot>", "my.urdf"), ValueError, "my.urdf:2:"),
]


class Messages(unittest.TestCase):
    def test_the_table(self):
        for i, (call, kind, text) in enumerate(WRONG):
            with self.subTest(i=i, text=text):
                with self.assertRaises(kind) as caught:
                    call()
                message = str(caught.exception)
                self.assertIn(text, message)
                self.assertNotIn("\n", message)
                self.assertLess(len(message), 500)
        print("%d wrong calls" % len(WRONG))
        self.assertGreaterEqual(len(WRONG), 60)

    def test_attributes(self):
        with self.assertRaises(jounce.NotFiniteError) as e:
            arm.mass_matrix(with_nan(np.stack([[q] * 3] * 2), 1, 2, 3))
        self.assertEqual(e.exception.index, 5)
        spec = jounce.Spec("light").add_link("a", 1, inertia=[1, 1, 1]).add_link("b")
        robot = spec.add_joint("wrist", "revolute", "a", "b").build()
        for call in (lambda: robot.forward_dynamics([[0.0], [1.0]], [0.0], [1.0]),
                     lambda: robot.forward_partials([[0.0], [1.0]], [0.0], [1.0])):
            with self.assertRaisesRegex(jounce.SingularError, "^state 0: .*: joint 'wrist'$") as e:
                call()
            self.assertEqual((e.exception.joint, e.exception.index), ("wrist", 0))


if __name__ == "__main__":
    main()
