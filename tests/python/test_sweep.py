"""Sweeps: random numbers against numpy's Philox, statistics against numpy, the controller against a simulation in
Python, equal files from the program, from threads and from a Dask cluster."""
import filecmp
import json
import math
import os
import pickle
import statistics
import subprocess
import tempfile
import unittest

import numpy as np

import jounce
from support import main

JOB = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "data", "payload.json")


def read(folder, kind):
    names = sorted(n for n in os.listdir(folder) if n.startswith(kind) and n.endswith(".npy"))
    return np.concatenate([np.load(os.path.join(folder, n)) for n in names])


def equal(a, b):
    names = sorted(os.listdir(a))
    return names == sorted(os.listdir(b)) and filecmp.cmpfiles(a, b, names, shallow=False) == (names, [], [])


class Constraints(unittest.TestCase):
    """each row is the function it names, at the assembled state"""
    VARY = {"q:crank": {"uniform": [0, 3]}, "v:crank": {"uniform": [1, 2]}}

    def sweep(self, run, **more):
        s = jounce.Sweep("fourbar", {"run": run, "samples": 12, "seed": 3, "vary": self.VARY, **more})
        rows = s.rows()
        self.assertTrue((rows[:, -1] == 0).all())
        return s.columns, rows

    def test_inverse_and_forward_dynamics(self):
        model = jounce.Model("fourbar")
        names, rows = self.sweep("id", order=1)
        self.assertIn("lambda':pin:2", names)
        for row in rows:
            q, v = model.assemble([row[0], 0, 0], [[row[1], 0, 0], [0] * 3, [0] * 3], driven=["crank"])
            got = model.constrained_inverse_dynamics(q, v)
            want = np.concatenate([got.tau.ravel(), got.forces.ravel()])
            self.assertLess(np.abs(row[2:-1] - want).max(), 1e-12 * np.abs(want).max())
        names, rows = self.sweep("fd")
        for row in rows:
            q, v = model.assemble([row[0], 0, 0], [[row[1], 0, 0], [0] * 3], driven=["crank"])
            got = model.constrained_forward_dynamics(q, v[0], np.zeros(3))
            want = np.concatenate([got.a.ravel(), got.forces.ravel()])
            self.assertLess(np.abs(row[2:-1] - want).max(), 1e-12 * np.abs(want).max())

    def test_simulations_and_motions(self):
        model = jounce.Model("fourbar")
        names, rows = self.sweep("simulate", time=0.3)
        for row in rows[:3]:
            q, v = model.assemble([row[0], 0, 0], [[row[1], 0, 0], [0] * 3], driven=["crank"])
            s = jounce.Simulation(model)
            s.set_state(0, q, v[0])
            s.run_to(0.3)
            final = row[[names.index("final q:" + n) for n in ("crank", "coupler", "rocker")]]
            self.assertLess(np.abs(final - s.q).max(), 1e-9)
        turn = {"kind": "minimum", "derivative": 4, "times": [0, 1],
                "joints": {"crank": [0, 3], "coupler": [0, 0], "rocker": [0, 0]}}
        vary = {"mass:coupler": {"uniform": [1, 2]}}
        for run in ("traj", "limits"):
            more = {"set": {"limit:effort:crank": 4}} if run == "limits" else {}
            s = jounce.Sweep("fourbar", {"run": run, "samples": 4, "seed": 3, "vary": vary, "trajectory": turn, **more})
            rows = s.rows()
            self.assertTrue((rows[:, -1] == 0).all())
            self.assertGreater(np.ptp(rows[:, 1]), 0)

    def test_what_is_refused(self):
        for job, words in (({"run": "retime", "trajectory": {"kind": "minimum", "times": [0, 1], "joints": {
                "crank": [0, 3], "coupler": [0, 0], "rocker": [0, 0]}}, "vary": {"mass:coupler": {"uniform": [1, 2]}}},
                "does not keep the constraints"),
                ({"run": "id", "driven": ["crnk"], "vary": self.VARY}, "no joint"),
                ({"run": "id", "driven": "crank", "vary": self.VARY}, "list of joints")):
            with self.assertRaises(jounce.Error) as caught:
                jounce.Sweep("fourbar", {"samples": 2, **job})
            self.assertIn(words, str(caught.exception))
        with self.assertRaises(jounce.Error):
            jounce.Sweep("double_pendulum", {"run": "id", "samples": 2, "driven": ["joint1"],
                                             "vary": {"q:joint1": {"uniform": [0, 1]}}})


