"""Leading axes broadcast as in numpy: every algorithm, with every combination of leading axes, against a loop over
single states; applied forces for each state; out=."""
import inspect
import itertools
import unittest

import numpy as np

import jounce
from support import main, random_state, residual

LEAD = (3, 4)
STRETCHED = [(3, 4), (1, 4), (3, 1), (1, 1)]      # as many axes as the result
SHORTER = [(4,), (1,), ()]                        # fewer


def pick(x, index, own):
    """The part of x at an index of the full leading axes."""
    lead = x.shape[:x.ndim - own]
    return x[tuple(i if n > 1 else 0 for i, n in zip(index[len(index) - len(lead):], lead))]


class Source:
    """Random arrays of one state, repeated over leading axes."""

    def __init__(self, robot, seed):
        self.robot, self.random = robot, np.random.default_rng(seed)
        self.closed = bool(robot.constraints)

    def configuration(self):
        r = self.robot
        if not self.closed:
            return r.integrate(r.home(), self.random.normal(size=r.nv))
        crank = self.random.uniform(0.3, 0.8)
        return r.assemble([crank, 0, 0], np.zeros((2, 3)), driven=["crank"]).q

    def array(self, name, core, lead):
        count = int(np.prod(lead))
        if name in ("q", "q0", "q1"):
            return np.reshape([self.configuration() for _ in range(count)], lead + (self.robot.nq,))
        x = self.random.normal(size=lead + core)
        if name in ("stiffness", "motor_inertia"):
            return 1 + x ** 2
        return 0 * x if self.closed and name == "v" else x


def tables(r, order=1):
    """name: (fixed inputs, inputs whose axis of orders may be omitted, other arguments)"""
    n, b = r.nv, r.nbody
    q, v, tau = ("q", (r.nq,)), ("v", (n,)), ("tau", (n,))
    motion, two = ("v", (order + 2, n)), ("v", (2, n))
    rows, weight = ("tau", (order + 1, n)), ("weight", (order + 1, n))
    frame = {"frame": "B4"} if b > 4 else {"frame": r.frames[-1]["name"]}
    joint = {"prescribed": ["crank" if r.constraints else r.joints[-1]["name"]]}
    return {
        "inverse_dynamics": ([q, motion], [], {}), "forward_dynamics": ([q, v], [rows], {}),
        "forward_dynamics_error": ([q, v], [rows], {}), "hybrid_dynamics": ([q, motion, rows], [], joint),
        "hybrid_dynamics_by_freedom": ([q, motion, rows, ("given", (n,))], [], {}), "mass_matrix": ([q], [], {}),
        "inverse_mass": ([q], [], {}), "inverse_mass_apply": ([q, ("B", (n, 3))], [], {}),
        "equations_of_motion": ([q], [("v", (order + 1, n))], {}),
        "momentum_energy": ([q], [("v", (order + 1, n))], {}), "grouped_matrices": ([q, v], [], {}),
        "inverse_partials": ([q, motion], [], {}), "forward_partials": ([q, v], [rows], {}),
        "inverse_jvp": ([q, motion, ("dq", (n,)), ("dv", (order + 2, n))], [], {}),
        "inverse_vjp": ([q, motion, weight], [], {}),
        "forward_jvp": ([q, v, ("dq", (n,)), ("dv", (n,))], [rows, ("dtau", (order + 1, n))], {}),
        "forward_vjp": ([q, v], [rows, weight], {}), "inverse_second": ([q, two], [], {}),
        "inverse_second_contracted": ([q, two, ("weight", (n,))], [], {}),
        "forward_second": ([q, v, tau], [], {}),
        "forward_second_contracted": ([q, v, tau, ("weight", (n,))], [], {}), "regressor": ([q, motion], [], {}),
        "geometry_partials": ([q, motion], [], {}), "linearise": ([q, v, tau], [], {}),
        "linearise_rates": ([q, v, rows], [], {}), "linearise_step": ([q, v, tau], [], {"h": 1e-2}),
        "extended_partials": ([q, two], [], {}), "consistent_motion": ([q, two], [], {}),
        "projection_equations": ([q, two], [], {}), "lagrange_matrices": ([q, v], [], {}),
        "phase_momentum": ([q, v], [], {}), "phase_velocity": ([q, ("p", (n,))], [], {}),
        "phase_rate": ([q, ("p", (n,)), tau], [], {}), "mass_partials": ([q], [], {}),
        "inverse_mass_partials": ([q], [], {}), "christoffel": ([q], [], {}), "christoffel_binet": ([q], [], {}),
        "system_matrices": ([q, v], [], {}), "integrate": ([q, ("dq", (n,))], [], {}),
        "difference": ([("q0", (r.nq,)), ("q1", (r.nq,))], [], {}),
        "joint_rates_from_twists": ([q, ("twists", (b, order + 1, 6))], [], {}),
        "cmtm_inverse_dynamics": ([q, motion], [], {}), "cmtm_forward_dynamics": ([q, v], [rows], {}),
        "frame_pose": ([q], [], frame), "frame_twist": ([q], [("v", (order + 1, n))], frame),
        "frame_jacobian": ([q], [("v", (order + 1, n))], frame),
        "point_motion": ([q], [("v", (order + 1, n))], {**frame, "point": (0.1, 0.2, 0.3)}),
        "joint_reactions": ([q, motion], [], {}), "articulated_bodies": ([q, v], [rows], {}),
        "twist_partials": ([q, ("v", (order + 1, n))], [], frame),
        "momentum_partials": ([q, ("v", (order + 1, n))], [], frame),
        "subtree_momentum_partials": ([q, ("v", (order + 1, n))], [], frame),
        "wrench_partials": ([q, motion], [], frame), "joint_wrench_partials": ([q, motion], [], frame),
        "reaction_partials": ([q, motion], [], frame),
        "frame_geometry_partials": ([q, ("v", (order + 1, n))], [], frame),
        "hybrid_partials": ([q, motion, rows], [], joint), "inertia_partials": ([q, v], [rows], {}),
        "constrained_inverse_dynamics": ([q, motion], [], {}), "constrained_forward_dynamics": ([q, v], [rows], {}),
        "constrained_hybrid_dynamics": ([q, motion, rows], [], joint),
        "assemble": ([q, motion], [], {}), "impact": ([q, v], [], {}),
        "constraint_closure": ([q], [("v", (order + 1, n))], {}), "constraint_rank": ([q], [], {}),
        "constrained_inverse_partials": ([q, motion], [], {}),
        "constrained_forward_partials": ([q, v], [rows], {}), "constrained_linearise": ([q, v, tau], [], {}),
        "constrained_linearise_rates": ([q, v, rows], [], {}),
        "elastic_motors": ([q, ("v", (order + 4, n)), ("stiffness", (n,)), ("motor_inertia", (n,))], [], {}),
    }


