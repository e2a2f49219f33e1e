"""The overhead of a call through the module compared with the library's own: printed, not checked."""
import timeit
import unittest

import numpy as np

import jounce
from jounce import _jounce
from support import main


class Cost(unittest.TestCase):
    def test_overhead(self):
        robot = jounce.Model("tilthex", representation="body")
        q, v, out = robot.home(), np.zeros((2, robot.nv)), np.empty((1, robot.nv))
        n, rounds = 5000, 9
        call = robot.inverse_dynamics
        library = min(_jounce._time_inverse_dynamics(robot, q, v, n) for _ in range(rounds)) / n
        for name, function in (("new array", lambda: call(q, v)), ("out=", lambda: call(q, v, out=out))):
            whole = min(timeit.repeat(function, number=n, repeat=rounds)) / n
            empty = min(timeit.repeat(lambda: None, number=n, repeat=rounds)) / n
            print("inverse dynamics of tilthex, %s: %.0f ns, of them the library %.0f, the loop %.0f, "
                  "the module %.0f" % (name, whole * 1e9, library * 1e9, empty * 1e9,
                                       (whole - empty - library) * 1e9))
        np.testing.assert_array_equal(call(q, v), out)


if __name__ == "__main__":
    main()
