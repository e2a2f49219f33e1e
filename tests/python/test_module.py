"""Every algorithm: identities between independent routes, batches, layouts, out=, simulation."""
import json
import os
import tempfile
import threading
import unittest

import numpy as np

import jounce
from support import main, program, random_state, residual


def close(name, a, b, bound=1e-12):
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape:
        raise AssertionError("%s: shapes %s and %s" % (name, a.shape, b.shape))
    scale = max(abs(b).max(), 1e-3) if b.size else 1
    residual(name, (abs(a - b).max() if b.size else 0) / scale, bound)


class Algorithms(unittest.TestCase):
    def setUp(self):
        self.robot = jounce.Model("tilthex", representation="body")
        self.q, self.v = random_state(self.robot, 6)

    def test_there_and_back(self):
        for order in (0, 2, 4):
            tau = self.robot.inverse_dynamics(self.q, self.v[:order + 2])
            a = self.robot.forward_dynamics(self.q, self.v[0], tau)
            for k in range(order + 1):
                close("forward of inverse, order %d" % k, a[k], self.v[k + 1], 1e-8)

    def test_closed_form(self):
        r, q, v = self.robot, self.q, self.v
        eom = r.equations_of_motion(q, v[0])
        tau = r.inverse_dynamics(q, v[:2])[0]
        close("closed form", eom.M @ v[1] + eom.C @ v[0] + eom.g, tau)
        close("mass matrix", r.mass_matrix(q), eom.M)
        close("inverse mass", r.inverse_mass(q) @ eom.M, np.eye(r.nv), 1e-10)
        B = np.random.default_rng(3).normal(size=(r.nv, 5))
        close("inverse mass times columns", eom.M @ r.inverse_mass_apply(q, B), B, 1e-10)
        close("projection", r.projection_equations(q, v[:2]), tau)
        close("Lagrange", r.lagrange_matrices(q, v[0]).M, eom.M)
        close("momentum of phase space", r.phase_momentum(q, v[0]), eom.M @ v[0])
        close("velocity of phase space", r.phase_velocity(q, eom.M @ v[0]), v[0], 1e-10)
        rate = r.phase_rate(q, eom.M @ v[0], tau)
        close("v of the phase rate", rate.v, v[0], 1e-10)
        dot = r.equations_of_motion(q, v[:2]).M[1]
        close("p' of the phase rate", rate.p_rate, eom.M @ v[1] + dot @ v[0], 1e-10)
        gamma = r.christoffel(q)
        close("Christoffel", np.einsum("ijk,j,k", gamma, v[0], v[0]) + eom.g, eom.h)
        close("Christoffel by Binet", r.christoffel_binet(q), gamma)
        dM = r.mass_partials(q)
        close("d M = Gamma + Gamma^T", gamma + gamma.transpose(1, 0, 2), dM)
        inverse = r.inverse_mass_partials(q)
        close("d M^-1", inverse.dMinv, -np.einsum("ia,abk,bj->ijk", inverse.Minv, dM, inverse.Minv),
              1e-9)
        system = r.system_matrices(q, v[0], in_representation="body")
        close("system Jacobian", system.A @ system.X, system.J)
        close("system M", system.J.T @ system.M @ system.J, eom.M)
        spatial = r.with_settings(representation="spatial")
        grouped = spatial.grouped_matrices(q, v[0])
        close("grouped", grouped.S.T @ grouped.Gp.T @ grouped.M @ grouped.Gp @ grouped.S,
              spatial.mass_matrix(q))

    def test_energy(self):
        r, q, v = self.robot, self.q, self.v
        e = r.momentum_energy(q, v[:2])
        M = r.equations_of_motion(q, v[:2]).M
        close("kinetic energy", e.kinetic[0], 0.5 * v[0] @ M[0] @ v[0])
        tau = r.inverse_dynamics(q, v[:2])[0]
        close("power", e.kinetic[1] + e.potential[1], tau @ v[0])
        close("centroidal matrix", e.matrix[0] @ v[0], e.centroidal[0])
        self.assertEqual(r.momentum_energy(q, v[0]).kinetic.shape, ())

    def test_partials(self):
        r, q, v = self.robot, self.q, self.v
        random = np.random.default_rng(5)
        dq, dv, w = random.normal(size=r.nv), random.normal(size=(3, r.nv)), random.normal(size=(2, r.nv))
        p = r.inverse_partials(q, v[:3])
        along = np.einsum("kij,j->ki", p.dq, dq) + np.einsum("kjab,jb->ka", p.dv, dv)
        close("jvp", r.inverse_jvp(q, v[:3], dq, dv), along)
        g = r.inverse_vjp(q, v[:3], w)
        close("vjp", g.dq @ dq + (g.dv * dv).sum(), (w * along).sum())
        h = 1e-5
        plus, minus = (r.inverse_dynamics(r.integrate(q, s * dq), v[:3]) for s in (h, -h))
        close("d tau/d q by differences", (plus - minus) / (2 * h), np.einsum("kij,j->ki", p.dq, dq), 1e-6)
        tau = r.inverse_dynamics(q, v[:3])
        f = r.forward_partials(q, v[0], tau)
        close("forward times inverse", f.dtau[0, 0] @ p.dv[0, 1], np.eye(r.nv), 1e-10)
        close("forward partials", f.dq[0], -f.dtau[0, 0] @ p.dq[0], 1e-9)
        along = (np.einsum("kij,j->ki", f.dq, dq) + np.einsum("kij,j->ki", f.dv, dv[0]) +
                 np.einsum("kjab,jb->ka", f.dtau, w))
        close("forward jvp", r.forward_jvp(q, v[0], tau, dq, dv[0], w), along, 1e-9)
        second = r.inverse_second(q, v[:2])
        contracted = r.inverse_second_contracted(q, v[:2], w[0])
        for a, b in zip(second, contracted):
            close("second, contracted", np.einsum("i,ijk->jk", w[0], a), b, 1e-10)
        whole = r.forward_second(q, v[0], tau[0])
        part = r.forward_second_contracted(q, v[0], tau[0], w[0])
        close("forward second, contracted", np.einsum("i,ijk->jk", w[0], whole.dqdv), part.dqdv, 1e-8)
        close("forward second, first", whole.dq, r.forward_partials(q, v[0], tau[0]).dq, 1e-9)
        x = r.extended_partials(q, v[:2])
        close("extended partials", x.dq, r.inverse_partials(q, v[:2]).dq[0])

    def test_identification(self):
        r, q, v = self.robot, self.q, self.v
        Y = r.regressor(q, v[:4])
        pi = []
        for b in r.bodies:
            m, c, inertia = b["mass"], np.array(b["com"]), np.array(b["inertia"])
            about = inertia + m * (c @ c * np.eye(3) - np.outer(c, c))
            pi += [m, *(m * c), *about[np.triu_indices(3)]]
        close("regressor", Y @ np.array(pi), r.inverse_dynamics(q, v[:4]))
        self.assertEqual(r.geometry_partials(q, v[:3]).shape, (2, r.nv, 6 * r.nbody))

    def test_linearise(self):
        r, q, v = self.robot, self.q, self.v
        tau = r.inverse_dynamics(q, v[:3])
        A, B = r.linearise(q, v[0], tau[0])
        n = r.nv
        f = r.forward_partials(q, v[0], tau[0])
        close("A below", A[n:], np.hstack([f.dq, f.dv]), 1e-10)
        close("B below", B[n:], f.dtau, 1e-10)
        self.assertEqual(r.linearise(q, v[0], tau[0], input="joints").B.shape, (2 * n, n - 6))
        S = np.eye(n)[:, 6:8]
        close("B of a map", r.linearise(q, v[0], tau[0], map=S).B, B[:, 6:8])
        rates = r.linearise_rates(q, v[0], tau)
        close("rates", rates.A[0], A)
        step = r.linearise_step(q, v[0], tau[0], 1e-3)
        close("step", step.v, v[0] + 1e-3 * v[1], 1e-10)
        close("step of q", step.q, r.integrate(q, 1e-3 * step.v))
        Ad, Bd = jounce.zero_order_hold(A, B, 1e-3)
        close("zero-order hold", Ad, np.eye(2 * n) + 1e-3 * A + 5e-7 * A @ A, 1e-4)
        self.assertEqual(Bd.shape, B.shape)
        motion = r.consistent_motion(q, v[:2])
        residual("no wrench at the base", abs(r.inverse_dynamics(q, motion.v)[0, :6]).max(), 1e-12)

    def test_kinematics(self):
        r, q, v = self.robot, self.q, self.v
        k = r.kinematics(q, v[:3])
        self.assertEqual(k.order, 2)
        R, p = k.pose("B4")
        T = r.frame_pose(q, "B4")
        np.testing.assert_array_equal(T[:3, :3], R)
        np.testing.assert_array_equal(T[:3, 3], p)
        for representation in ("spatial", "body", "hybrid", "mixed"):
            J, V = k.jacobian("B4", representation), k.twist("B4", representation)
            close("V = J v", J[0] @ v[0], V[0])
            close("V' = J' v + J v'", J[1] @ v[0] + J[0] @ v[1], V[1])
            close("V''", J[2] @ v[0] + 2 * J[1] @ v[1] + J[0] @ v[2], V[2])
        x, Jx = k.point("B4", (0, 0, 0.1)), k.point_jacobian("B4", (0, 0, 0.1))
        close("position", x[0], R @ [0, 0, 0.1] + p)
        close("velocity", Jx[0] @ v[0], x[1])
        np.testing.assert_array_equal(r.point_motion(q, v[:3], "B4", (0, 0, 0.1)), x)
        np.testing.assert_array_equal(r.frame_jacobian(q, "B4", v[:3], in_representation="body"),
                                      k.jacobian("B4", "body"))
        np.testing.assert_array_equal(r.frame_jacobian(q, "B4"), k.jacobian("B4")[0])
        all_J = k.system_jacobian("body")
        close("system Jacobian", all_J[0][18:24], k.jacobian("B4", "body")[0])
        twists = np.stack([k.twist(b["name"], "body") for b in r.bodies])
        back = r.joint_rates_from_twists(q, twists, in_representation="body")
        close("joint rates from twists", back.v, v[:3], 1e-10)
        self.assertEqual(k.screws("q3").shape, (3, 1, 6))
        close("screw", k.screws("q3")[0, 0], k.screw_partial("B4", 7, representation="spatial"))
        jet = jounce.to_taylor(v[:3])
        J = k.comprehensive_jacobian("link_motion", "q4", order=2)
        close("comprehensive", (J @ jet.ravel()).reshape(3, 6), jounce.to_taylor(k.twist("B4", "body")))
        self.assertEqual(k.cmtm("q4", order=2).shape, (18, 18))
        L, Li = (k.comprehensive_matrix(x, 1) for x in ("L", "L_inverse"))
        close("L times its inverse", L @ Li, np.eye(len(L)))
        close("N-CMTM inverse dynamics", r.cmtm_inverse_dynamics(q, v[:4]), r.inverse_dynamics(q, v[:4]))
        tau = r.inverse_dynamics(q, v[:4])
        close("N-CMTM forward dynamics", r.cmtm_forward_dynamics(q, v[0], tau),
              r.forward_dynamics(q, v[0], tau), 1e-8)

    def test_relative_motion(self):
        r, q, v = self.robot, self.q, self.v
        T = [r.frame_pose(q, f) for f in ("B4", "B2")]
        close("relative pose", r.frame_pose(q, "B4", relative_to="B2"), np.linalg.inv(T[1]) @ T[0])
        for representation in ("spatial", "body", "hybrid", "mixed"):
            seen = dict(in_representation=representation, relative_to="B2", at="B1", axes="B3")
            J, W = r.frame_jacobian(q, "B4", v[:2], **seen), r.frame_twist(q, v[:3], "B4", **seen)
            close("relative V = J v", J[0] @ v[0], W[0])
            close("relative V''", J[2] @ v[0] + 2 * J[1] @ v[1] + J[0] @ v[2], W[2])
        with self.assertRaises(ValueError):
            r.frame_twist(q, v[0], "B4", relative_to="nowhere")

    def test_reactions(self):
        r, q, v = self.robot, self.q, self.v
        W = r.joint_reactions(q, v[:4], in_representation="body")
        self.assertEqual(W.shape, (3, len(r.bodies), 6))
        tau = r.inverse_dynamics(q, v[:4])
        close("base wrench", W[:, 0], tau[:, :6])
        spatial = r.joint_reactions(q, v[:4])
        S = r.kinematics(q, v[:3]).screws("q4")[:, 0]
        i = [j["name"] for j in r.joints].index("q4")
        a = r.joints[i]["iv"]
        close("S^T W = tau", S[0] @ spatial[0, i], tau[0, a] - r.joints[i].get("armature", 0) * v[1, a])
        free = r.articulated_bodies(q, v[0], tau, in_representation="body")
        twist = r.frame_twist(q, v[:4], "B4", in_representation="body")
        close("W = MA V' + WA", free.MA[i] @ twist[3] + free.WA[2, i], W[2, i], 1e-9)

    def test_gradients(self):
        r, q, v = self.robot, self.q, self.v
        tau, w = r.inverse_dynamics(q, v[:4]), np.random.default_rng(7).normal(size=(3, r.nv))
        d, g = r.forward_partials(q, v[0], tau), r.forward_vjp(q, v[0], tau, w)
        close("gradient by q", g.dq, np.einsum("ki,kij", w, d.dq), 1e-8)
        close("gradient by v", g.dv, np.einsum("ki,kij", w, d.dv), 1e-8)
        close("gradient by tau", g.dtau, np.einsum("ki,kjic->jc", w, d.dtau), 1e-8)
        free, held = (r.hybrid_partials(q, v[:4], tau, x) for x in ([], [j["name"] for j in r.joints]))
        close("hybrid, forces given", free.dq, d.dq, 1e-8)
        inverse = r.inverse_partials(q, v[:4])
        close("hybrid, motion given", held.dq, inverse.dq)
        close("hybrid, accelerations given", held.du[2, 1], inverse.dv[2, 2])
        da, Y = r.inertia_partials(q, v[0], tau[0]), r.regressor(q, v[:2])[0]
        close("M da + Y = 0", r.mass_matrix(q) @ da, -Y, 1e-8)

    def test_partials_of_frames(self):
        r, q, v = self.robot, self.q, self.v
        h, d = 1e-4, np.random.default_rng(5).normal(size=(5, r.nv))

        def along(f):
            return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)

        for representation in ("spatial", "body", "hybrid", "mixed"):
            seen = dict(in_representation=representation)
            p = r.twist_partials(q, v[:3], "B4", **seen)
            want = along(lambda s: r.frame_twist(r.integrate(q, s * d[0]), v[:3] + s * d[1:4], "B4", **seen))
            close("d twist", p.dq @ d[0] + np.einsum("kjan,jn->ka", p.dv, d[1:4]), want, 1e-9)
            p = r.reaction_partials(q, v[:4], "B4", **seen)
            i = [b["name"] for b in r.bodies].index("B4")
            want = along(lambda s: r.joint_reactions(r.integrate(q, s * d[0]), v[:4] + s * d[1:],
                                                     **seen)[:, i])
            close("d reaction", p.dq @ d[0] + np.einsum("kjan,jn->ka", p.dv, d[1:]), want, 1e-9)
        # instantaneous maps give the quantity, derivatives its variation: J v = V, dV/dv v = V at order 0
        k, V = r.kinematics(q, v[:1]), r.frame_twist(q, v[0], "B4", in_representation="body")
        close("order 0", r.twist_partials(q, v[:1], "B4", in_representation="body").dv[0, 0],
              k.jacobian("B4", "body")[0])
        g = r.frame_geometry_partials(q, v[:2], "B4")
        close("d V = dJ v", np.einsum("ajp,j", g.J[0], v[0]), g.twist[0])
        for name in ("momentum_partials", "subtree_momentum_partials"):
            self.assertEqual(getattr(r, name)(q, v[:2], "B4").dv.shape, (2, 2, 6, r.nv))
        for name in ("wrench_partials", "joint_wrench_partials"):
            self.assertEqual(getattr(r, name)(q, v[:3], "B4").dv.shape, (2, 3, 6, r.nv))
        self.assertEqual(V.shape, (6,))

    def test_hybrid(self):
        r, q, v = self.robot, self.q, self.v
        tau = r.inverse_dynamics(q, v[:4])
        half_v, half_tau = v[:4].copy(), tau.copy()
        given = ["q2", 5]
        free = [i for j, joint in enumerate(r.joints) if joint["name"] != "q2" and j != 5
                for i in range(joint["iv"], joint["iv"] + joint["nv"])]
        half_v[1:, free] = 99
        half_tau[:, [i for i in range(r.nv) if i not in free]] = 99
        done = r.hybrid_dynamics(q, half_v, half_tau, given)
        for k in range(3):
            close("hybrid, motion %d" % k, done.v[k + 1], v[k + 1], 1e-8)
            close("hybrid, force %d" % k, done.tau[k], tau[k], 1e-9)

    def test_external(self):
        r, q, v = self.robot, self.q, self.v
        wrench = np.random.default_rng(7).normal(size=(1, 6))
        J = r.frame_jacobian(q, "B4", in_representation="body")
        free = r.inverse_dynamics(q, v[:2])
        close("a wrench is J^T W", r.inverse_dynamics(q, v[:2], external=[("B4", wrench)]),
              free - wrench @ J)
        close("one row", r.inverse_dynamics(q, v[:2], external=[("B4", wrench[0], "body")]),
              free - wrench @ J)
        close("tau_ext", r.inverse_dynamics(q, v[:2], tau_ext=v[2]), free - v[2])
        many = r.inverse_dynamics(np.stack([q, q]), np.stack([v[:2], v[:2]]), external=[("B4", wrench)])
        close("the same in a batch", many[1], free - wrench @ J)


