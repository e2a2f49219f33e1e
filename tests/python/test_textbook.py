"""Taylor arithmetic, one rigid body and the N-CMTM, against routes of numpy."""
import math
import unittest

import numpy as np

import jounce
from support import main, residual


def close(name, a, b, bound=1e-12):
    a, b = np.asarray(a), np.asarray(b)
    assert a.shape == b.shape, (name, a.shape, b.shape)
    residual(name, abs(a - b).max() / max(abs(b).max(), 1e-3), bound)


def random(*shape, seed=3):
    return np.random.default_rng(seed).normal(size=shape)


class Jets(unittest.TestCase):
    def test_scalars(self):
        x, y = random(7, seed=1), random(7, seed=2)
        x[0], y[0] = 1.7, -0.8
        close("product", jounce.jet_mul(x, y), np.convolve(x, y)[:7])
        close("quotient", jounce.jet_mul(jounce.jet_div(x, y), y), x)
        root = jounce.jet_sqrt(x)
        close("root", jounce.jet_mul(root, root), x)
        s, c = jounce.jet_sincos(x)
        close("sin^2 + cos^2", jounce.jet_mul(s, s) + jounce.jet_mul(c, c), np.eye(7)[0])
        e = jounce.jet_exp(x)
        k = np.arange(1, 7)
        close("exp' = x' exp", k * e[1:], np.convolve(k * x[1:], e[:6])[:6])
        close("value", jounce.jet_eval(x, 0.3), sum(a * 0.3**i for i, a in enumerate(x)))
        close("values", jounce.jet_eval(np.stack([x, y], 1), 0.3),
              [jounce.jet_eval(x, 0.3), jounce.jet_eval(y, 0.3)])

    def test_vectors(self):
        def convolve(f, x, y):
            return np.array([sum(f(x[i], y[k - i]) for i in range(k + 1)) for k in range(len(x))])

        a, b, A, B = random(5, 3), random(5, 3, seed=4), random(5, 9), random(5, 9, seed=5)
        close("cross", jounce.jet_cross(a, b), convolve(np.cross, a, b))
        close("rotate", jounce.jet_rotate(A, b), convolve(lambda R, x: R.reshape(3, 3) @ x, A, b))
        close("compose", jounce.jet_compose(A, B),
              convolve(lambda P, Q: (P.reshape(3, 3) @ Q.reshape(3, 3)).ravel(), A, B))
        V, U, W = random(5, 6), random(5, 6, seed=6), random(5, 6, seed=7)
        power = convolve(np.dot, jounce.jet_ad(V, U), W)
        close("ad and its transpose", convolve(np.dot, U, jounce.jet_ad_t(V, W)), power)

    def test_poses_and_representations(self):
        V = random(5, 6)
        T = jounce.se3_exp(random(6, seed=8))
        R, p = jounce.jet_pose_from_twist(V, T)
        close("pose", R[0].reshape(3, 3), T[:3, :3])
        close("twist", jounce.jet_twist_from_pose(R, p), V)
        for word in ("spatial", "hybrid", "mixed"):
            there = jounce.jet_convert_twist(V, "body", word, T)
            close("there and back", jounce.jet_convert_twist(there, word, "body", T), V)
            W = random(5, 6, seed=9)
            F = jounce.jet_convert_wrench(W, V, "body", word, T)
            power = [sum(a @ b for a, b in zip(x, y)) for x, y in ((V[:1], W[:1]), (there[:1], F[:1]))]
            close("power", power[1], power[0])

    def test_refusals(self):
        for bad in (lambda: jounce.jet_mul([1, 2], [1]), lambda: jounce.jet_mul([[1]], [[1]]),
                    lambda: jounce.jet_mul([], []), lambda: jounce.jet_cross(np.zeros((2, 4)), np.zeros((2, 3))),
                    lambda: jounce.jet_twist_from_pose(np.zeros((1, 9)), np.zeros((1, 3))),
                    lambda: jounce.jet_eval(np.zeros((0, 2)), 1)):
            with self.assertRaises(jounce.ArgumentError):
                bad()
        for bad in (lambda: jounce.jet_div([1, 2], [0, 1]), lambda: jounce.jet_sqrt([-1.0, 1]),
                    lambda: jounce.jet_mul([np.nan], [1])):
            with self.assertRaises(jounce.NotFiniteError):
                bad()
        with self.assertRaises(jounce.PoseError):
            jounce.jet_pose_from_twist(np.zeros((2, 6)), 2 * np.eye(4))