def arrays_of(result):
    return result if isinstance(result, tuple) else (result,)


class Broadcasting(unittest.TestCase):
    def setUp(self):
        self.tree = jounce.Model("tilthex", representation="body")
        self.loop = jounce.Model("fourbar")

    def compare(self, robot, name, inputs, more, forces=()):
        """One call against a loop. inputs: {name: (array, axes of one state)}."""
        call = getattr(robot, name)
        values = {k: x for k, (x, _) in inputs.items()}
        whole = call(**values, **more)
        lead = np.broadcast_shapes(*(x.shape[:x.ndim - own] for x, own in inputs.values()))
        for index in np.ndindex(*lead):
            one = call(**{k: pick(x, index, own) for k, (x, own) in inputs.items()}, **more)
            for a, b in zip(arrays_of(whole), arrays_of(one)):
                if a[index].shape != b.shape:
                    raise AssertionError("%s: %s and %s" % (name, a.shape, b.shape))
                scale = max(abs(b).max(), 1e-3) if b.size else 1
                residual("a batch and a loop", abs(a[index] - b).max() / scale if b.size else 0, 1e-10)
        # out= has the shapes of the result
        outs = tuple(np.full_like(a, np.nan) for a in arrays_of(whole))
        again = call(**values, **more, out=outs if isinstance(whole, tuple) else outs[0])
        for a, b, c in zip(arrays_of(whole), outs, arrays_of(again)):
            self.assertIs(b, c)
            self.assertEqual(a.tobytes(), b.tobytes())

    def test_every_algorithm(self):
        methods = {n for n in dir(jounce.Model) if not n.startswith(("_", "rotor_", "lanes_")) and callable(getattr(jounce.Model, n))
                   and "out" in inspect.signature(getattr(jounce.Model, n)).parameters}
        names, calls = set(tables(self.tree)), 0
        self.assertEqual(methods - names, set())
        for seed, name in enumerate(sorted(names)):
            robot = (self.loop if name.startswith("constrain") or name in ("assemble", "impact") else
                     jounce.Model("arm6") if name == "elastic_motors" else self.tree)
            source = Source(robot, seed)
            fixed, loose, more = tables(robot)[name]
            patterns = [(LEAD,) * 6, ((4,), LEAD, (3, 1), (), LEAD, (1, 4)), (LEAD, (), (1, 4), (4,), (3, 1), LEAD)]
            for pattern in patterns:
                inputs = {}
                for (what, core), lead in zip(fixed, pattern):
                    inputs[what] = source.array(what, core, lead), len(core)
                # with its axis of orders an array has as many leading axes as the others have
                for (what, core), lead in zip(loose, [(3, 1), LEAD]):
                    inputs[what] = source.array(what, core, lead), len(core)
                self.compare(robot, name, inputs, more)
                calls += 1
                if not loose:
                    continue
                for (what, core), lead in zip(loose, [(4,), ()]):  # order 0 without it
                    inputs[what] = source.array(what, core[1:], lead), len(core) - 1
                self.compare(robot, name, inputs, more)
                calls += 1
        print("%d algorithms, %d calls against loops" % (len(names), calls))

    def test_every_pair_of_leading_axes(self):
        source = Source(self.tree, 1)
        for first, second in itertools.product(STRETCHED + SHORTER, repeat=2):
            inputs = {"q": (source.array("q", (13,), first), 1), "v": (source.array("v", (3, 12), second), 2)}
            self.compare(self.tree, "inverse_dynamics", inputs, {})
            other = self.tree.with_settings(layout="pinocchio", threads=2)
            inputs["q"] = jounce.Layout(self.tree, "pinocchio").export_q(inputs["q"][0]), 1
            self.compare(other, "inverse_dynamics", inputs, {})
        # one configuration, many velocities
        robot = jounce.Model("arm7")
        q, v = random_state(robot, 3)
        tau = robot.inverse_dynamics(q, np.stack([[v, 2 * v, 3 * v]] * 5))
        self.assertEqual(tau.shape, (5, 3, 2, 7))
        self.assertEqual(robot.inverse_dynamics(np.empty((0, 7)), v).shape, (0, 2, 7))
        self.assertEqual(robot.inverse_dynamics(np.empty((0, 1, 7)), np.stack([v] * 4)).shape, (0, 4, 2, 7))

    def test_orders_or_states(self):
        r = jounce.Model("arm7")
        q, v = random_state(r, 4)
        many = np.stack([q] * 4)
        self.assertEqual(r.forward_dynamics(q, v[0], v).shape, (4, 7))                # rows are orders
        self.assertEqual(r.forward_dynamics(many, v[0], v).shape, (4, 7))             # rows are states
        self.assertEqual(r.forward_dynamics(q, v, v).shape, (4, 7))
        np.testing.assert_allclose(r.forward_dynamics(q, v, v)[1], r.forward_dynamics(q, v[1], v[1]), rtol=1e-9)
        self.assertEqual(r.forward_dynamics(many, v[0], v[:, None]).shape, (4, 1, 7))  # both
        self.assertEqual(r.forward_dynamics(q, v[0], np.stack([v] * 5)).shape, (5, 4, 7))

    def test_applied_forces_of_each_state(self):
        random = np.random.default_rng(3)
        for layout in ("jounce", "pinocchio"):
            r = self.tree.with_settings(layout=layout)
            for order in (0, 2):
                q = np.reshape([random_state(self.tree, 1, s)[0] for s in range(3)], (3, 1, 13))
                q = jounce.Layout(r, layout).export_q(q)
                v = random.normal(size=(4, order + 2, 12))
                shapes = [(), (4,), (1,), (3, 1), (3, 4), (1, 1)]
                for a, b, t in itertools.product(shapes, shapes[:3], shapes):
                    w1 = random.normal(size=a + (order + 1, 6))
                    w2 = random.normal(size=b + ((6,) if order == 0 else (order + 1, 6)))
                    tau = random.normal(size=t + ((12,) if order == 0 else (order + 1, 12)))
                    if order == 0 and len(a) < 2:
                        w1 = w1[..., 0, :]
                    forces = [("B4", w1), ("B2", w2, "hybrid")]
                    whole = r.inverse_dynamics(q, v, external=forces, tau_ext=tau)
                    self.assertEqual(whole.shape, (3, 4, order + 1, 12))
                    own1 = 2 if w1.ndim - len(a) == 2 else 1
                    own = 1 if order == 0 else 2
                    i, k = random.integers(3), random.integers(4)
                    one = r.inverse_dynamics(q[i, 0], v[k], tau_ext=pick(tau, (i, k), own), external=[
                        ("B4", pick(w1, (i, k), own1)), ("B2", pick(w2, (i, k), own), "hybrid")])
                    residual("applied forces", abs(whole[i, k] - one).max() / abs(one).max(), 1e-12)
        # the forces alone may make the batch
        q, v = random_state(self.tree, 3)
        pushes = random.normal(size=(5, 6))
        tau = self.tree.inverse_dynamics(q, v[:2], external=[("B4", pushes)])
        self.assertEqual(tau.shape, (5, 1, 12))
        np.testing.assert_array_equal(tau[3], self.tree.inverse_dynamics(q, v[:2], external=[("B4", pushes[3])]))
        self.assertEqual(self.tree.forward_dynamics(q, v[0], v[1], tau_ext=np.zeros((5, 12))).shape, (5, 12))

    def test_refused(self):
        r = self.tree
        q, v = random_state(r, 3)
        three, four = np.stack([q] * 3), np.stack([v] * 4)
        for bad in (lambda: r.inverse_dynamics(three, four), lambda: r.inverse_dynamics(three[:, None], four[None, None, :, None]),
                    lambda: r.inverse_dynamics(three, v, external=[("B4", np.zeros((4, 2, 6)))]),
                    lambda: r.inverse_dynamics(three, v, tau_ext=np.zeros((4, 2, 12))),
                    lambda: r.inverse_dynamics(three, v, tau_ext=np.zeros((3, 12))),
                    lambda: r.inverse_dynamics(q, four, out=np.empty((2, 12)))):
            with self.assertRaises(jounce.ArgumentError):
                bad()
        memory = np.zeros(96)
        with self.assertRaisesRegex(jounce.ArgumentError, "shares memory with external"):
            r.inverse_dynamics(q, four, external=[("B4", memory[:48].reshape(4, 2, 6))], out=memory.reshape(4, 2, 12))


