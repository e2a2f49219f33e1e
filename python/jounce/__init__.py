"""Rigid-body dynamics of tree robots with time derivatives of any order.

    >>> import jounce, numpy as np
    >>> robot = jounce.Model("tilthex")
    >>> v = np.zeros((4, robot.nv))            # rows v, v', v'', v'''
    >>> tau = robot.inverse_dynamics(robot.home(), v)   # rows tau, tau', tau''

Arrays are float64; C-contiguous arrays are not copied. Row k of v and tau is the k-th time derivative;
the shapes give the order. Leading axes make a batch. See docs/python.md.
"""

from . import _jounce, _names, _pickle, _show  # noqa: F401
from ._jounce import *  # noqa: F401,F403
from ._sweep import Sweep, sweep  # noqa: F401
from ._jounce import __version__  # noqa: F401


def _check_environment():
    """Warns when the instruction set that was asked for is not the one that runs."""
    import os
    import warnings

    want = os.environ.get("JOUNCE_ISA")
    runs = _jounce.Model("pendulum").engine if want else want
    if want != runs:
        warnings.warn("JOUNCE_ISA=%s is not an instruction set of this machine: %s is used "
                      "(known: plain, avx2, avx512)" % (want, runs), RuntimeWarning, stacklevel=2)


_check_environment()
__all__ = [name for name in dir(_jounce) if not name.startswith("_")]
