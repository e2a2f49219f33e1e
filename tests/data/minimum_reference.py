#!/usr/bin/env python3
"""Writes tests/helpers/minimum_reference.h: motions of least integral of |x^(k)|^2 in 120 digits.

  python3 tests/data/minimum_reference.py >tests/helpers/minimum_reference.h      (python3-mpmath)

A route of its own: the coefficients of all pieces are the unknowns of one dense system, the conditions of Euler and
Lagrange at the waypoints. With x^(j) given: x^(j) is met from both sides. With x^(j) free: x^(j) and x^(2k-1-j) are
continuous (at an end: x^(2k-1-j) = 0)."""
from mpmath import mp, mpf, matrix, lu_solve, nstr

mp.dps = 120
NAN = None


def falling(m, j):
    f = 1
    for i in range(j):
        f *= m - i
    return f


def row(k, piece, h, at_end, j, sign=1):
    """Coefficients of x^(j) at an end of a piece, by the index of the unknown."""
    out = {}
    for m in range(j, 2 * k):
        if at_end or m == j:
            out[piece * 2 * k + m] = sign * falling(m, j) / h**j
    return out


def solve(k, times, x, given):
    """given[i][j-1]: derivative j at waypoint i or None. Returns coefficients in powers of u."""
    t = [mpf(a) for a in times]
    pieces, n = len(t) - 1, 2 * k * (len(t) - 1)
    h = [t[i + 1] - t[i] for i in range(pieces)]
    rows, right = [], []
    for i in range(len(t)):
        for j in range(k):
            value = x[i] if j == 0 else given[i][j - 1]
            sides = ([(i - 1, True)] if i else []) + ([(i, False)] if i < pieces else [])
            if value is not None:
                for p, end in sides:
                    rows.append(row(k, p, h[p], end, j)), right.append(mpf(value))
                continue
            orders = [2 * k - 1 - j] + ([j] if len(sides) == 2 else [])
            for o in orders:
                r = {}
                for s, (p, end) in enumerate(sides):
                    r.update(row(k, p, h[p], end, o, 1 - 2 * s))
                rows.append(r), right.append(mpf(0))
    A = matrix(n, n)
    b = matrix(n, 1)
    for i, r in enumerate(rows):
        scale = max(abs(mpf(v)) for v in r.values())
        for c, v in r.items():
            A[i, c] = mpf(v) / scale
        b[i] = right[i] / scale
    return lu_solve(A, b), h, t


def value(k, c, h, t, at, j):
    """x^(j) at time `at`, inside a piece."""
    p = max(i for i in range(len(h)) if t[i] <= at)
    u = (mpf(at) - t[p]) / h[p]
    return sum(c[p * 2 * k + m] * falling(m, j) * u**(m - j) for m in range(j, 2 * k)) / h[p]**j


def rest(k, count):
    given = [[NAN] * (k - 1) for _ in range(count)]
    given[0] = given[-1] = [0.0] * (k - 1)
    return given


def main():
    values = [0.0, 1.0, -0.5, 0.75, 0.25, -1.0, 0.5, 1.5, -0.25, 0.0]
    even = [float(i) for i in range(10)]
    uneven = [0, 0.0625, 1, 4.375, 4.5, 5.5]            # largest piece/smallest: 54
    ratio5e3 = [0, 2**-12, 1, 1.25, 2.5, 3.75]          # 5e3
    gentle = [0.0, 0.0002, 0.8, 0.9, 0.6, -0.5]
    via = [[NAN] * 3 for _ in range(6)]
    via[0][:] = [0.5, -1.0, 2.0]
    via[2][0] = 0.25                                    # a velocity at a waypoint
    via[3][1] = 0.0                                     # an acceleration, its velocity free
    via[4][2] = -3.0                                    # a jerk
    cases = [("10 even waypoints, derivative 9", 9, even, rest(9, 10)),
             ("10 even waypoints, derivative 10", 10, even, rest(10, 10)),
             ("10 even waypoints, derivative 16", 16, even, rest(16, 10)),
             ("10 even waypoints, derivative 4", 4, even, rest(4, 10)),
             ("lengths of ratio 54, derivative 8", 8, uneven, rest(8, 6), [0.0, 0.05, 0.8, 0.9, 1.0, -0.5]),
             ("lengths of ratio 5e3, derivative 5", 5, ratio5e3, rest(5, 6), gentle),
             ("lengths of ratio 5e3, derivative 3", 3, ratio5e3, rest(3, 6), gentle),
             ("all ends free, derivative 6", 6, even, [[NAN] * 5 for _ in range(10)]),
             ("derivatives given at some waypoints, derivative 4", 4, uneven, via)]
    print("/* minimum_reference.h: motions of least integral of |x^(k)|^2 through waypoints, to 120 digits.")
    print(" * Written by tests/data/minimum_reference.py. */")
    print("#ifndef MINIMUM_REFERENCE_H\n#define MINIMUM_REFERENCE_H\n\n#include <math.h>\n")
    print("/* x and derivatives 1, k-1, k, 2k-2 at times inside the pieces */")
    print("typedef struct minimum_value {\n  double t, x[5];\n} minimum_value;")
    print("typedef struct minimum_case {\n  const char *name;\n  int k, count, values;\n"
          "  double times[10], q[10], v[10 * 15];\n  minimum_value value[18];\n} minimum_case;\n")
    print("static const minimum_case minimum_cases[] = {")
    for name, k, times, given, *other in cases:
        x = other[0] if other else values
        c, h, t = solve(k, times, x, given)
        n = len(times)
        text = (",\n      ").join(", ".join("NAN" if d is None else repr(d) for d in g) for g in given)
        print(f'    {{"{name}", {k}, {n}, {2 * (n - 1)},')
        print("     {" + ", ".join(repr(float(a)) for a in times) + "},")
        print("     {" + ", ".join(repr(a) for a in x[:n]) + "},")
        print("     {" + text + "},")
        print("     {")
        for i in range(n - 1):
            for part in (0.25, 0.875):
                at = times[i] + part * (times[i + 1] - times[i])
                d = [nstr(value(k, c, h, t, at, j), 20) for j in (0, 1, k - 1, k, 2 * k - 2)]
                print(f"         {{{at!r},\n          {{{d[0]}, {d[1]}, {d[2]},\n           {d[3]}, {d[4]}}}}},")
        print("     }},")
    print("};\n\n#endif")


main()
