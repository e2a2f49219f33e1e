#!/usr/bin/env python3
"""Rotors in 60 digits: pseudo-inverse, thrusts and speeds with derivatives, for tests/test_rotors.c.

  python3 tests/data/rotor_reference.py >tests/helpers/rotor_reference.h      (python3-mpmath)

Rotations come from quaternions of whole numbers, the pseudo-inverse from the singular values at 60
digits, the derivatives of the speeds sqrt(f / c_f) from mpmath's numerical differentiation.
"""
import random

from mpmath import mp, mpf, matrix, sqrt, sin, cos, pi, nstr, svd_r, diff

mp.dps = 60
ORDER = 6


def rotation(w, x, y, z):
    n = mpf(w * w + x * x + y * y + z * z)
    return matrix([[1 - 2 * (y * y + z * z) / n, 2 * (x * y - w * z) / n, 2 * (x * z + w * y) / n],
                   [2 * (x * y + w * z) / n, 1 - 2 * (x * x + z * z) / n, 2 * (y * z - w * x) / n],
                   [2 * (x * z - w * y) / n, 2 * (y * z + w * x) / n, 1 - 2 * (x * x + y * y) / n]])


def column(quat, p, c_f, c_d, spin):
    R = rotation(*quat)
    t = [R[r, 2] for r in range(3)]
    m = [p[1] * t[2] - p[2] * t[1], p[2] * t[0] - p[0] * t[2], p[0] * t[1] - p[1] * t[0]]
    return [m[r] - spin * c_d / c_f * t[r] for r in range(3)] + t


def pseudo_inverse(A):
    U, S, V = svd_r(A, full_matrices=False)
    rank = sum(1 for s in S if s > S[0] * mpf(10)**-20)
    P = matrix(A.cols, A.rows)
    for k in range(rank):
        for i in range(A.cols):
            for c in range(A.rows):
                P[i, c] += V[k, i] / S[k] * U[c, k]
    return P, rank


def rotors(seed, n):
    """Whole numbers: quaternion, 100 p, 10^7 c_f, 10^9 c_d, spin; mostly pushing up."""
    r = random.Random(seed)
    return [([12, r.randint(-5, 5), r.randint(-5, 5), r.randint(-6, 6)],
             [r.randint(-40, 40), r.randint(-40, 40), r.randint(-9, 9)],
             r.randint(150, 350), r.randint(300, 600), r.choice([1, -1])) for _ in range(n)]


def wrench(t, A, c_f):
    """A motion within the range of A: of speeds 500 + 40 sin(...), plus what the rotors share."""
    n = A.cols
    f = [c_f[i] * (500 + 40 * sin(mpf(7 + 2 * i) / 10 * t + mpf(3 * i) / 10))**2 for i in range(n)]
    return [sum(A[c, i] * f[i] for i in range(n)) for c in range(A.rows)]


def numbers(name, values):
    print(f"static const double {name}[] = {{")
    for i in range(0, len(values), 4):
        print("    " + ", ".join(repr(float(v)) for v in values[i:i + 4]) + ",")
    print("};")


def case(name, list_):
    n = len(list_)
    c_f = [mpf(float(x[2]) * 1e-7) for x in list_]
    c_d = [mpf(float(x[3]) * 1e-9) for x in list_]
    A = matrix(6, n)
    for i, x in enumerate(list_):
        g = column(x[0], [mpf(float(a) / 100) for a in x[1]], c_f[i], c_d[i], x[4])
        for c in range(6):
            A[c, i] = g[c]
    P, rank = pseudo_inverse(A)
    print(f"static const int {name}_rotor[][9] = {{")
    for x in list_:
        print("    {" + ", ".join(str(a) for a in x[0] + x[1]) + f", {x[2]}, {x[3] * x[4]}}},")
    print("};")
    print(f"enum {{ {name}_count = {n}, {name}_rank = {rank} }};")
    numbers(f"{name}_A", [A[c, i] for c in range(6) for i in range(n)])
    numbers(f"{name}_P", [P[i, c] for i in range(n) for c in range(6)])
    at = mpf(2) / 5
    W = [[diff(lambda t: wrench(t, A, c_f)[c], at, k) for c in range(6)] for k in range(ORDER + 1)]

    def thrust(t, i):
        w = wrench(t, A, c_f)
        return sum(P[i, c] * w[c] for c in range(6))

    numbers(f"{name}_W", [x for row in W for x in row])
    numbers(f"{name}_f", [diff(lambda t: thrust(t, i), at, k)
                          for k in range(ORDER + 1) for i in range(n)])
    numbers(f"{name}_omega", [diff(lambda t: sqrt(thrust(t, i) / c_f[i]), at, k)
                              for k in range(ORDER + 1) for i in range(n)])


print("/* rotor_reference.h: written by tests/data/rotor_reference.py: rotors in 60 digits. A rotor:\n"
      " * quaternion, 100 p, 10^7 c_f, 10^9 c_d times spin. */")
print("/* clang-format off */")
quad = [([1, 0, 0, 0], [20, 0, 0], 250, 480, 1), ([1, 0, 0, 0], [0, 20, 0], 250, 480, -1),
        ([1, 0, 0, 0], [-20, 0, 0], 250, 480, 1), ([1, 0, 0, 0], [0, -20, 0], 250, 480, -1)]
case("quad", quad)
case("six", rotors(6, 6))
case("eight", rotors(8, 8))
case("twelve", rotors(12, 12))
