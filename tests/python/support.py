"""Helpers of the tests of the Python module."""
import json
import os
import subprocess
import sys
import unittest

import numpy as np

import jounce

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.environ.get("JOUNCE_PROGRAM", os.path.join(SOURCE, "build", "jounce"))
SHARED = os.path.join(os.path.dirname(SOURCE), "shared")

worst = {}


def residual(name, value, bound):
    """Fails if the value exceeds the bound; the worst value of every name is printed at the end."""
    value = float(value)
    worst[name] = max(worst.get(name, 0.0), value)
    if not value <= bound:
        raise AssertionError("%s: %g, bound %g" % (name, value, bound))


def close(name, a, b, bound=1e-12):
    """Fails if two arrays differ by more than the bound, relative to the largest number of the second."""
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape:
        raise AssertionError("%s: shapes %s and %s" % (name, a.shape, b.shape))
    scale = max(abs(b).max(), 1e-3) if b.size else 1
    residual(name, (abs(a - b).max() if b.size else 0) / scale, bound)

def program(*arguments, state=None):
    """The output of `jounce`, as JSON."""
    run = subprocess.run([PROGRAM, *arguments], input=None if state is None else json.dumps(state),
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if run.returncode:
        raise AssertionError(run.stderr)
    return json.loads(run.stdout)


def random_state(robot, rows, seed=1):
    """q near home, and rows v, v', ... of a robot."""
    random = np.random.default_rng(seed)
    q = robot.integrate(robot.home(), random.normal(size=robot.nv))
    return q, random.normal(size=(rows, robot.nv))


def exact_quaternions(robot, q):
    """q with quaternions of length exactly 1: the program divides by the length."""
    q = q.copy()
    for j in robot.joints:
        if j["type"] in ("free", "spherical"):
            q[j["iq"]:j["iq"] + 4] = [0.5, -0.5, 0.5, 0.5]
    return q


def flat_to_state(robot, q, v=None, tau=None):
    """The STATE file of arrays in jounce's own layout."""
    state = {"joints": {}}
    for j in robot.joints:
        x, i, n = q[j["iq"]:j["iq"] + j["nq"]], j["iv"], j["nv"]
        if n == 0:
            continue
        motion = [] if v is None else v[:, i:i + n].tolist()
        if j["type"] == "free":
            state["base"] = {"quat": x[:4].tolist(), "p": x[4:].tolist(), "twist": motion,
                             "representation": robot.representation}
            if tau is not None:
                state["base_wrench"] = tau[:, i:i + n].tolist()
            continue
        if j["type"] == "spherical":
            state["joints"][j["name"]] = {"quat": x.tolist(), "omega": motion}
        elif n == 1:
            state["joints"][j["name"]] = [float(x[0])] + [row[0] for row in motion]
        else:
            state["joints"][j["name"]] = [x.tolist()] + motion
        if tau is not None:
            rows = tau[:, i:i + n]
            state.setdefault("tau", {})[j["name"]] = rows[:, 0].tolist() if n == 1 else rows.tolist()
    return state


def state_to_flat(robot, state, rows):
    """q and v of a STATE file (1-DoF joints and a free base)."""
    q, v = robot.home(), np.zeros((rows, robot.nv))
    for j in robot.joints:
        if j["nv"] == 0:
            continue
        i, n = j["iv"], j["nv"]
        if j["type"] == "free":
            base = state["base"]
            if "quat" in base:
                q[j["iq"]:j["iq"] + 4], q[j["iq"] + 4:j["iq"] + 7] = base["quat"], base["p"]
            else:
                q = robot.with_pose(q, j["name"], base["R"], base["p"])
            v[:, i:i + 6] = base["twist"][:rows]
            continue
        value = state["joints"][j["name"]]
        if j["type"] == "spherical":
            if "R" in value:
                q = robot.with_pose(q, j["name"], value["R"])
            else:
                q[j["iq"]:j["iq"] + 4] = value["quat"]
            v[:, i:i + 3] = value["omega"][:rows]
        else:
            q[j["iq"]] = value[0]
            v[:, i] = value[1:rows + 1]
    return q, v


def result_to_flat(robot, joints, base, rows):
    """Rows of nv from the program's output, which is by name."""
    out = np.zeros((rows, robot.nv))
    for j in robot.joints:
        i, n = j["iv"], j["nv"]
        if n == 0:
            continue
        value = base if j["type"] == "free" else joints[j["name"]]
        value = value["omega"] if isinstance(value, dict) else value
        out[:, i:i + n] = np.reshape(value, (rows, n))
    return out


def main():
    done = unittest.main(exit=False, verbosity=1)
    for name in sorted(worst):
        print("worst %9.2e  %s" % (worst[name], name))
    sys.exit(0 if done.result.wasSuccessful() else 1)
