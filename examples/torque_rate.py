"""Torques, their rates and second rates along a motion. The check: the Taylor polynomial at one sample
predicts the next one, with an error of third order."""
import numpy as np

import jounce

robot = jounce.Model("arm7")
waypoints = np.random.default_rng(1).uniform(-1, 1, (4, robot.nq))
motion = jounce.Trajectory.minimum(robot, [0, 1, 2, 3], waypoints, derivative=4)

worst = []
for h in (2e-3, 1e-3):
    t = np.arange(0.1, 0.9, h)
    q, v = motion.at(t, order=2)           # (samples, nq), (samples, 4, nv)
    tau = robot.inverse_dynamics(q, v)     # (samples, 3, nv): tau, tau', tau''
    promised = tau[:-1, 0] + h * tau[:-1, 1] + h * h / 2 * tau[:-1, 2]
    worst.append(np.abs(tau[1:, 0] - promised).max())

peak = np.abs(tau).max(axis=(0, 2))
print("largest torque %.2f N m, rate %.2f N m/s, second rate %.2f N m/s^2" % tuple(peak))
print("the Taylor polynomial misses the next sample by %.1e N m; halving the step divides that by %.1f"
      % (worst[1], worst[0] / worst[1]))
assert 7 < worst[0] / worst[1] < 9