class StructureOfArrays(unittest.TestCase):
    """States last, used where they are: the bits of one state after another."""

    def test_lanes(self):
        robot = jounce.Model("tilthex")
        random = np.random.default_rng(5)
        for order, count in ((0, 1), (1, 7), (2, 16), (5, 33)):
            q = np.array([robot.integrate(robot.home(), random.normal(size=robot.nv)) for _ in range(count)])
            v = random.normal(size=(count, order + 2, robot.nv))
            tau = robot.inverse_dynamics(q, v) if count > 1 else None
            last = [np.ascontiguousarray(np.moveaxis(x, 0, -1)) for x in (q, v)]
            out = np.empty((order + 1, robot.nv, count))
            self.assertIs(robot.lanes_inverse_dynamics(*last, out=out), out)
            if count > 1:
                self.assertTrue(np.array_equal(np.moveaxis(out, -1, 0), tau))
                a = robot.forward_dynamics(q, v[:, 0], tau)
                got = robot.lanes_forward_dynamics(last[0], np.ascontiguousarray(last[1][0]), out)
                self.assertTrue(np.array_equal(np.moveaxis(got, -1, 0), a))

    def test_refused(self):
        robot = jounce.Model("tilthex")
        q, v = np.repeat(robot.home()[:, None], 8, 1), np.zeros((2, robot.nv, 8))
        for bad in ((q.T, v), (q, v[:, :, ::2]), (q[:, :4].copy(), v), (q.tolist(), v), (q, v[0]), (q, v[:1].copy())):
            with self.assertRaisesRegex(jounce.Error, "expected"):
                robot.lanes_inverse_dynamics(*bad)
        v[1, 3, 5] = np.nan
        with self.assertRaisesRegex(jounce.Error, "state 5") as raised:
            robot.lanes_inverse_dynamics(q, v)
        self.assertEqual(raised.exception.index, 5)
        with self.assertRaisesRegex(jounce.Error, "layout"):
            robot.with_settings(layout="mujoco").lanes_inverse_dynamics(q, v)


if __name__ == "__main__":
    main()
