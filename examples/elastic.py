"""Elastic joints: the motors' torques that make the links follow a motion exactly.

tau = K (theta - q) and B theta'' + K (theta - q) = tau_m give theta = q + tau/K and
tau_m = tau + B (q'' + tau''/K): the second rate of the torque is needed. The check is a simulation of
motors and links with these torques."""
import numpy as np

import jounce

robot = jounce.Model("arm7")
n = robot.nv
stiffness, inertia = np.full(n, 2000.0), np.full(n, 0.3)
waypoints = np.array([np.zeros(n), np.linspace(-0.8, 0.8, n)])
motion = jounce.Trajectory.minimum(robot, [0, 1.5], waypoints, derivative=5)


def motor(t):
    q, v = motion.at(t, order=2)
    tau = robot.inverse_dynamics(q, v)
    theta = q + tau[..., 0, :] / stiffness
    rate = v[..., 0, :] + tau[..., 1, :] / stiffness
    torque = tau[..., 0, :] + inertia * (v[..., 1, :] + tau[..., 2, :] / stiffness)
    return theta, rate, torque, tau[..., 0, :]


def run(torque):
    end = motion.end
    sim = jounce.Simulation(robot, "rkmk54", tolerance=1e-8, motor_stiffness=stiffness, motor_inertia=inertia,
                            state=lambda t, q, v: torque(min(t, end)))
    q, v = motion.at(0.0)
    sim.set_state(0, q, v[0])
    sim.set_motor(*motor(0.0)[:2])
    sim.run_to(end)
    return np.abs(sim.q - waypoints[-1]).max()


exact, rigid = run(lambda t: motor(t)[2]), run(lambda t: motor(t)[3])
print("off at the end: %.1e rad with tau'', %.1e rad as if the joints were rigid" % (exact, rigid))
assert exact < 1e-4 and exact < rigid / 10
