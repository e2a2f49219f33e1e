"""A computed-torque controller at 1 kHz: seven joints follow a smooth motion from a start that is off.

tau = inverse dynamics at q'' = q_d'' + 2 w (q_d' - q') + w^2 (q_d - q); the error dies out like
exp(-w t). The arrays of the loop are made once."""
import numpy as np

import jounce

robot = jounce.Model("arm7")
n, tick, w = robot.nv, 1e-3, 25.0

waypoints = np.array([np.zeros(n), 0.6 * np.cos(np.arange(n)), 0.5 * np.sin(np.arange(n))])
motion = jounce.Trajectory.minimum(robot, [0, 1, 2], waypoints)

simulation = jounce.Simulation(robot, tolerance=1e-9)
simulation.set_state(0, waypoints[0] + 0.05, np.zeros(n))

v, tau = np.empty((2, n)), np.empty((1, n))
errors = []
for k in range(2000):
    t, q, rate = simulation.state
    q_d, v_d = motion.at(t)
    errors.append(np.abs(q_d - q).max())
    v[0] = rate
    v[1] = v_d[1] + 2 * w * (v_d[0] - rate) + w * w * (q_d - q)
    robot.inverse_dynamics(q, v, out=tau)
    simulation.set_tau(tau[0])
    simulation.run_to((k + 1) * tick)

print("error at the start %.1e, after 0.5 s %.1e, at the end %.1e rad" % (errors[0], errors[500], errors[-1]))
assert errors[500] < 1e-3 and errors[-1] < 1e-3