class Numbers(unittest.TestCase):
    def test_random_numbers_are_numpys_philox(self):
        vary = {"q:joint1": {"uniform": [0, 1]}, "v:joint1": {"normal": [2, 3]}, "q:joint2": {"uniform": [-3, 5]},
                "v:joint2": {"choice": [1, 2, 5]}, "v':joint1": {"uniform": [0, 1]}}
        rows = jounce.Sweep("double_pendulum", {"run": "id", "samples": 500, "seed": 11, "vary": vary}).rows()
        for i in (0, 1, 77, 499):
            # numpy counts before it computes
            words = [int(x) for d in (0, 1) for x in
                     np.random.Philox(key=11, counter=(i - 1) % 2**256 if d == 0 else (1 << 64) + i - 1).random_raw(4)]
            u = [((w >> 12) + 0.5) * 2.0**-52 for w in words]
            self.assertEqual(rows[i, 0], u[0])
            self.assertAlmostEqual(rows[i, 1], 2 + 3 * statistics.NormalDist().inv_cdf(u[1]), delta=1e-14)
            self.assertEqual(rows[i, 2], -3 + 8 * u[2])
            self.assertEqual(rows[i, 3], (1, 2, 5)[int(3 * u[3])])
            self.assertEqual(rows[i, 4], u[4])

    def test_statistics_are_numpys(self):
        with tempfile.TemporaryDirectory() as folder:
            s = jounce.Sweep("tilthex", JOB)
            seen = []
            r = s.run(folder, threads=2, progress=lambda done, of: seen.append((done, of)))
            rows, bands = read(folder, "shard"), read(folder, "bands")
            with self.assertRaises(jounce.StateError):
                s.run(folder)
            self.assertEqual(s.run(folder, resume=True), r)
        self.assertEqual(seen[-1], (s.shards, s.shards))
        self.assertTrue((rows == s.rows()).all())
        levels = r["levels"]
        for i, name in enumerate(s.columns[:-1]):
            x, c = rows[:, i], r["columns"][name]
            size = np.abs(x).max() + 1e-300
            mean = math.fsum(x) / len(x)
            self.assertLess(abs(c["mean"] - mean), 4e-16 * size)
            self.assertLess(abs(c["deviation"] - math.sqrt(math.fsum((x - mean)**2) / len(x))), 4e-16 * size)
            self.assertLess(np.abs(np.array(c["quantiles"]) - np.quantile(x, levels)).max(), 4e-16 * size)
            self.assertEqual((c["least"], c["largest"]), (x.min(), x.max()))
            self.assertEqual((c["least_sample"], c["largest_sample"]), (x.argmin(), x.argmax()))
            # numpy corrects for rounding at the edges of bins
            self.assertLessEqual(np.abs(np.histogram(x, len(c["histogram"]))[0] - c["histogram"]).sum(), 2)
        worst = np.abs(rows[:, s.columns.index("peak tau':q2")]).argmax()
        self.assertEqual(r["worst"]["sample"], worst)
        self.assertEqual(list(r["worst"]["parameters"].values()), list(rows[worst, :4]))
        bands = bands.reshape(-1, len(s.channels), len(r["times"]))
        self.assertEqual(len(bands), r["band_samples"])
        for k, name in enumerate(s.channels):
            want = np.quantile(bands[:, k], levels, axis=0)
            self.assertLess(np.abs(np.array(r["bands"][name]) - want).max(), 4e-16 * np.abs(bands[:, k]).max() + 1e-300)
            # the largest value of a band that was sampled at the same instants
            peak = rows[:, s.columns.index("peak " + name)]
            self.assertTrue((np.abs(bands[:, k]).max(axis=1) == peak).all())