class Batches(unittest.TestCase):
    def test_leading_axes(self):
        for name in ("double_pendulum", "tilthex"):
            robot = jounce.Model(name, representation="body")
            states = [random_state(robot, 4, seed) for seed in range(6)]
            q = np.stack([s[0] for s in states]).reshape(2, 3, robot.nq)
            v = np.stack([s[1] for s in states]).reshape(2, 3, 4, robot.nv)
            tau = robot.inverse_dynamics(q, v)
            self.assertEqual(tau.shape, (2, 3, 3, robot.nv))
            M = robot.mass_matrix(q)
            eom = robot.equations_of_motion(q, v[..., 0, :])
            a = robot.forward_dynamics(q, v[..., 0, :], tau)
            prescribed = [0] if robot.floating else ["joint1"]
            done = robot.hybrid_dynamics(q, v, tau, prescribed)
            for i in range(2):
                for j in range(3):
                    close("batch, inverse", tau[i, j], robot.inverse_dynamics(q[i, j], v[i, j]))
                    np.testing.assert_array_equal(M[i, j], robot.mass_matrix(q[i, j]))
                    np.testing.assert_array_equal(
                        eom.C[i, j], robot.equations_of_motion(q[i, j], v[i, j, 0]).C)
                    close("batch, forward", a[i, j],
                          robot.forward_dynamics(q[i, j], v[i, j, 0], tau[i, j]), 1e-9)
                    close("batch, hybrid", done.tau[i, j], tau[i, j], 1e-9)
            threads = robot.with_settings(threads=2)
            np.testing.assert_array_equal(threads.inverse_dynamics(q, v), tau)

    def test_empty_and_single(self):
        robot = jounce.Model("tilthex")
        n = robot.nv
        self.assertEqual(robot.inverse_dynamics(np.zeros((0, robot.nq)), np.zeros((0, 2, n))).shape,
                         (0, 1, n))
        self.assertEqual(robot.mass_matrix(robot.home()[None]).shape, (1, n, n))

    def test_the_state_at_fault_is_named(self):
        robot = jounce.Model("tilthex")
        q, v = np.stack([robot.home()] * 5), np.zeros((5, 2, robot.nv))
        q[3, 0] = 2
        with self.assertRaises(jounce.PoseError) as caught:
            robot.inverse_dynamics(q, v)
        self.assertEqual(caught.exception.index, 3)
        with self.assertRaises(jounce.PoseError) as caught:
            robot.mass_matrix(q)
        self.assertEqual(caught.exception.index, 3)


