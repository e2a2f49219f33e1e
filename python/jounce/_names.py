"""Model by names: names of joints and degrees of freedom, vectors of limits, states from dicts."""
import difflib
from typing import NamedTuple

import numpy as np

from . import _jounce


class Limits(NamedTuple):
    """The limits of the model file, in the order of q (lower, upper) and of v; inf: none. Joints with one degree of
    freedom have limits."""
    lower: np.ndarray
    upper: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray
    jerk: np.ndarray
    effort: np.ndarray
    effort_rate: np.ndarray


Limits.__module__ = "jounce"


def _real(value):
    """An array of real numbers: no text, and no complex number, which would lose its imaginary part."""
    found = np.asarray(value)
    if found.dtype.kind in "cUSMm":
        raise TypeError("real numbers expected, found %s" % found.dtype.name)
    return np.asarray(found, float)


def _limits(model):
    layout = _jounce.Layout(model, model.layout)
    vectors = {name: np.full(model.nq if name in ("lower", "upper") else model.nv, -np.inf if name == "lower" else np.inf)
               for name in Limits._fields}
    for joint in model.joints:
        if joint["nv"] == 1:
            for name, x in vectors.items():
                x[joint["iq" if name in ("lower", "upper") else "iv"]] = joint[name]
    return Limits(*(layout.export_q(x) if name in ("lower", "upper") else layout.export_rows(x)
                    for name, x in vectors.items()))


def _refusal(kind, text, *parts):
    """An exception with a text fit for a terminal."""
    return kind(_jounce._clean(text % parts))


def _place(model, key, names, what):
    """(joint, component) of the name of a joint, a body or a component like 'base:wx'; component None: all."""
    if isinstance(key, str) and key in names and ":" in key:
        at = names.index(key)
        first, count = ("iq", "nq") if what == "q" else ("iv", "nv")
        for joint in model.joints:
            if joint[first] <= at < joint[first] + joint[count]:
                return joint, at - joint[first]
    if isinstance(key, str) and ":" in key:
        near = difflib.get_close_matches(key, names, 1)
        raise _refusal(_jounce.ArgumentError, "%s: the model has no number '%s'%s",
                       what, key, "; did you mean '%s'?" % near[0] if near else "")
    return model.joints[model.joint_index(key)], None


def _numbers(value, what, name):
    try:
        return _real(value)
    except (TypeError, ValueError):
        raise _refusal(TypeError, "%s of '%s': numbers expected, found %s", what, name, type(value).__name__) from None


def _set_q(model, q, key, value):
    joint, component = _place(model, key, model.coordinates, "q")
    x, name, count = _numbers(value, "q", key), joint["name"], joint["nq"]
    if component is not None:
        x, shape = x.reshape(-1), (1,)
        if x.shape == shape:
            q[joint["iq"] + component] = x[0]
            return q
    elif x.shape == (4, 4) and joint["type"] == "free":
        return model.with_pose(q, name, x[:3, :3], x[:3, 3])
    elif x.shape == (3, 3) and joint["type"] == "spherical":
        return model.with_pose(q, name, x)
    elif x.reshape(-1).shape == (count,) and x.ndim <= 1:
        q[joint["iq"]:joint["iq"] + count] = x
        return q
    wanted = {"free": "7 numbers or a pose (4, 4)", "spherical": "4 numbers or a rotation (3, 3)"}.get(
        joint["type"], "%d number%s" % (count, "" if count == 1 else "s"))
    raise _refusal(_jounce.ArgumentError, "q of '%s': %s expected, found shape %s",
                   key, "1 number" if component is not None else wanted, np.shape(value))


def _set_v(model, v, key, value):
    joint, component = _place(model, key, model.dof_names, "v")
    x, count = _numbers(value, "v", key), 1 if component is not None else joint["nv"]
    first = joint["iv"] + (component or 0)
    rows = x.reshape(-1, 1) if count == 1 and x.ndim <= 1 else x[None] if x.ndim == 1 else x
    if rows.ndim != 2 or rows.shape[1] != count or len(rows) > len(v):
        raise _refusal(_jounce.ArgumentError, "v of '%s': at most %d rows of %d number%s expected, found shape %s",
                       key, len(v), count, "" if count == 1 else "s", np.shape(value))
    v[:len(rows), first:first + count] = rows