class Control(unittest.TestCase):
    def test_the_controller_is_the_law_of_the_docs(self):
        """tau = tau_ref + kp e + kd (v_ref - v) in a simulation of its own; tau' against differences of tau."""
        with open(JOB) as file:
            job = json.load(file)
        s = jounce.Sweep("tilthex", JOB)
        nominal = jounce.Model("tilthex", representation="body")
        motion = jounce.Trajectory.parse(nominal, json.dumps(job["trajectory"]))
        names = [c[len("final v:"):] for c in s.columns if c.startswith("final v:")]
        kp = np.array([job["control"]["kp"][n] for n in names])
        kd = np.array([job["control"]["kd"][n] for n in names])

        def law(t, q, v):
            q_ref, v_ref = motion.at(min(t, 1.0), 1)
            tau = nominal.inverse_dynamics(q_ref, v_ref)[0]
            return tau + kp * nominal.difference(q, q_ref) + kd * (v_ref[0] - v)

        row = dict(zip(s.columns, s.rows(5, 1)[0]))
        with tempfile.TemporaryDirectory() as folder:
            s.robot(5, os.path.join(folder, "r.json"))
            plant = jounce.Model(os.path.join(folder, "r.json"), representation="body")
        q, v = motion.at(0.0, 0)
        q[names.index("q2") + 1] += row["q:q2"]
        sim = jounce.Simulation(plant, "rkmk4", step=0.025, state=law)
        sim.set_state(0.0, q, v[0])
        tau, rate = [], []
        for k in range(21):
            if k:
                sim.run_to(k / 20)
            t, q, v = sim.state
            tau.append(law(t, q, v))
            # tau' along the flow of the plant, by central differences of fourth order
            a = plant.forward_dynamics(q, v, tau[-1])
            a = np.reshape(a, -1)
            h = 1e-3 if 0 < k < 20 else 0
            if h:
                def at(d):
                    return law(t + d, plant.integrate(q, v * d + a * d * d / 2), v + a * d)
                # the second-order flow is exact to d^2, so first derivatives are right
                rate.append((8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h))
        names_q = [c for c in s.columns if c.startswith("final q:")]
        self.assertLess(np.abs(q - [row[c] for c in names_q]).max(), 1e-12)
        self.assertLess(np.abs(v - [row["final v:" + n] for n in names]).max(), 1e-11)
        want = np.abs(tau).max(axis=0)
        self.assertLess(np.abs(want - [row["peak tau:" + n] for n in names]).max(), 1e-11 * want.max())
        bands = self.bands(s)[5]
        got = bands[len(names):, 1:20].T
        error = np.abs(got - rate).max(axis=0) / np.abs(rate).max(axis=0)
        print("tau' of the controller against differences: %.1e" % error.max())
        self.assertLess(error.max(), 1e-6)

    def bands(self, s):
        with tempfile.TemporaryDirectory() as folder:
            s.run(folder)
            return read(folder, "bands").reshape(-1, len(s.channels), 21)


class Cluster(unittest.TestCase):
    def test_pickle(self):
        s = jounce.Sweep(jounce.Model("tilthex"), JOB)
        t = pickle.loads(pickle.dumps(s))
        self.assertTrue((s.rows(3, 4) == t.rows(3, 4)).all())
        with self.assertRaises(jounce.Error):
            jounce.Sweep("tilthex", {"run": "id", "samples": 3, "vari": {}})

    def test_a_dask_cluster_gives_the_files_of_the_program(self):
        try:
            from distributed import Client, LocalCluster
        except ImportError:
            self.skipTest("no Dask (Debian: python3-distributed)")
        with tempfile.TemporaryDirectory() as folder:
            place = lambda name: os.path.join(folder, name)  # noqa: E731
            subprocess.run([os.environ["JOUNCE_PROGRAM"], "sweep", "tilthex", JOB, "--folder", place("program")],
                           check=True, stdout=subprocess.DEVNULL)
            with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, local_directory=folder) as it:
                with Client(it) as client:
                    killed = []

                    def progress(done, of):
                        if not killed and done > 5:
                            killed.append(list(it.workers.values())[0].process.pid)
                            os.kill(killed[0], 9)

                    r = jounce.sweep(jounce.Model("tilthex"), JOB, folder=place("dask"), client=client,
                                     progress=progress)
            self.assertEqual(len(killed), 1)
            with open(place("program/result.json")) as file:
                self.assertEqual(json.load(file), r)
            jounce.sweep("tilthex", JOB, folder=place("threads"), threads=2)
            self.assertTrue(equal(place("program"), place("threads")))
            self.assertTrue(equal(place("program"), place("dask")))


if __name__ == "__main__":
    main()