class Out(unittest.TestCase):
    def test_written_where_it_lies(self):
        robot = jounce.Model("tilthex", representation="body")
        q, v = random_state(robot, 3)
        out = np.empty((2, robot.nv))
        self.assertIs(robot.inverse_dynamics(q, v, out=out), out)
        np.testing.assert_array_equal(out, robot.inverse_dynamics(q, v))
        arrays = (np.empty((2, robot.nv, robot.nv)), np.empty((2, 3, robot.nv, robot.nv)))
        got = robot.inverse_partials(q, v, out=arrays)
        self.assertIs(got.dq, arrays[0])
        np.testing.assert_array_equal(got.dv, robot.inverse_partials(q, v).dv)

    def test_inputs_of_any_kind(self):
        robot = jounce.Model("double_pendulum")
        want = robot.inverse_dynamics([0.5, 1], [[1, 2], [3, 4]])
        wide = np.zeros((2, 4))
        wide[:, ::2] = [[1, 2], [3, 4]]
        np.testing.assert_array_equal(robot.inverse_dynamics((0.5, 1), wide[:, ::2]), want)
        np.testing.assert_array_equal(
            robot.inverse_dynamics(np.float32([0.5, 1]), np.asfortranarray([[1, 2], [3, 4]])), want)
        swapped = np.array([0.5, 1]).astype(">f8")
        np.testing.assert_array_equal(robot.inverse_dynamics(swapped, [[1, 2], [3, 4]]), want)


