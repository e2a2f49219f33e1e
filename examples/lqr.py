"""An LQR about hovering for a flying robot with two arms: A and B are exact, on SE(3) x R^n, and the
error of the attitude is a rotation vector, so that no angle is ever unwrapped."""
import numpy as np

import jounce

robot = jounce.Model("tilthex", representation="body")
n, tick = robot.nv, 0.01
goal = robot.home()
hover = robot.inverse_dynamics(goal, np.zeros((2, n)))[0]

A, B = robot.linearise(goal, np.zeros(n), hover)
Ad, Bd = jounce.zero_order_hold(A, B, tick)

# discrete Riccati equation by iteration
Q, R = np.diag([50.0] * n + [1.0] * n), 0.05 * np.eye(n)
P = Q.copy()
for _ in range(3000):
    K = np.linalg.solve(R + Bd.T @ P @ Bd, Bd.T @ P @ Ad)
    new = Q + Ad.T @ P @ (Ad - Bd @ K)
    done = np.abs(new - P).max() < 1e-10 * np.abs(P).max()
    P = new
    if done:
        break
poles = np.abs(np.linalg.eigvals(Ad - Bd @ K)).max()

start = robot.integrate(goal, np.array([0.6, -0.4, 0.3, 0.5, -0.5, 0.2] + [0.3] * (n - 6)))
simulation = jounce.Simulation(robot, tolerance=1e-9)
simulation.set_state(0, start, np.zeros(n))
cost = []
for k in range(500):
    t, q, v = simulation.state
    z = np.concatenate([robot.difference(goal, q), v])
    cost.append(z @ P @ z)
    simulation.set_tau(hover - K @ z)
    simulation.run_to((k + 1) * tick)
left = np.abs(robot.difference(goal, simulation.q)).max()
print("slowest closed-loop pole %.3f; from 0.6 rad off to %.1e in 5 s" % (poles, left))
assert poles < 1 and left < 1e-3 and cost[-1] < 1e-4 * cost[0]
