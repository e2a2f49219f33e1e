"""Every algorithm: identities between independent routes."""
import pickle
import unittest

import numpy as np

import jounce
from support import close, main, random_state, residual


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
        self.assertIsNone(k.tau)
        for model in (r, r.with_settings(representation="body"), r.with_settings(formulation="spatial")):
            both = model.kinematics(q, v[:4], with_forces=True)
            np.testing.assert_array_equal(both.tau, model.inverse_dynamics(q, v[:4]))
            close("twist beside forces", both.twist("B4"), model.kinematics(q, v[:4]).twist("B4"))
            np.testing.assert_array_equal(pickle.loads(pickle.dumps(both)).tau, both.tau)
        with self.assertRaisesRegex(ValueError, "with_forces"):
            r.kinematics(q, v[:1], with_forces=True)
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


if __name__ == "__main__":
    main()