class Layouts(unittest.TestCase):
    def test_every_layout_computes_the_same(self):
        ours = jounce.Model("tilthex", representation="spatial")
        q, v = random_state(ours, 4)
        tau = ours.inverse_dynamics(q, v)
        power = tau[0] @ v[0]
        home = jounce.Layout(ours, "jounce")
        for name in ("pinocchio", "mujoco", "drake", "rbdl"):
            theirs, layout = ours.with_settings(layout=name), jounce.Layout(ours, name)
            self.assertEqual(theirs.layout, name)
            self.assertEqual(theirs.representation, layout.representation)
            q2, v2, tau2 = home.convert(layout, q, v, tau)
            got = theirs.inverse_dynamics(q2, v2)
            close("tau in a layout", got, tau2, 1e-11)
            residual("power in a layout", abs(got[0] @ v2[0] - power) / abs(power), 1e-12)
            close("forward in a layout", theirs.forward_dynamics(q2, v2[0], got), v2[1:], 1e-8)
            M = theirs.mass_matrix(q2)
            residual("kinetic energy in a layout", abs(
                v2[0] @ M @ v2[0] / (v[0] @ ours.mass_matrix(q) @ v[0]) - 1), 1e-12)
            J = theirs.frame_jacobian(q2, "B4", in_representation="hybrid")
            V = theirs.frame_twist(q2, v2[0], "B4", in_representation="hybrid")
            close("J v in a layout", J @ v2[0], V)
            order = [3, 4, 5, 0, 1, 2] if name == "pinocchio" else list(range(6))
            close("twist", V, ours.frame_twist(q, v[0], "B4", in_representation="hybrid")[order], 1e-11)
            back = layout.convert(home, q2, v2, tau2)
            close("round trip", back[1], v)
            np.testing.assert_array_equal(layout.import_q(layout.export_q(q)), q)
            np.testing.assert_array_equal(theirs.home(), layout.export_q(ours.home()))
            batch = theirs.inverse_dynamics(np.stack([q2] * 3), np.stack([v2] * 3))
            close("batch in a layout", batch[2], got, 1e-12)
            Y = theirs.regressor(q2, v2)
            self.assertEqual(Y.shape, (3, ours.nv, 10 * ours.nbody))
            close("regressor in a layout", Y[0, 6:], ours.regressor(q, v)[0, 6:], 1e-10)
            out = np.empty((3, ours.nv))
            theirs.inverse_dynamics(q2, v2, out=out)
            np.testing.assert_array_equal(out, got)

    def test_places(self):
        robot = jounce.Model("tilthex", layout="mujoco")
        self.assertEqual(robot.dofs[:7], ("base:vx", "base:vy", "base:vz", "base:wx", "base:wy", "base:wz", "q2"))
        layout = jounce.Layout(robot, "mujoco")
        self.assertEqual(layout.q_index[:7].tolist(), [4, 5, 6, 0, 1, 2, 3])

    def test_refused(self):
        robot = jounce.Model("tilthex", layout="drake")
        with self.assertRaisesRegex(jounce.ArgumentError, "linearise is not available in the layout 'drake'"):
            robot.linearise(robot.home(), np.zeros(robot.nv), np.zeros(robot.nv))
        with self.assertRaises(jounce.ArgumentError):
            jounce.Model("tilthex", layout="drake", representation="body")
        spec = jounce.Spec("ball").add_link("l", 1, inertia=[1, 1, 1])
        spec.add_joint("ball", "spherical", None, "l")
        with self.assertRaisesRegex(jounce.ArgumentError, "joint 'ball': Drake"):
            spec.build(layout="drake")


