"""Simulations: integrators, forces, events, errors in callbacks."""
import unittest

import numpy as np

import jounce
from support import close, main, random_state, residual


class Simulations(unittest.TestCase):
    def test_energy_stays(self):
        robot = jounce.Model("tilthex", representation="body", gravity=[0, 0, 0])
        q, v = random_state(robot, 1)
        sim = jounce.Simulation(model=robot)
        with self.assertRaisesRegex(TypeError, "got two values for 'model'"):
            jounce.Simulation(robot, model=robot)
        sim.set_state(0, q, v[0])
        before = robot.momentum_energy(q, v[0])
        qs, vs = sim.run(np.linspace(0.1, 1, 10))
        self.assertEqual((qs.shape, vs.shape, sim.t), ((10, robot.nq), (10, robot.nv), 1.0))
        after = robot.momentum_energy(qs[-1], vs[-1])
        close("energy", after.kinetic, before.kinetic, 1e-10)
        close("momentum", after.momentum, before.momentum, 1e-10)
        self.assertGreater(sim.statistics.steps, 0)
        mid_q, mid_v = sim.at(sim.t)
        np.testing.assert_allclose(mid_q, qs[-1], atol=1e-12)

    def test_forces_and_events(self):
        robot = jounce.Model("pendulum")
        calls = []

        def spring(t, q, v):
            calls.append(t)
            return -5 * q - 0.5 * v

        by_call = jounce.Simulation(robot, "rkmk54", state=spring, tolerance=1e-11)
        by_name = jounce.Simulation(robot, "rkmk54", stiffness=[5], damping=[0.5], tolerance=1e-11)
        for sim in (by_call, by_name):
            sim.set_state(0, [1.0], [0.0])
            self.assertEqual(sim.run_to(1.5), -1)
        residual("spring by call and by name", abs(by_call.q[0] - by_name.q[0]), 1e-12)
        self.assertTrue(calls)
        falling = jounce.Simulation(robot, events=[(lambda t, q, v: q[0], -1)])
        falling.set_state(0, [0.5], [0.0])
        self.assertEqual(falling.run_to(10), 0)
        residual("event", abs(falling.q[0]), 1e-9)
        for force in ({"table": ([0, 1, 2], [[0], [1], [1]])}, {"polynomial": (0, [[0], [1.0]])},
                      {"fourier": (2.0, [[0], [1]], [[0], [0]])},
                      {"time": lambda t, order: np.array([[t]] + [[1.0]] * (order > 0) + [[0.0]] * (order - 1))},
                      {"external": [("link1", [1, 1, 1, 0, 0, 0], "body")]}, {"tau": [1.0]}):
            sim = jounce.Simulation(robot, **force)
            self.assertEqual(sim.run_to(0.5), -1)
            self.assertNotEqual(sim.v[0], 0)

    def test_a_late_push_is_seen(self):
        robot = jounce.Model("pendulum", gravity=[0, 0, 0])
        calls = []

        def push(t, order):  # 5 N m from 5 s to 5.5 s
            calls.append(t)
            return np.array([[5.0 if 5 <= t < 5.5 else 0.0]] + [[0.0]] * order)

        inertia = robot.mass_matrix([0.0])[0, 0]
        for scheme in ("taylor", "rkmk54", "radau"):
            sim = jounce.Simulation(robot, scheme, time=push, tolerance=1e-9)
            sim.run_to(10)
            residual("late push, " + scheme, abs(sim.v[0] - 2.5 / inertia), 1e-7)
        calls.clear()
        jounce.Simulation(robot, time=push, resolution=1e-3).run_to(1)
        self.assertGreater(len(calls), 4000)

    def test_a_limit_names_itself_and_the_remedy(self):
        robot = jounce.Model("pendulum")
        stiff = jounce.Simulation(robot, "rkmk54", state=lambda t, q, v: -1e9 * v, max_steps=100)
        stiff.set_state(0, [1.0], [1.0])
        with self.assertRaisesRegex(jounce.LimitError, "max_steps = 100 .*give stiff springs, damping and friction as such"):
            stiff.run_to(10)
        damped = jounce.Simulation(robot, damping=[1e9])
        damped.set_state(0, [1.0], [1.0])
        damped.run_to(10)
        self.assertLess(damped.statistics.steps, 1000)
        top = jounce.Simulation(robot, "variational", step=1.0)
        top.set_state(0, [0.0], [30.0])
        with self.assertRaisesRegex(jounce.LimitError, "too long.*shorten the step"):
            top.run_to(10)
        with self.assertRaises(jounce.ArgumentError):
            jounce.Simulation(robot, resolution=-1)
        with self.assertRaises(jounce.ArgumentError):
            jounce.Simulation(robot, max_steps=-1)
        with self.assertRaisesRegex(jounce.LimitError, "order 1002, the largest is 1000"):
            robot.kinematics([0.0], np.zeros((1003, 1)))

    def test_errors_in_callbacks_come_out(self):
        robot = jounce.Model("pendulum")

        def broken(t, q, v):
            raise KeyError("mine")

        sim = jounce.Simulation(robot, "rkmk4", step=0.01, state=broken)
        with self.assertRaises(KeyError):
            sim.run_to(1)
        with self.assertRaises(TypeError):
            jounce.Simulation(robot, "rkmk4", step=0.01, state=lambda t, q, v: None).run_to(1)
        with self.assertRaises(KeyError):
            jounce.Simulation(robot, events=[broken]).run_to(1)
        again = []
        sim = jounce.Simulation(robot, "rkmk4", step=0.01, state=lambda t, q, v: again.append(sim.run_to(2)))
        with self.assertRaises(jounce.StateError):
            sim.run_to(1)

    def test_elastic(self):
        robot = jounce.Model("pendulum")
        sim = jounce.Simulation(robot, motor_stiffness=[1e3], motor_inertia=[0.1], tau=[1.0])
        sim.set_state(0, [0.2], [0])
        sim.set_motor([0.2], [0.0])
        sim.run_to(0.1)
        theta, rate = sim.motor
        self.assertNotEqual(theta[0], sim.q[0])


if __name__ == "__main__":
    main()
