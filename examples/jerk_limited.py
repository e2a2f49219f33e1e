"""Jerk- and torque-rate-limited planning: the fastest run of a path whose limits hold.

Slowed down by s, q^(k) falls as s^-k: joint limits of every order give s at once. The torque rate
depends on s, too, but not as a power (gravity stays): tau(s) = a/s^2 + g, so its rate is b/s^3 + c/s."""
import numpy as np

import jounce

robot = jounce.Model("arm7")
waypoints = np.random.default_rng(3).uniform(-1.2, 1.2, (5, robot.nq))
fast = jounce.Trajectory.minimum(robot, np.arange(5) * 0.5, waypoints, derivative=4)

limits = {1: 2.5, 2: 5.0, 3: 12.0}        # velocity, acceleration, jerk
rate_limit = 150.0                        # N m/s


def peaks(motion, samples=2000):
    q, v = motion.at(np.linspace(motion.start, motion.end, samples), order=1)
    tau = robot.inverse_dynamics(q, v)
    return {k: np.abs(v[:, k - 1]).max() for k in limits}, np.abs(tau[:, 1]).max()


motion_peaks, rate = peaks(fast)
scale = max((motion_peaks[k] / limits[k]) ** (1 / k) for k in limits)

# the torque rate at every sample as a polynomial in 1/s, from two exact runs: b/s^3 + c/s
t = np.linspace(fast.start, fast.end, 2000)
q, v = fast.at(t, order=1)
still = robot.with_settings(gravity=(0, 0, 0))
b = still.inverse_dynamics(q, v)[:, 1]
c = robot.inverse_dynamics(q, v)[:, 1] - b
while np.abs(b / scale ** 3 + c / scale).max() > rate_limit:
    scale *= 1.001

slow = fast.scaled(scale)
motion_peaks, after = peaks(slow)
print("%.2f s -> %.2f s; torque rate %.0f -> %.1f N m/s (limit %.0f)" %
      (fast.end, slow.end, rate, after, rate_limit))
for k, name in ((1, "velocity"), (2, "acceleration"), (3, "jerk")):
    print("%-12s %7.2f of %g" % (name, motion_peaks[k], limits[k]))
assert all(motion_peaks[k] <= limits[k] * (1 + 1e-9) for k in limits) and after <= rate_limit * (1 + 1e-9)
assert any(motion_peaks[k] > 0.99 * limits[k] for k in limits) or after > 0.99 * rate_limit