class Models(unittest.TestCase):
    def test_by_hand(self):
        spec = jounce.Spec("pendulum")
        spec.add_link("base").add_link("rod", 2.0, com=[0, 0, -0.5], inertia=[0.1, 0.1, 0.01])
        spec.add_joint("hinge", "revolute", "base", "rod", axis=[0, 1, 0], damping=0.3, upper=2,
                       effort=5, jerk=70, effort_rate=40)
        spec.add_frame("tip", "rod", p=[0, 0, -1])
        robot = spec.build()
        self.assertEqual((robot.nq, robot.nv, robot.name), (1, 1, "pendulum"))
        # I q'' + m g l sin q
        tau = robot.inverse_dynamics([0.3], [[0.0], [1.0]])[0, 0]
        residual("pendulum by hand", abs(tau - (0.1 + 0.5 + 2 * 9.81 * 0.5 * np.sin(0.3))), 1e-14)
        damped = robot.with_settings(damping=True)
        residual("damping", abs(damped.inverse_dynamics([0.3], [[2.0], [1.0]])[0, 0] - tau - 0.6), 1e-14)
        moon = robot.with_settings(gravity=(0, 0, -1.62))
        self.assertEqual(moon.gravity, (0, 0, -1.62))
        self.assertEqual(robot.gravity, (0, 0, -9.81))
        limits = [robot.joints[1][x] for x in ("upper", "effort", "jerk", "effort_rate")]
        self.assertEqual(limits, [2, 5, 70, 40])
        np.testing.assert_allclose(robot.frame_pose([0.0], "tip")[:3, 3], [0, 0, -1])

    def test_locked_joints(self):
        whole = jounce.Model("arm6")
        spec = jounce.Spec.load("arm6")
        names = [j["name"] for j in whole.joints if j["nv"]]
        spec.lock(names[2], 0.7).lock(names[5], [-0.4]).set_armature(names[0], 0.5)
        part = spec.build()
        free = [0, 1, 3, 4]
        self.assertEqual(part.nv, 4)
        q, v = random_state(whole, 3)
        q[2], q[5], v[:, [2, 5]] = 0.7, -0.4, 0
        want = whole.inverse_dynamics(q, v)[:, free]
        want[:, 0] += 0.5 * v[1:, 0]
        close("locked joints", part.inverse_dynamics(q[free], v[:, free]), want)
        with self.assertRaisesRegex(jounce.ArgumentError, "no joint 'nobody'"):
            spec.lock("nobody")
        with self.assertRaises((jounce.ArgumentError, TypeError)):
            jounce.Spec.load("arm6").lock(names[0], [1, 2])

    def test_inertias_that_no_body_has(self):
        spec = jounce.Spec("bad").add_link("a").add_link("b", 1, inertia=[-1e-3, 0.01, 0.01])
        spec.add_joint("j", "revolute", "a", "b", axis=[1, 0, 0], armature=1)
        with self.assertRaisesRegex(jounce.ModelError, "indefinite.*-0.001, 0.01, 0.01.*'repair'"):
            spec.build()
        for policy, moment in (("permissive", -1e-3), ("repair", 0)):
            robot = spec.build(inertia=policy)
            self.assertEqual(robot.inverse_dynamics([0.0], [[0.0], [1.0]])[0, 0], 1 + moment)
        self.assertIn("repaired: ixx -0.001 -> 0", spec.lint(inertia="repair")[-1][2])
        with self.assertRaisesRegex(jounce.ArgumentError, "inertia: one of 'default', 'strict'"):
            spec.build(inertia="lenient")
        flat = jounce.Spec("flat").add_link("a", 1, inertia=[1, 1, 3])
        flat.build(root="floating")
        flat.build(inertia="strict")  # it does not move
        with self.assertRaisesRegex(jounce.ModelError, "triangle"):
            flat.build(root="floating", inertia="strict")
        self.assertEqual([f[0] for f in flat.lint(root="floating", inertia="strict")], ["serious"])
        with self.assertRaises(TypeError):
            flat.lint("floating")

    def test_files(self):
        import os
        import tempfile
        mjcf = jounce.Spec.parse_mjcf("""<mujoco model="m"><worldbody><body name="a"><joint name="j" axis="0 1 0"/>
            <geom size="0.1" mass="2" pos="0.5 0 0"/></body></worldbody></mujoco>""")
        self.assertEqual((mjcf.name, mjcf.links, mjcf.joints), ("m", ("a",), ("j",)))
        # 2/5 m r^2 + m l^2, and m g l at rest
        arm = mjcf.build()
        close("an arm from MJCF", arm.mass_matrix([0.0]), [[2 * (0.4 * 0.01 + 0.25)]])
        close("an arm from MJCF", arm.inverse_dynamics([0.0], [[0.0], [0.0]])[0], [-2 * 9.81 * 0.5])
        arm = jounce.Spec.parse_xacro("""<robot name="x"><xacro:property name="m" value="${3 - 1}"/><link name="l${m}"/></robot>""")
        self.assertEqual(arm.links, ("l2",))
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "packages", "parts"))
            with open(os.path.join(folder, "packages", "parts", "part.xacro"), "w") as file:
                file.write("""<x><link name="$(arg side)"/></x>""")
            path = os.path.join(folder, "robot.xacro")
            with open(path, "w") as file:
                file.write("""<robot name="r"><xacro:arg name="side" default="left"/>
                    <xacro:include filename="$(find parts)/part.xacro"/></robot>""")
            options = {"package_path": os.path.join(folder, "packages"), "arguments": {"side": True}}
            self.assertEqual(jounce.Spec.load(path, **options).links, ("true",))
            self.assertEqual(jounce.Model(path, **options).nframe, 1)
            self.assertIn('<link name="true"/>', jounce.expand(path, **options))
            os.rename(os.path.join(folder, "packages"), os.path.join(folder, "others"))
            with self.assertRaisesRegex(jounce.FileError, "robot.xacro:2: include .* no package 'parts'"):
                jounce.Spec.load(path)
            with self.assertRaises(TypeError):
                jounce.expand(path, arguments=["side:=left"])
            with self.assertRaises(TypeError):
                jounce.Model(path, arguments={1: 2})
        spec = jounce.Spec.load("tilthex")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "robot.json")
            spec.save_json(path)
            arm.save_urdf(os.path.join(folder, "arm.urdf"))
            self.assertEqual(jounce.Spec.load(os.path.join(folder, "arm.urdf")).links, ("l2",))
            a, b = jounce.Model(path), jounce.Model("tilthex")
            q, v = random_state(a, 3)
            np.testing.assert_array_equal(a.inverse_dynamics(q, v), b.inverse_dynamics(q, v))
            with open(path) as file:
                c = jounce.Spec.parse_json(file.read()).build()
            np.testing.assert_array_equal(c.inverse_dynamics(q, v), b.inverse_dynamics(q, v))
            with open(path) as file:
                c = jounce.Spec.parse(file.read()).build()
            np.testing.assert_array_equal(c.inverse_dynamics(q, v), b.inverse_dynamics(q, v))
        self.assertEqual(jounce.Spec.parse("<robot name='r'><link name='a'/></robot>").links, ("a",))
        commas = jounce.Spec.parse("<robot><link name='a'/><link name='b'/><joint name='j' "
                                   "type='continuous'><parent link='a'/><child link='b'/>"
                                   "<axis xyz='0,1,0'/></joint></robot>")
        with self.assertRaisesRegex(jounce.FormatError, "lenient"):
            commas.build()
        self.assertEqual(commas.build(lenient=True).nv, 1)
        self.assertIn("tilthex", jounce.builtins())
        self.assertIsInstance(spec.lint(), list)

    def test_poses(self):
        robot = jounce.Model("tilthex")
        R = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]])
        q = robot.with_pose(robot.home(), 0, R, [1, 2, 3])
        np.testing.assert_allclose(robot.frame_pose(q, "B1")[:3, :3], R, atol=1e-15)
        np.testing.assert_array_equal(robot.frame_pose(q, "B1")[:3, 3], [1, 2, 3])
        with self.assertRaises(jounce.PoseError):
            robot.with_pose(q, 0, 2 * R)

    def test_difference(self):
        robot = jounce.Model("tilthex")
        q0, _ = random_state(robot, 1, 1)
        dq = 0.3 * np.random.default_rng(2).normal(size=robot.nv)
        close("difference of integrate", robot.difference(q0, robot.integrate(q0, dq)), dq)


