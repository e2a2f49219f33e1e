"""Input without the effect that it seems to have is refused; settings of an object hold wherever it goes."""
import unittest

import numpy as np

import jounce
from support import main


def damped_rod():
    spec = jounce.Spec("rod")
    spec.add_link("base")
    spec.add_link("rod", mass=2.0, com=[0, 0, -0.5], inertia=[0.1, 0.1, 0.01])
    spec.add_joint("hinge", "revolute", "base", "rod", axis=[0, 1, 0], damping=0.8)
    return spec


class Settings(unittest.TestCase):
    def test_batches_of_trajectories_have_one_model_with_the_same_settings(self):
        robot = jounce.Model("arm7")
        way = [np.zeros(7), np.full(7, 0.5), np.full(7, -0.2)]
        here = jounce.Trajectory.minimum(robot, [0, 1, 2], way)
        above = jounce.Trajectory.minimum(robot.with_settings(gravity=[0, 0, 0]), [0, 1, 2], way)
        batch = jounce.Trajectory
        calls = [lambda x: batch.elastic_batch(x, [0.5], 100.0, 0.1), lambda x: batch.limits_batch(x, effort=10),
                 lambda x: batch.retime_batch(x, velocity=20, acceleration=100, intervals=60)]
        for call in calls:
            for mixed in ([here, above], [above, here]):
                with self.assertRaisesRegex(jounce.ArgumentError, "trajectory 1 is of a model with other settings"):
                    call(mixed)
        for path in (here, above):
            np.testing.assert_allclose(batch.elastic_batch([path, path], [0.5], 100.0, 0.1)[2][1, 0],
                                       path.elastic(0.5, 100.0, 0.1)[2], rtol=1e-13)

    def test_a_simulation_has_the_damping_of_its_model(self):
        for damping, given, lost in ((False, {}, False), (True, {}, True), (True, {"model_damping": False}, False),
                                     (False, {"model_damping": True}, True), (True, {"model_damping": None}, True)):
            robot = damped_rod().build(damping=damping)
            run = jounce.Simulation(robot, **given)
            run.set_state(0, [1.0], [0.0])
            run.run_to(3)
            energy = robot.momentum_energy(run.q, run.v[None])
            lost_now = robot.momentum_energy([1.0], [[0.0]])
            before, after = (float(np.ravel(x.kinetic)[0] + np.ravel(x.potential)[0]) for x in (lost_now, energy))
            self.assertEqual(before - after > 1, lost, (damping, given))

    def test_a_simulation_is_strict_if_its_model_is(self):
        ends = []
        for robot in (jounce.Model("tilthex", strict=True), jounce.Model("tilthex")):
            run = jounce.Simulation(robot, "rkmk54", tolerance=1e-9)
            run.set_state(0, robot.home(), np.linspace(-1, 1, robot.nv))
            run.run_to(0.5)
            ends.append(run.q)
        plain = jounce.Simulation(jounce.Model("tilthex", strict=True), "rkmk54", tolerance=1e-9)
        plain.set_state(0, plain.model.home(), np.linspace(-1, 1, plain.model.nv))
        plain.run_to(0.5)
        self.assertTrue(np.array_equal(ends[0], plain.q))
        if plain.model.with_settings(strict=False).engine != "plain":
            self.assertFalse(np.array_equal(ends[0], ends[1]))


class Arguments(unittest.TestCase):
    def test_masks_are_no_indices(self):
        four, arm, zeros = jounce.Model("fourbar"), jounce.Model("arm7"), np.zeros
        for call in (lambda: four.constrained_forward_dynamics(four.home(), zeros(3), zeros((1, 3)), active=[False]),
                     lambda: arm.hybrid_dynamics(zeros(7), zeros((2, 7)), zeros((1, 7)), [True] + [False] * 6),
                     lambda: arm.hybrid_dynamics(zeros(7), zeros((2, 7)), zeros((1, 7)), np.arange(7) < 1),
                     lambda: arm.frame_pose(zeros(7), True)):
            with self.assertRaisesRegex(TypeError, "found a bool; numpy.flatnonzero makes indices"):
                call()

    def test_masked_numbers_are_refused(self):
        robot, t = jounce.Model("double_pendulum"), np.linspace(0, 1, 40)
        q = np.ma.array(np.stack([np.sin(t), np.cos(t)], 1))
        whole = jounce.Trajectory.fit(robot, t, q, tolerance=0)  # nothing is masked yet
        np.testing.assert_allclose(whole.at(t[20], -1)[0], q[20])
        q[20] = np.ma.masked
        with self.assertRaisesRegex(jounce.ArgumentError, "some numbers are masked: leave out their rows"):
            jounce.Trajectory.fit(robot, t, q, tolerance=0)

    def test_a_table_of_forces_is_copied(self):
        robot, ends = jounce.Model("double_pendulum"), []
        for changed in (False, True):
            t, tau = np.array([0.0, 1, 2]), np.array([[0, 0], [5, 5], [0, 0.0]])
            run = jounce.Simulation(robot, table=(t, tau))
            run.set_state(0, [0.1, 0.2], [0, 0])
            if changed:
                t *= 10
                tau *= 0
            run.run_to(1.5)
            ends.append(run.q)
        self.assertTrue(np.array_equal(*ends))

    def test_what_has_no_effect_is_refused(self):
        robot = jounce.Model("double_pendulum")
        knots = [0, 0, 0, 0, 1, 2, 3, 3, 3, 3]
        for ends in ({"start": 5}, {"end": 9}):
            with self.assertRaisesRegex(jounce.ArgumentError, "the knots say where it starts and ends"):
                jounce.Trajectory.bspline(robot, np.zeros((6, 2)), degree=3, knots=knots, **ends)
        for options, words in (({"motor_inertia": [1, 1]}, "give motor_stiffness"), ({"rest": [1, 1]}, "give stiffness")):
            with self.assertRaisesRegex(jounce.ArgumentError, words):
                jounce.Simulation(robot, **options)

    def test_a_state_by_names_does_not_depend_on_their_order(self):
        robot, pose = jounce.Model("humanoid"), np.eye(4)
        heights = [robot.state(q)[0][6] for q in ({"base:z": 1.1, "base": pose}, {"base": pose, "base:z": 1.1})]
        self.assertEqual(heights, [1.1, 1.1])
        with self.assertRaisesRegex(jounce.ArgumentError, "are the same: give one"):
            robot.state({"left_elbow": 0.1, robot.joint_index("left_elbow"): 0.7})


if __name__ == "__main__":
    main()
