#!/usr/bin/env python3
"""A Stewart platform circles while it tilts: leg forces and their rates.

  python3 examples/stewart_circle.py [FIGURE.svg]      the figure needs gnuplot"""
import subprocess
import sys

import numpy as np

import jounce

robot = jounce.Model("stewart", representation="hybrid")
at = {joint["name"]: joint for joint in robot.joints}
slides = [at["slide%d" % i]["iv"] for i in range(1, 7)]
turn, radius, tilt = 2 * np.pi, 0.08, 0.12                # rad/s, m, rad
home, weight = robot.home(), robot.mass * 9.81


def circle(t, k):
    """Derivative k of (cos, sin)(turn t)."""
    return turn ** k * np.array([np.cos(turn * t + k * np.pi / 2), np.sin(turn * t + k * np.pi / 2)])


times, rows, shown = np.linspace(0, 1, 61), [], []
q = home.copy()
for t in times:
    # the platform is driven: its centre circles, and it tilts towards the centre of the circle; the legs follow
    angle, v = turn * t, np.zeros((4, robot.nv))
    axis = np.array([-np.sin(angle), np.cos(angle), 0.0])
    q[:4] = [np.cos(tilt / 2), *(-np.sin(tilt / 2) * axis)]
    q[4:7] = home[4:7] + [*(radius * circle(t, 0)), 0.03]
    for k in range(4):
        x, y = radius * circle(t, k + 1)
        v[k, 3:5] = x, y
    # R = Rz(angle) R_0 Rz(-angle): omega = turn (z - R z)
    spin = turn * (np.array([0, 0, 1.0]) - robot.frame_pose(q, "platform")[:3, 2])
    for k in range(4):                                     # it turns with the circle
        c, s = np.cos(k * np.pi / 2), np.sin(k * np.pi / 2)
        v[k, :2] = turn ** k * np.array([c * spin[0] - s * spin[1], s * spin[0] + c * spin[1]])
    v[0, 2] = spin[2]
    q, v = robot.assemble(q, v, driven=["base"])           # the last state is the next guess
    got = robot.constrained_inverse_dynamics(q, v)
    # the slides do all the work; the feet carry the weight and change the momentum
    energy = robot.momentum_energy(q, v)
    ground = sum(got.forces[0, robot.constraints["foot%d" % i]] for i in range(1, 7))
    assert abs(got.tau[0, slides] @ v[0, slides] - energy.kinetic[1] - energy.potential[1]) < 1e-9 * weight
    assert np.abs(ground - [0, 0, weight] - energy.momentum[1, 3:]).max() < 1e-9 * weight
    rows.append((t, *got.tau[0, slides], *got.tau[1, slides]))
    if len(shown) < 3 and t >= len(shown) / 3 - 1e-9:
        tops = [robot.frame_pose(q, "leg%d" % i)[:3, 3] for i in range(1, 7)]
        feet = [robot.frame_pose(q, "rod%d" % i)[:3, 3] for i in range(1, 7)]
        shown.append((t, tops, feet))
rows = np.array(rows)
# the rates are the derivatives of the forces, and the motion comes back after a turn
step = np.gradient(rows[:, 1:7], times, axis=0)
assert np.abs(step - rows[:, 7:])[2:-2].max() < 2e-2 * np.abs(rows[:, 7:]).max()
assert np.abs(rows[0, 1:] - rows[-1, 1:]).max() < 1e-8 * np.abs(rows[:, 1:]).max()
print("leg forces %.1f to %.1f N, rates to %.0f N/s" %
      (rows[:, 1:7].min(), rows[:, 1:7].max(), np.abs(rows[:, 7:]).max()))

if len(sys.argv) > 1:
    colours = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")

    def project(points, i):
        return "".join("%g %g\n" % (p[0] - 0.4 * p[1] + 1.13 * i, 0.35 * p[1] + 0.12 * p[0] + p[2]) for p in points)

    hexagons, legs = "", [""] * 6
    for i, (t, tops, feet) in enumerate(shown):
        hexagons += project(feet + feet[:1], i) + "\n" + project(tops + tops[:1], i) + "\n"
        for leg in range(6):
            legs[leg] += project([tops[leg], feet[leg]], i) + "\n"
    blocks = "".join("$l%d << EOD\n%sEOD\n" % (i, leg) for i, leg in enumerate(legs))
    curves = "".join(" ".join("%g" % x for x in row) + "\n" for row in rows)
    drawn = ", ".join("$l%d with linespoints lw 3 pt 7 ps 0.5 lc rgb '%s'" % (i, c) for i, c in enumerate(colours))
    plotted = ", ".join("$d using 1:%d with lines lw 2 lc rgb '%s' title 'leg %d'" % (i + 2, c, i + 1)
                        for i, c in enumerate(colours))
    plot = ("set terminal svg size 900,380 dynamic font 'DejaVu Sans, Helvetica, sans-serif,12' background '#ffffff'\n"
            "set output '%s'\nset multiplot\n$h << EOD\n%sEOD\n$d << EOD\n%sEOD\n%sset origin 0,0\n"
            "set size ratio -1 0.64,1\nset title 'the platform at 0, 1/3 and 2/3 s'\nunset border\nunset tics\n"
            "unset key\nset xrange [-0.68:2.94]\nset yrange [-0.3:1.05]\n"
            "plot $h with lines lw 3 lc rgb '#49525e', %s\n"
            "set origin 0.64,0\nset size noratio 0.36,1\nset autoscale\nset border 3 lc rgb '#49525e'\n"
            "set tics nomirror out scale 0.5\nset grid\nset key below\nset title 'forces of the slides [N]'\n"
            "set xlabel 't [s]' offset 0,0.7\nplot %s\n" % (sys.argv[1], hexagons, curves, blocks, drawn, plotted))
    subprocess.run(["gnuplot"], input=plot, text=True, check=True)