class Simulations(unittest.TestCase):
    def test_energy_stays(self):
        robot = jounce.Model("tilthex", representation="body", gravity=[0, 0, 0])
        q, v = random_state(robot, 1)
        sim = jounce.Simulation(robot)
        sim.set_state(0, q, v[0])
        before = robot.momentum_energy(q, v[0])
        qs, vs = sim.run(np.linspace(0.1, 1, 10))
        self.assertEqual((qs.shape, vs.shape, sim.t), ((10, robot.nq), (10, robot.nv), 1.0))
        after = robot.momentum_energy(qs[-1], vs[-1])
        close("energy", after.kinetic, before.kinetic, 1e-10)
        close("momentum", after.momentum, before.momentum, 1e-10)
        self.assertGreater(sim.statistics.steps, 0)
        mid_q, mid_v = sim.at(sim.t)
        np.testing.assert_allclose(mid_q, qs[-1], atol=1e-12)

    def test_forces_and_events(self):
        robot = jounce.Model("pendulum")
        calls = []

        def spring(t, q, v):
            calls.append(t)
            return -5 * q - 0.5 * v

        by_call = jounce.Simulation(robot, "rkmk54", state=spring, tolerance=1e-11)
        by_name = jounce.Simulation(robot, "rkmk54", stiffness=[5], damping=[0.5], tolerance=1e-11)
        for sim in (by_call, by_name):
            sim.set_state(0, [1.0], [0.0])
            self.assertEqual(sim.run_to(1.5), -1)
        residual("spring by call and by name", abs(by_call.q[0] - by_name.q[0]), 1e-12)
        self.assertTrue(calls)
        falling = jounce.Simulation(robot, events=[(lambda t, q, v: q[0], -1)])
        falling.set_state(0, [0.5], [0.0])
        self.assertEqual(falling.run_to(10), 0)
        residual("event", abs(falling.q[0]), 1e-9)
        for force in ({"table": ([0, 1, 2], [[0], [1], [1]])}, {"polynomial": (0, [[0], [1.0]])},
                      {"fourier": (2.0, [[0], [1]], [[0], [0]])},
                      {"time": lambda t, order: np.array([[t]] + [[1.0]] * (order > 0) + [[0.0]] * (order - 1))},
                      {"external": [("link1", [1, 1, 1, 0, 0, 0], "body")]}, {"tau": [1.0]}):
            sim = jounce.Simulation(robot, **force)
            self.assertEqual(sim.run_to(0.5), -1)
            self.assertNotEqual(sim.v[0], 0)

    def test_a_late_push_is_seen(self):
        robot = jounce.Model("pendulum", gravity=[0, 0, 0])
        calls = []

        def push(t, order):  # 5 N m from 5 s to 5.5 s
            calls.append(t)
            return np.array([[5.0 if 5 <= t < 5.5 else 0.0]] + [[0.0]] * order)

        inertia = robot.mass_matrix([0.0])[0, 0]
        for scheme in ("taylor", "rkmk54", "radau"):
            sim = jounce.Simulation(robot, scheme, time=push, tolerance=1e-9)
            sim.run_to(10)
            residual("late push, " + scheme, abs(sim.v[0] - 2.5 / inertia), 1e-7)
        calls.clear()
        jounce.Simulation(robot, time=push, resolution=1e-3).run_to(1)
        self.assertGreater(len(calls), 4000)

    def test_a_limit_names_itself_and_the_remedy(self):
        robot = jounce.Model("pendulum")
        stiff = jounce.Simulation(robot, "rkmk54", state=lambda t, q, v: -1e9 * v, max_steps=100)
        stiff.set_state(0, [1.0], [1.0])
        with self.assertRaisesRegex(jounce.LimitError, "max_steps = 100 .*radau"):
            stiff.run_to(10)
        damped = jounce.Simulation(robot, damping=[1e9])
        damped.set_state(0, [1.0], [1.0])
        damped.run_to(10)
        self.assertLess(damped.statistics.steps, 1000)
        top = jounce.Simulation(robot, "variational", step=1.0)
        top.set_state(0, [0.0], [30.0])
        with self.assertRaisesRegex(jounce.LimitError, "too long.*shorten the step"):
            top.run_to(10)
        with self.assertRaises(jounce.ArgumentError):
            jounce.Simulation(robot, resolution=-1)
        with self.assertRaises(jounce.ArgumentError):
            jounce.Simulation(robot, max_steps=-1)
        with self.assertRaisesRegex(jounce.LimitError, "order 1002, the largest is 1000"):
            robot.kinematics([0.0], np.zeros((1003, 1)))

    def test_errors_in_callbacks_come_out(self):
        robot = jounce.Model("pendulum")

        def broken(t, q, v):
            raise KeyError("mine")

        sim = jounce.Simulation(robot, "rkmk4", step=0.01, state=broken)
        with self.assertRaises(KeyError):
            sim.run_to(1)
        with self.assertRaises(TypeError):
            jounce.Simulation(robot, "rkmk4", step=0.01, state=lambda t, q, v: None).run_to(1)
        with self.assertRaises(KeyError):
            jounce.Simulation(robot, events=[broken]).run_to(1)
        again = []
        sim = jounce.Simulation(robot, "rkmk4", step=0.01, state=lambda t, q, v: again.append(sim.run_to(2)))
        with self.assertRaises(jounce.StateError):
            sim.run_to(1)

    def test_elastic(self):
        robot = jounce.Model("pendulum")
        sim = jounce.Simulation(robot, motor_stiffness=[1e3], motor_inertia=[0.1], tau=[1.0])
        sim.set_state(0, [0.2], [0])
        sim.set_motor([0.2], [0.0])
        sim.run_to(0.1)
        theta, rate = sim.motor
        self.assertNotEqual(theta[0], sim.q[0])


