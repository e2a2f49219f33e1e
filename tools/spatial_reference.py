#!/usr/bin/env python3
"""Write tests/data/spatial_reference.h: exponentials, logarithms and their differentials on SO(3) and SE(3).

Inputs are doubles, taken as exact; outputs are rounded once, from 120 digits. The routes differ from the
library's: power series of matrices (exp and dexp), linear solves (the inverses), Newton's iteration for the
polar factor (the rotation nearest to a matrix of doubles, whose logarithm is meant).

    python3 tools/spatial_reference.py > tests/data/spatial_reference.h
"""
from mpmath import mp, mpf, matrix, eye, zeros, sqrt, atan2, pi, lu_solve, inverse

mp.dps = 120

ANGLES = ["0", "1e-300", "1e-16", "9.9e-10", "1.1e-9", "1e-8", "1e-4", "0.01", "0.1", "0.3", "0.5",
          "0.7", "1", "1.5", "2", "2.5", "3", "pi-1e-3", "pi-1e-8", "pi-1e-15", "pi"]

# beyond pi, for all but the logarithm; the first two are on either side of the square root of 10
LARGE = ["3.1622", "3.1623", "4", "5", "6.2", "10", "100"]
AXES = [(1, 0, 0), (0, 0, -1), (1, 2, 3), (-6, 3, 2), (1e-3, -1, 0.9)]
LINEAR = [(0.3, -0.7, 0.9), (1.1, 0.2, -0.4), (-0.5, 2.0, 0.25), (0.01, 0.6, -1.3), (3.0, -1.0, 0.5)]
DIRECTION = [(1.0, -0.3, 0.6, 0.2, 0.8, -0.5), (0.4, 1.2, 0.7, -0.9, 0.1, 0.35),
             (-0.8, 0.25, 1.5, 0.6, -1.1, 0.05), (0.2, -1.0, 0.3, 1.4, 0.7, 0.9),
             (-0.6, 0.9, -0.1, -0.2, 1.0, -0.75)]


def angle(text):
    return pi - mpf(text[3:]) if text.startswith("pi-") else pi if text == "pi" else mpf(text)


def hat(a):
    return matrix([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def series(X, first):
    """sum X^k / (k + first)!"""
    n = X.rows
    total, term, k = zeros(n), eye(n), 0
    for j in range(1, first + 1):
        term = term / j
    while True:
        total += term
        k += 1
        term = term * X / (k + first)
        if max(abs(t) for t in term) < mpf(10) ** -400:
            return total


def ad(w, v):
    A = zeros(6)
    A[0:3, 0:3] = A[3:6, 3:6] = hat(w)
    A[3:6, 0:3] = hat(v)
    return A


def polar(A):
    for _ in range(12):
        A = (A + inverse(A).T) / 2
    return A


def log(R):
    """The rotation vector of length at most pi, and the other one, of length 2 pi less that."""
    q = [1 + R[0, 0] + R[1, 1] + R[2, 2]] + [1 + 2 * R[i, i] - R[0, 0] - R[1, 1] - R[2, 2] for i in range(3)]
    skew = [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]
    k = max(range(4), key=lambda i: q[i])
    if k == 0:
        w, v = q[0], skew
    else:
        w, v = skew[k - 1], [R[k - 1, j] + R[j, k - 1] for j in range(3)]
        v[k - 1] = q[k]
    if w < 0:
        w, v = -w, [-c for c in v]
    n = sqrt(sum(c * c for c in v))
    if n == 0:
        return [mpf(0)] * 3, [mpf(0)] * 3
    a = 2 * atan2(n, w)
    x = [a * c / n for c in v]
    assert max(abs(e) for e in series(hat(x), 0) - R) < mpf(10) ** -100
    return x, [(a - 2 * pi) * c / n for c in v]


def solve3(w, p):
    return lu_solve(series(hat(w), 1), matrix(list(p)))


def write(values):
    return "{" + ", ".join("%.17g" % float(v) for v in values) + "}"


def main():
    print("/* Written by tools/spatial_reference.py. */")
    print("#ifndef SPATIAL_REFERENCE_H\n#define SPATIAL_REFERENCE_H\n")
    print("/* the rotation vector x and its exponential as quaternion and matrix; dexp_left, its inverse */")
    print("static const struct {\n  double x[3], q[4], R[9], dexp[9], dexp_inv[9];\n} reference_so3[] = {")
    xs = []
    for name in ANGLES + LARGE:
        for i, axis in enumerate(AXES):
            n = sqrt(sum(mpf(c) ** 2 for c in axis))
            x = [float(angle(name) * mpf(c) / n) for c in axis]
            xs.append((x, i, name in LARGE))
    exact = [([mpf(c) for c in x], i, large) for x, i, large in xs]
    rotations = []
    for x, i, large in exact:
        t = sqrt(sum(c * c for c in x))
        R, J = series(hat(x), 0), series(hat(x), 1)
        rotations.append(R)
        k = mp.sin(t / 2) / t if t else mpf(1) / 2
        q = [mp.cos(t / 2)] + [k * c for c in x]
        print("    {%s,\n     %s,\n     %s,\n     %s,\n     %s}," %
              (write(x), write(q), write(R), write(J), write(inverse(J))))
    print("};\n")

    print("/* the twists x and y: exp(x).p, dexp_left(x, y), dexp_right(x, y), their inverses */")
    print("static const struct {\n  double x[6], y[6], p[3], left[6], right[6], left_inv[6], right_inv[6];\n"
          "} reference_se3[] = {")
    for x, i, large in exact:
        v, y = [mpf(c) for c in LINEAR[i]], matrix([mpf(c) for c in DIRECTION[i]])
        J, K = series(ad(x, v), 1), series(-ad(x, v), 1)
        print("    {%s,\n     %s,\n     %s,\n     %s,\n     %s,\n     %s,\n     %s}," %
              (write(x + v), write(y), write(J[0:3, 0:3] * matrix(v)), write(J * y), write(K * y),
               write(lu_solve(J, y)), write(lu_solve(K, y))))
    print("};\n")

    print("/* the pose (R, p), of doubles: its logarithm x, and the other one for a rotation near pi */")
    print("static const struct {\n  double R[9], p[3], x[6], other[6];\n} reference_log[] = {")
    for (x, i, large), R in zip(exact, rotations):
        if large:
            continue
        D = matrix(3, 3)
        for j in range(9):
            D[j // 3, j % 3] = mpf(float(R[j // 3, j % 3]))
        p = [mpf(c) for c in LINEAR[i]]
        w, other = log(polar(D))
        v, v_other = solve3(w, p), solve3(other, p)
        print("    {%s,\n     %s,\n     %s,\n     %s}," %
              (write(D), write(p), write(w + list(v)), write(other + list(v_other))))
    print("};\n\n#endif")


main()
