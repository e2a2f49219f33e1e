#!/usr/bin/env python3
"""Crank torque, torque rate and pin force of a four-bar over one turn at constant speed.

  python3 examples/fourbar.py [FIGURE.svg]      the figure needs gnuplot"""
import subprocess
import sys

import numpy as np

import jounce

robot = jounce.Model("fourbar")
speed = 4.0                                              # rad/s
angles = np.linspace(0, 2 * np.pi, 361)
guess = robot.home()
torque, rate, pin = [], [], []
for angle in angles:
    guess[0] = angle
    v = np.zeros((3, robot.nv))
    v[0, 0] = speed
    guess, v = robot.assemble(guess, v, driven=["crank"])   # the last state is the next guess
    got = robot.constrained_inverse_dynamics(guess, v)
    torque.append(got.tau[0, 0])
    rate.append(got.tau[1, 0])
    pin.append(np.linalg.norm(got.forces[0, robot.constraints["pin"]]))
torque, rate = np.array(torque), np.array(rate)

# after a turn of the crank the coupler has turned back by as much relative to it, the rocker is where it was; the mean
# torque vanishes: the weight does no work over a turn
assert np.abs(guess - [2 * np.pi, -2 * np.pi, 0]).max() < 1e-12
assert abs(torque[:-1].mean()) < 1e-12
# the rates are the derivative of the torque
step = np.gradient(torque, angles / speed)
assert np.abs(step - rate)[2:-2].max() < 2e-3 * np.abs(rate).max()
print("torque %.2f to %.2f N m, rate to %.0f N m/s, pin force to %.1f N" %
      (torque.min(), torque.max(), np.abs(rate).max(), max(pin)))

if len(sys.argv) > 1:
    rows = "".join("%g %g %g %g\n" % row for row in zip(np.degrees(angles), torque, rate / 10, pin))
    plot = ("set terminal svg size 760,360 dynamic font 'DejaVu Sans, Helvetica, sans-serif,12' background '#ffffff'\n"
            "set linetype 1 lc rgb '#0072b2'\nset linetype 2 lc rgb '#d55e00'\nset linetype 3 lc rgb '#009e73'\n"
            "set border 3 lc rgb '#49525e'\nset tics nomirror out scale 0.5\nset output '%s'\nset xlabel 'crank angle [deg]'\n"
            "set xrange [0:360]\nset xtics 60\nset grid\nset key outside\n$d << EOD\n%sEOD\n"
            "plot $d using 1:2 with lines lw 2 title 'torque [N m]', $d using 1:3 with lines lw 2 title "
            "'torque rate [10 N m/s]', $d using 1:4 with lines lw 2 title 'pin force [N]'\n" % (sys.argv[1], rows))
    subprocess.run(["gnuplot"], input=plot, text=True, check=True)