def _wholes_first(model, given, names, what):
    """The items of a dict, whole joints before single numbers, which replace theirs; each once."""
    found = {}
    for key, value in (given or {}).items():
        joint, component = _place(model, key, names, what)
        place = joint["name"], -1 if component is None else component
        if place in found:
            raise _refusal(_jounce.ArgumentError, "%s: '%s' and '%s' are the same: give one", what, found[place][0], key)
        found[place] = key, value
    return [found[place] for place in sorted(found, key=lambda place: place[1] >= 0)]


def _state(self, q=None, v=None, *, order=0):
    """q (nq,) and v (order+2, nv) from dicts by name; what is not named is at home and at rest.

    q: {joint: numbers}; a free joint may have a pose (4, 4), a spherical one a rotation (3, 3). v: {joint: v}, or
    [v, v', ...] of a joint with one degree of freedom, or rows v, v', ... of others. Joints are named by themselves,
    by their bodies or by index; single numbers as in coordinates ('base:x') and dof_names ('base:wx').
    """
    if isinstance(order, bool) or not isinstance(order, (int, np.integer)) or not 0 <= order <= _jounce.MAX_ORDER:
        raise _jounce.ArgumentError("order: an integer from 0 to %d expected, found %r" % (_jounce.MAX_ORDER, order))
    for what, given in (("q", q), ("v", v)):
        if given is not None and not isinstance(given, dict):
            raise TypeError("%s: a dict of joints expected, found %s" % (what, type(given).__name__))
    plain = self if self.layout == "jounce" else self.with_settings(layout="jounce",
                                                                    representation=self.representation)
    numbers, rows = plain.home(), np.zeros((int(order) + 2, self.nv))
    for key, value in _wholes_first(plain, q, plain.coordinates, "q"):
        numbers = _set_q(plain, numbers, key, value)
    for key, value in _wholes_first(plain, v, plain.dof_names, "v"):
        _set_v(plain, rows, key, value)
    layout = _jounce.Layout(self, self.layout)
    return layout.export_q(numbers), layout.export_rows(rows)


def _by_joint(self, q=None, v=None, tau=None):
    """{joint: {'q': (nq,), 'v': (rows, nv), 'tau': (rows, nv)}} of the joints that move: state the other way round.

    q (nq,), v and tau (nv,) or rows (r, nv). Mimic joints that were eliminated are there too: q and v follow from the
    joint that leads, tau is zero.
    """
    layout, found = _jounce.Layout(self, self.layout), {}
    arrays = {"q": q, "v": v, "tau": tau}
    arrays = {name: _real(x) for name, x in arrays.items() if x is not None}
    for name, x in arrays.items():
        if x.shape[-1:] != (self.nq if name == "q" else self.nv,) or x.ndim > (1 if name == "q" else 2):
            raise _jounce.ArgumentError("%s: shape %s expected, found %s" % (
                name, "(nq,)" if name == "q" else "(nv,) or (rows, nv)", x.shape))
        arrays[name] = layout.import_q(x) if name == "q" else layout.import_rows(np.atleast_2d(x))
    for joint in self.joints:
        leader = self.joints[joint["leader"]] if joint["leader"] >= 0 else None
        if leader is None and not joint["nv"]:
            continue
        of = leader or joint
        found[joint["name"]] = values = {}
        for name, x in arrays.items():
            first, count = ("iq", "nq") if name == "q" else ("iv", "nv")
            part = x[..., of[first]:of[first] + of[count]]
            if leader is not None:  # one that leads itself is held
                part = part if of[count] else np.zeros(x.shape[:-1] + (1,))
                part = part * (0 if name == "tau" else joint["ratio"]) + (joint["offset"] if name == "q" else 0)
            values[name] = part.copy()
    return found


def _property(function, documentation):
    return property(function, doc=documentation)


_state.__name__, _state.__qualname__ = "state", "Model.state"
_jounce.Limits = Limits
_jounce.Model.state = _state
_by_joint.__name__, _by_joint.__qualname__ = "by_joint", "Model.by_joint"
_jounce.Model.by_joint = _by_joint
_jounce.Model.limits = _property(_limits, "The limits of the model file as vectors, a jounce.Limits.")
_jounce.Model.joint_names = _property(lambda model: tuple(j["name"] for j in model.joints), "Names of the joints.")
_jounce.Model.body_names = _property(lambda model: tuple(b["name"] for b in model.bodies), "Names of the bodies.")
_jounce.Model.frame_names = _property(lambda model: tuple(f["name"] for f in model.frames),
                                      "Names of the links and frames.")
_jounce.Model.dof_names = _property(lambda model: model.dofs, "Names of the degrees of freedom, in the order of v.")