class Groups(unittest.TestCase):
    def test_dexp(self):
        w, dw, V, dV, h = random(3), random(3, seed=5), random(6), random(6, seed=6), 1e-5
        rate = (jounce.so3_exp(w + h * dw) - jounce.so3_exp(w - h * dw)) / (2 * h) @ jounce.so3_exp(w).T
        close("R' R^T", [rate[2, 1], rate[0, 2], rate[1, 0]], jounce.so3_dexp(w) @ dw, 1e-8)
        rate = (jounce.se3_exp(V + h * dV) - jounce.se3_exp(V - h * dV)) / (2 * h) @ np.linalg.inv(jounce.se3_exp(V))
        close("C' C^-1", [rate[2, 1], rate[0, 2], rate[1, 0], *rate[:3, 3]], jounce.se3_dexp(V) @ dV, 1e-8)
        close("inverse", jounce.so3_dexp_inv(w) @ jounce.so3_dexp(w), np.eye(3))
        close("inverse", jounce.se3_dexp_inv(V) @ jounce.se3_dexp(V), np.eye(6))
        self.assertEqual(jounce.se3_dexp(random(2, 3, 6)).shape, (2, 3, 6, 6))
        with self.assertRaises(jounce.SingularError):
            jounce.so3_dexp_inv([2 * math.pi, 0, 0])


class OneBody(unittest.TestCase):
    def test_against_the_engine(self):
        J = np.diag([0.3, 0.4, 0.5])
        spec = jounce.Spec("body").add_link("B", 2, com=(0.1, -0.2, 0.3), inertia=J)
        spec.add_joint("base", "free", None, "B")
        T = jounce.se3_exp(random(6))
        V, A = random(6, seed=4), random(6, seed=5)
        for word in ("body", "spatial", "hybrid", "mixed"):
            robot = spec.build(representation=word, gravity=(0, 0, 0))
            q = robot.with_pose(robot.home(), "base", T[:3, :3], T[:3, 3])
            tau = robot.inverse_dynamics(q, np.stack([V, A]))
            body = dict(mass=2, com=(0.1, -0.2, 0.3), inertia=J, T=T, representation=word)
            close("Newton-Euler", jounce.newton_euler(V, A, **body), tau.ravel())
            close("momentum", jounce.body_momentum(V, **body), robot.mass_matrix(q) @ V)


class Comprehensive(unittest.TestCase):
    def test_construct_multiply_invert(self):
        T, zeta = jounce.se3_exp(random(6)), random(4, 6)
        A = jounce.CMTM(T, zeta)
        B = jounce.CMTM(jounce.se3_exp(random(6, seed=8)), random(4, 6, seed=9))
        self.assertEqual(A.order, 4)
        close("pose", A.pose, T)
        close("deconstruct", A.zeta, zeta)
        for form in ("homogeneous", "spatial", "dual"):
            close("product", (A @ B).matrix(form), A.matrix(form) @ B.matrix(form))
            close("inverse", A.inverse().matrix(form) @ A.matrix(form), np.eye(len(A.matrix(form))))
        x = random(5, 6, seed=10)
        close("motion", A.motion(x).ravel(), A.matrix() @ x.ravel())
        close("back", A.motion_back(A.motion(x)), x)
        close("force", A.force(x).ravel(), A.matrix("dual") @ x.ravel())
        close("back", A.force_back(A.force(x)), x)
        p = random(3, 3)
        one = np.concatenate([p, [[1], [0], [0]]], 1)
        want = A.matrix("homogeneous").reshape(5, 4, 5, 4)[:3, :, :3].reshape(12, 12) @ one.ravel()
        close("point", A.point(p), want.reshape(3, 4)[:, :3])

    def test_of_a_body(self):
        robot = jounce.Model("tilthex", representation="body")
        q = robot.integrate(robot.home(), random(robot.nv))
        k = robot.kinematics(q, random(4, robot.nv))
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = k.pose("B4")
        C = jounce.CMTM(T, jounce.to_taylor(k.twist("B4", "body"))[:3])
        close("link", C.matrix(), k.cmtm("B4", order=3), 1e-11)
        close("body by the name of its joint", k.cmtm("q4", order=3), k.cmtm("B4", order=3))
        close("Jacobian by the name of the body", k.comprehensive_jacobian("link_force", "B4", order=2),
              k.comprehensive_jacobian("link_force", "q4", order=2))
        with self.assertRaises(jounce.ArgumentError):
            k.cmtm("B9")

    def test_refusals(self):
        A, B = jounce.CMTM(np.eye(4)), jounce.CMTM(np.eye(4), random(2, 6))
        self.assertEqual(A.zeta.shape, (0, 6))
        for bad in (lambda: A @ B, lambda: A.motion(np.zeros((2, 6))), lambda: A.motion(np.zeros(6)),
                    lambda: B.matrix("round"), lambda: jounce.CMTM(np.eye(4), np.zeros((2, 5)))):
            with self.assertRaises(jounce.ArgumentError):
                bad()
        with self.assertRaises(jounce.PoseError):
            jounce.CMTM(np.zeros((4, 4)))
        with self.assertRaises(TypeError):
            A @ 3


if __name__ == "__main__":
    main()