class Trajectories(unittest.TestCase):
    def test_the_fastest_motion(self):
        robot = jounce.Model("double_pendulum")
        path = jounce.Trajectory.minimum(robot, [0, 0.7, 2], [[0, 0], [1.2, -0.8], [0.3, 0.5]])
        limits = dict(effort=40, effort_rate=400, jerk=[300, 250])
        fast = path.retime(**limits, intervals=100)
        self.assertEqual(fast.limits(**limits)["broken"], 0)
        found = path.limits(**limits)
        self.assertEqual(len(found["limits"]), 6)
        self.assertLess(fast.end, found["time_scale"] * path.end)
        self.assertLess(path.retime(effort=40, rates=False, intervals=100).end, fast.end)
        tame = path.retime(**limits, power=30, tool_speed=("link2", 1.0), intervals=100)
        self.assertEqual(tame.limits(**limits, power=30)["broken"], 0)
        self.assertGreater(tame.end, fast.end)
        calm = path.retime(**limits, objective="torque", duration=2 * fast.end, intervals=100)
        smooth = path.retime(**limits, objective="rate", duration=2 * fast.end, intervals=100)
        self.assertLessEqual(max(calm.end, smooth.end), 2 * fast.end)
        squares = [sum((robot.inverse_dynamics(*m.at(m.end * n / 400, order=1))[row] ** 2).sum()
                       for n in range(401)) * m.end for m in (calm, smooth, fast.scaled(2)) for row in (0, 1)]
        self.assertLess(squares[0], min(squares[2], squares[4]))
        self.assertLess(squares[3], min(squares[1], squares[5]))
        self.assertGreater(path.retime(**limits, objective=("mixed", 1.0), intervals=100).end, fast.end)
        with self.assertRaisesRegex(jounce.InfeasibleError, "too short: the fastest"):
            path.retime(**limits, duration=0.1, intervals=100)
        way = jounce.Trajectory.minimum(robot, None, [[0, 0], [1.2, -0.8], [0.3, 0.5]])
        self.assertEqual(way.end, 2)
        self.assertEqual(way.retime(**limits, intervals=100).limits(**limits)["broken"], 0)
        with self.assertRaisesRegex(jounce.Error, "different from the one before"):
            jounce.Trajectory.minimum(robot, None, [[0, 0], [0, 0]])
        moving = path.retime(**limits, end_speeds=(0.3, 0.2), intervals=100)
        residual("speed of the clock at the end", abs(moving.clock(moving.end, order=1)[1] / 0.2 - 1), 1e-9)
        # the same path: q at t is the path's q at u(t), and the chain rule
        u = fast.clock(0.4, order=1)
        q, v = fast.at(0.4)
        at, rate = path.at(u[0])
        residual("the path of the fastest motion", abs(q - at).max(), 1e-13)
        residual("its velocity", abs(v[0] - rate[0] * u[1]).max(), 1e-12)
        slow = path.clocked([[0, 0, 0.5, 0, 0], [4, 2, 0.5, 0, 0]])
        residual("a linear clock", abs(slow.at(1.0)[1] - path.scaled(2).at(1.0)[1]).max(), 1e-12)
        with self.assertRaisesRegex(jounce.InfeasibleError, "the effort at rest of 'joint1'"):
            path.retime(effort=1)
        for wrong in (dict(effort=[1, 2, 3]), dict(jerk=-1), dict(jerk=1, intervals=3),
                      dict(jerk=1, tool_speed=("hand", 1.0)), dict(jerk=1, tool_speed=3), dict(jerk=1, end_speeds=1),
                      dict(jerk=1, objective="torque"), dict(jerk=1, objective="mixed"), dict(jerk=1, objective=3),
                      dict(jerk=1, objective="time", duration=-1)):
            with self.assertRaises((jounce.Error, ValueError)):
                path.retime(**wrong)
        with self.assertRaises(jounce.Error):
            path.clocked([[0, 0, 1, 0, 0], [1, 0, 1, 0, 0]])

    def test_the_fastest_flight(self):
        robot = jounce.Model("tilthex")
        q = [[1, 0, 0, 0, 0, 0, 1] + 6 * [0], [1, 0, 0, 0, 0.8, 0.3, 1.6] + 6 * [0.1]]
        path = jounce.Trajectory.minimum(robot, [0, 1], q)
        found = path.retime(intervals=100).limits()
        self.assertEqual(found["broken"], 0)
        self.assertEqual([x["quantity"] for x in found["limits"]], 6 * ["thrust", "thrust_rate"])
        self.assertGreater(max(x["used"] for x in found["limits"]), 0.99)
        slow = path.retime(thrust=9, thrust_rate=[20] * 6, intervals=100)
        self.assertEqual(slow.limits(thrust=9, thrust_rate=20)["broken"], 0)
        self.assertGreater(slow.limits(thrust=8.5)["broken"], 0)
        with self.assertRaisesRegex(jounce.InfeasibleError, r"the thrust at rest of 'p\d'"):
            path.retime(thrust=2)
        for wrong in (dict(thrust=[1, 2]), dict(thrust_rate=-1)):
            with self.assertRaises(jounce.Error):
                path.limits(**wrong)

    def test_motors_of_elastic_joints(self):
        robot = jounce.Model("double_pendulum")
        path = jounce.Trajectory.minimum(robot, [0, 1], [[0, 0], [1.2, -0.8]], derivative=5)
        theta, tau, tau_m = path.elastic(0.4, 500, [0.1, 0.2])
        q, v = path.at(0.4, order=2)
        residual("spring torques", abs(tau - robot.inverse_dynamics(q, v)).max(), 1e-12)
        residual("deflection", abs(500 * theta[0] - tau[0]).max(), 1e-12)
        residual("motors", abs(np.array([0.1, 0.2]) * theta[2] + tau[0] - tau_m).max(), 1e-12)

    def test_through_the_waypoints(self):
        robot = jounce.Model("tilthex", representation="body")
        times = np.array([0, 0.7, 1.5])
        q = np.stack([random_state(robot, 1, s)[0] for s in range(3)])
        for make in (jounce.Trajectory.minimum, jounce.Trajectory.half_cosine):
            motion = make(robot, times, q)
            got, v = motion.at(times, order=2)
            self.assertEqual((got.shape, v.shape), ((3, robot.nq), (3, 4, robot.nv)))
            for a, b in zip(got, q):
                residual("waypoints", abs(robot.difference(a, b)).max(), 1e-13)
            residual("rest", abs(v[0, 0]).max(), 1e-12)
        tau = robot.inverse_dynamics(got, v)
        self.assertEqual(tau.shape, (3, 3, robot.nv))
        slow = motion.scaled(2)
        self.assertEqual((slow.start, slow.end), (0, 3))
        close("twice as slow", slow.at(1.0)[1][0], motion.at(0.5)[1][0] / 2)

    def test_consistent_in_every_layout(self):
        for layout in ("jounce", "pinocchio", "mujoco", "drake", "rbdl"):
            robot = jounce.Model("tilthex", layout=layout)
            q = np.stack([robot.home()] * 6) + 0.0
            ours = jounce.Model("tilthex")
            random = np.stack([random_state(ours, 1, s)[0] for s in range(6)])
            q = jounce.Layout(ours, layout).export_q(random)
            motion = jounce.Trajectory.bspline(robot, q, degree=5, end=2)
            h = 1e-4
            _, v = motion.at(0.9, order=2)
            ahead, behind = motion.at(0.9 + h, order=1)[1], motion.at(0.9 - h, order=1)[1]
            close("v' by differences", (ahead - behind)[:3] / (2 * h), v[1:4], 1e-5)

    def test_sources(self):
        robot = jounce.Model("double_pendulum")
        c = np.array([[0.1, 0.2], [1, 0], [0, 3]])
        motion = jounce.Trajectory.polynomial(robot, c, start=1, end=4)
        q, v = motion.at(3.0)
        np.testing.assert_allclose(q, [0.1 + 2, 0.2 + 12])
        np.testing.assert_allclose(v, [[1, 12], [0, 6]])
        wave = jounce.Trajectory.fourier(robot, 2.0, [[0, 0], [1, 0]], [[0, 0], [0, 1]], end=5)
        np.testing.assert_allclose(wave.at(0.3)[0], [np.cos(0.6), np.sin(0.6)])
        t = np.linspace(0, 1, 50)
        samples = np.stack([np.sin(3 * t), np.cos(2 * t)], axis=1)
        fit = jounce.Trajectory.fit(robot, t, samples, tolerance=0)
        rms, largest, weight = fit.residual
        residual("fit through every sample", largest.max(), 1e-10)
        close("fitted velocity", fit.at(0.5)[1][0], [3 * np.cos(1.5), -2 * np.sin(1.0)], 1e-6)
        with self.assertRaisesRegex(jounce.ArgumentError, "runs from 0 to 1"):
            fit.at(2)
        with self.assertRaises(jounce.StateError):
            fit.band(0.5)
        # noise found from the samples, and bands that contain the truth
        t = np.linspace(0, 4, 800)
        samples = np.stack([np.sin(3 * t), np.cos(2 * t)], axis=1)
        fit = jounce.Trajectory.fit(robot, t, samples + 1e-3 * np.random.default_rng(1).standard_normal((800, 2)))
        np.testing.assert_allclose(fit.report["noise"], 1e-3, rtol=0.15)
        (q, v), (bq, bv) = fit.at(t, 1), fit.band(t, 1)
        self.assertGreater(np.mean(np.abs(q - samples) <= bq), 0.85)
        self.assertGreater(np.mean(np.abs(v[:, 2, 0] + 27 * np.cos(3 * t)) <= bv[:, 2, 0]), 0.85)
        # the bands of torques and torque rates contain those of the true motion
        inside = []
        for s in t[::20]:
            truth = np.array([[3 * np.cos(3 * s), -2 * np.sin(2 * s)], [-9 * np.sin(3 * s), -4 * np.cos(2 * s)],
                              [-27 * np.cos(3 * s), 8 * np.sin(2 * s)]])
            tau = robot.inverse_dynamics(np.array([np.sin(3 * s), np.cos(2 * s)]), truth)
            inside.append(np.abs(robot.inverse_dynamics(*fit.at(s, 1)) - tau) <= fit.force_band(s, 1))
        self.assertEqual(inside[0].shape, (2, 2))
        self.assertGreater(np.mean(inside), 0.85)
        with self.assertRaisesRegex(jounce.FitError, "not to be trusted"):
            jounce.Trajectory.fit(robot, t, samples, pieces=2)
        # options of recordings
        noisy = samples + 1e-4 * np.random.default_rng(2).standard_normal((800, 2))
        wrapped = (4 * noisy + np.pi) % (2 * np.pi) - np.pi
        close("degrees", jounce.Trajectory.fit(robot, t, np.degrees(noisy), degrees=True).at(1.0)[1],
              jounce.Trajectory.fit(robot, t, noisy).at(1.0)[1], 1e-9)
        fit = jounce.Trajectory.fit(robot, t, wrapped, unwrap=True, outliers="keep")
        jumps = (np.abs(np.diff(wrapped, axis=0)) > 3).sum(axis=0)
        self.assertGreater(jumps.min(), 0)
        np.testing.assert_array_equal(fit.report["turns"], jumps)
        rest = np.stack([t ** 4 * (35 - 21 * t + 4.375 * t ** 2 - 0.3125 * t ** 3) / 256] * 2, axis=1)
        rest += 1e-4 * np.random.default_rng(3).standard_normal((800, 2))
        at_rest = jounce.Trajectory.fit(robot, t, rest, ends="rest")
        self.assertTrue((at_rest.band(0.0)[1] < jounce.Trajectory.fit(robot, t, rest).band(0.0)[1]).all())
        with self.assertRaisesRegex(ValueError, "'free' or 'rest'"):
            jounce.Trajectory.fit(robot, t, noisy, ends="test")
        with self.assertRaises(jounce.Error):
            jounce.Trajectory.minimum(robot, [0, 0], samples[:2])

    def test_files(self):
        import os
        import tempfile
        robot = jounce.Model("double_pendulum")
        self.assertEqual(robot.coordinates, ("joint1", "joint2"))
        self.assertEqual(jounce.Model("tilthex", layout="rbdl").coordinates[-1], "base:qw")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "motion.json")
            motion = jounce.Trajectory.minimum(robot, [0, 1, 2], [[0, 1], [1, 0], [0, 0.5]])
            motion.save(path)
            again = jounce.Trajectory.load(robot, path)
            for a, b in zip(motion.at(np.linspace(0, 2, 9), 2), again.at(np.linspace(0, 2, 9), 2)):
                np.testing.assert_array_equal(a, b)
            t = np.linspace(0, 1, 60)
            samples = np.stack([t, np.sin(t), np.cos(t)], axis=1)
            path = os.path.join(folder, "samples.csv")
            np.savetxt(path, samples, delimiter=",", header="t,joint1,joint2", comments="", fmt="%.17g")
            fit = jounce.Trajectory.load(robot, path, tolerance=0)
            residual("fit of a file", fit.residual[1].max(), 1e-12)
            close("velocity of a file", fit.at(0.5)[1][0], [np.cos(0.5), -np.sin(0.5)], 1e-7)
            with self.assertRaises(jounce.FileError):
                jounce.Trajectory.load(robot, os.path.join(folder, "none.csv"))


