"""Many states at once: the torque rates that a family of motions needs."""
import time

import numpy as np

import jounce

robot = jounce.Model("arm7")
random = np.random.default_rng(1)
count, order = 20000, 1
q = random.uniform(-np.pi, np.pi, (count, robot.nq))
v = random.normal(size=(count, order + 2, robot.nv))

tau = np.empty((count, order + 1, robot.nv))
robot.inverse_dynamics(q[:100], v[:100])                     # scratch is made once
start = time.perf_counter()
robot.inverse_dynamics(q, v, out=tau)
whole = time.perf_counter() - start
single = [robot.inverse_dynamics(q[i], v[i]) for i in range(0, count, 400)]

print("%d states, %.2f microseconds each" % (count, whole / count * 1e6))
for joint, torque, rate in zip(robot.dofs, *np.percentile(np.abs(tau), 99, axis=0)):
    print("%-8s 99 %% below %7.2f N m and %8.2f N m/s" % (joint, torque, rate))
np.testing.assert_allclose(tau[::400], single, rtol=1e-12, atol=1e-12)
