#!/usr/bin/env python3
"""A humanoid on two flat feet: it squats while its left arm swings; then on one foot, and in the air.

  python3 examples/humanoid_feet.py [FIGURE.svg]      the figure needs gnuplot"""
import os
import subprocess
import sys

import numpy as np

import jounce

HERE = os.path.dirname(os.path.abspath(__file__))
spec = jounce.Spec.load("humanoid").extend(os.path.join(HERE, "data", "feet.json"))
robot = spec.build(representation="hybrid")
weight = robot.mass * 9.81
legs = [side + "_" + joint for side in ("left", "right") for joint in ("hip", "knee", "ankle")]
given = [joint["name"] for joint in robot.joints if joint["name"] not in legs]   # the legs follow
at = {joint["name"]: joint for joint in robot.joints}
knee, elbow = at["left_knee"]["iv"], at["left_elbow"]
chains = [["left_foot", "left_shank", "left_thigh", "pelvis", "chest", "head"],
          ["right_foot", "right_shank", "right_thigh", "pelvis"],
          ["chest", "left_upper_arm", "left_forearm", "left_hand"]]

times, w = np.linspace(0, 2, 81), np.pi
q, rows, shown = robot.home(), [], []
q[at["left_knee"]["iq"]] = q[at["right_knee"]["iq"]] = 0.5           # a guess with bent knees
for t in times:
    v = np.zeros((2, robot.nv))
    q[6], v[0, 5], v[1, 5] = 0.9 - 0.1 * (1 - np.cos(w * t)), -0.1 * w * np.sin(w * t), -0.1 * w * w * np.cos(w * t)
    q[elbow["iq"]], v[0, elbow["iv"]] = -0.8 + 0.6 * np.cos(2 * w * t), -1.2 * w * np.sin(2 * w * t)
    v[1, elbow["iv"]] = -2.4 * w * w * np.cos(2 * w * t)
    q, v = robot.assemble(q, v, driven=given)                          # the last state is the next guess
    got = robot.constrained_inverse_dynamics(q, v)                     # more motors than needed: least effort
    left, right = (got.forces[0, robot.constraints[foot]] for foot in ("left", "right"))
    # the ground carries the weight and changes the momentum; the base has no motor
    rate = robot.momentum_energy(q, v).momentum[1, 3:]
    assert np.abs(left[3:] + right[3:] - [0, 0, weight] - rate).max() < 1e-9 * weight
    assert np.abs(got.tau[0, :6]).max() < 1e-9 * weight
    rows.append((t, left[5], right[5], got.tau[0, knee]))
    if len(shown) < 3 and t >= 0.5 * len(shown):
        figure = [[robot.frame_pose(q, link)[:3, 3] for link in chain] for chain in chains]
        for chain in figure[:2]:                                       # soles
            chain[:0] = [chain[0] + [0.17, 0, -0.09], chain[0] + [-0.07, 0, -0.09]]
        shown.append((figure, left, right))
rows = np.array(rows)
print("vertical force of the left foot %.0f to %.0f N, of the right %.0f to %.0f N (half the weight: %.0f N)" %
      (rows[:, 1].min(), rows[:, 1].max(), rows[:, 2].min(), rows[:, 2].max(), weight / 2))

# at rest on one foot: the other constraint is not active
rest = np.zeros((2, robot.nv))
one = robot.constrained_inverse_dynamics(q, rest, active=["left"]).forces[0]
assert abs(one[robot.constraints["left"]][5] - weight) < 1e-9 * weight
assert np.abs(one[robot.constraints["right"]]).max() == 0
# on none: nothing holds the base
try:
    robot.constrained_inverse_dynamics(q, rest, active=[])
    raise AssertionError("a robot in the air cannot be at rest")
except jounce.ActuationError as e:
    print("in the air:", e)

if len(sys.argv) > 1:
    text, plots = "", []
    for i, (figure, left, right) in enumerate(shown):
        for chain in figure:
            text += "".join("%g %g\n" % (p[0] + 0.2 * p[1] + 0.8 * i, p[2] + 0.1 * p[1]) for p in chain) + "\n"
        for y, force in ((0.09, left), (-0.09, right)):
            plots.append("set arrow from %g,%g to %g,%g lw 2 lc rgb '#c02020' filled front" %
                         (0.2 * y + 0.8 * i, 0.1 * y, 0.2 * y + 0.8 * i + force[3] / 700, 0.1 * y + force[5] / 700))
    curves = "".join("%g %g %g %g\n" % tuple(row) for row in rows)
    plot = ("set terminal svg size 900,400 dynamic font 'DejaVu Sans, Helvetica, sans-serif,12' background '#ffffff'\n"
            "set linetype 1 lc rgb '#0072b2'\nset linetype 2 lc rgb '#d55e00'\nset linetype 3 lc rgb '#009e73'\n"
            "set border 3 lc rgb '#49525e'\nset tics nomirror out scale 0.5\nset output '%s'\nset multiplot\nset origin 0,0\n"
            "$f << EOD\n%sEOD\n$d << EOD\n%sEOD\nset size ratio -1 0.55,1\nset xrange [-0.25:2.05]\n"
            "set yrange [-0.05:1.55]\n"
            "set title 'pose and ground forces at 0, 0.5 and 1 s'\nset ylabel 'm'\nunset xtics\nunset key\n%s\n"
            "plot $f with linespoints lw 2 pt 7 ps 0.4 lc rgb '#204080', 0 with lines lc rgb '#606060'\n"
            "unset arrow\nset origin 0.53,0\nset size noratio 0.47,1\nset autoscale\nset xtics\nset grid\n"
            "set key below\nset title ''\n"
            "set xlabel 't [s]' offset 0,0.7\nset ylabel 'N'\nset y2label 'N m'\nset y2tics\nset ytics nomirror\n"
            "plot $d using 1:2 with lines lw 2 title 'left foot, vertical force', $d using 1:3 with lines lw 2 title "
            "'right foot', $d using 1:4 axes x1y2 with lines lw 2 dt 2 title 'torque of the left knee'\n"
            % (sys.argv[1], text, curves, "\n".join(plots)))
    subprocess.run(["gnuplot"], input=plot, text=True, check=True)