class Groups(unittest.TestCase):
    def test_there_and_back(self):
        random = np.random.default_rng(2)
        w, V = 0.5 * random.normal(size=(4, 3)), 0.5 * random.normal(size=(2, 3, 6))
        close("log exp on SO(3)", jounce.so3_log(jounce.so3_exp(w)), w)
        close("log exp on SE(3)", jounce.se3_log(jounce.se3_exp(V)), V)
        R = jounce.so3_exp(w)
        close("orthogonal", R @ R.transpose(0, 2, 1), np.stack([np.eye(3)] * 4))
        with self.assertRaises(jounce.PoseError):
            jounce.so3_log(2 * np.eye(3))
        with self.assertRaises(jounce.NotFiniteError):
            jounce.se3_exp([np.nan] * 6)
        with self.assertRaises(jounce.ArgumentError):
            jounce.se3_exp(np.zeros(5))


class Rotors(unittest.TestCase):
    def test_there_and_back(self):
        robot = jounce.Model("tilthex", representation="body")
        A, P, rank = robot.rotor_allocation()
        self.assertEqual((A.shape, P.shape, rank, len(robot.rotors)), ((6, 6), (6, 6), 6, 6))
        close("A P", A @ P, np.eye(6), 1e-13)
        omega = 500 + 20 * np.random.default_rng(1).random((4, 3, 6))
        thrust = robot.rotor_thrusts_at(omega)
        wrench = robot.rotor_wrench(thrust)
        close("wrench", wrench, np.einsum("ij,abj->abi", A, thrust), 1e-9)
        back, rest = robot.rotor_thrusts(wrench)
        close("thrusts", back, thrust, 1e-9)
        close("nothing is left", rest, 0 * wrench, 1e-9)
        close("speeds", robot.rotor_speeds(back), omega, 1e-8)
        use, rate = robot.rotor_loads(thrust)
        close("use", use, thrust[:, 0] / robot.rotors[0]["upper"], 1e-12)
        close("rate", rate, abs(thrust[:, 1]) / robot.rotors[0]["thrust_rate"], 1e-12)

    def test_hover_against_the_program(self):
        robot = jounce.Model("tilthex", representation="body")
        tau = robot.inverse_dynamics(robot.home(), np.zeros((2, robot.nv)))
        thrust, _ = robot.rotor_thrusts(tau.reshape(1, -1)[:, :6])
        close("program", np.array(program("rotors", "tilthex")["thrust"]), thrust, 1e-14)

    def test_a_drone_by_hand(self):
        spec = jounce.Spec("drone").add_link("body", 1, inertia=[1, 1, 1])
        spec.add_joint("base", "free", None, "body")
        for i, (x, y) in enumerate([(1, 0), (0, 1), (-1, 0), (0, -1)]):
            spec.add_rotor("r%d" % i, "body", c_f=2, c_d=0.5, spin=1 - 2 * (i % 2), p=(x, y, 0), speed=9)
        robot = spec.build()
        thrust, rest = robot.rotor_thrusts([[0, 0, 1, 3, 0, 8]])
        close("by hand", thrust, [[1, 3, 1, 3]], 1e-13)
        close("what it cannot do", rest, [[0, 0, 0, 3, 0, 0]], 1e-13)
        for bad in (lambda: jounce.Model("arm6").rotor_allocation(),
                    lambda: jounce.Model("arm6").rotor_thrusts([[0] * 6]),
                    lambda: robot.rotor_thrusts([0] * 6), lambda: robot.rotor_wrench([[0] * 6]),
                    lambda: robot.rotor_wrench(np.zeros((0, 4)))):
            with self.assertRaises(jounce.ArgumentError):
                bad()
        with self.assertRaises(jounce.InfeasibleError):
            robot.rotor_speeds([[-1, 1, 1, 1]])
        with self.assertRaises(jounce.NotFiniteError):
            robot.rotor_wrench([[np.nan, 1, 1, 1]])
        with self.assertRaises(jounce.ModelError):
            spec.add_rotor("r0", "body", c_f=1).build()

    def test_a_side_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "rotors.json")
            with open(path, "w") as file:
                json.dump({"rotors": [{"name": "r", "link": "link1", "c_f": 1, "spin": -1}]}, file)
            spec = jounce.Spec.load("pendulum").extend(path)
            self.assertEqual(spec.build(root="floating").rotors[0]["spin"], -1)
            with self.assertRaises(jounce.FileError):
                spec.extend(path + "x")


class Threads(unittest.TestCase):
    def test_one_model_in_many_threads(self):
        robot = jounce.Model("humanoid")
        q, v = random_state(robot, 4)
        want = robot.inverse_dynamics(q, v)
        many = np.stack([q] * 64), np.stack([v] * 64)
        batch, wrong = robot.inverse_dynamics(*many), []

        def work():
            for _ in range(40):
                if not np.array_equal(robot.inverse_dynamics(q, v), want):
                    wrong.append(1)
                if not np.array_equal(robot.inverse_dynamics(*many), batch):
                    wrong.append(2)
                robot.inverse_partials(q, v)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    main()
