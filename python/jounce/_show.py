"""repr of the objects of the compiled module, and HTML for notebooks."""
import html

from . import _jounce

_MOST_ROWS = 60


def _number(x):
    return "%.6g" % x


def _rows(model):
    """(tree, name of the body, joint, type, degrees of freedom, mass, limits) for each body."""
    bodies, joints = model.bodies, model.joints
    place = {int(ours): i for i, ours in enumerate(_jounce.Layout(model, model.layout).v_index)}
    last = {}                              # the last child of each body
    for i, body in enumerate(bodies):
        last[body["parent"]] = i
    trees = {-1: ""}                       # what stands in front of the children of a body
    for i, (body, joint) in enumerate(zip(bodies, joints)):
        before, ends = trees[body["parent"]], last[body["parent"]] == i
        top = body["parent"] < 0
        trees[i] = "" if top else before + ("   " if ends else "\u2502  ")
        at = sorted(place[joint["iv"] + k] for k in range(joint["nv"]))
        dofs = "" if not at else str(at[0]) if len(at) == 1 else "%d:%d" % (at[0], at[-1] + 1)
        limits = []
        if (joint["lower"], joint["upper"]) != (float("-inf"), float("inf")):
            limits.append("%s ... %s" % (_number(joint["lower"]), _number(joint["upper"])))
        limits += ["%s %s" % (name, _number(joint[name])) for name in ("velocity", "effort")
                   if joint[name] != float("inf")]
        yield ("" if top else before + ("\u2514\u2500 " if ends else "\u251c\u2500 "), _jounce._clean(body["name"]),
               _jounce._clean(joint["name"]), joint["type"], dofs, _number(body["mass"]), ", ".join(limits))


_COLUMNS = ("body", "joint", "type", "v", "mass", "limits")


def _table(model):
    rows = [(tree + body, *rest) for tree, body, *rest in _rows(model)]
    more = len(rows) - _MOST_ROWS
    return (rows[:_MOST_ROWS], more) if more > 1 else (rows, 0)


def _title(model):
    return "jounce.Model %r: %d bodies, nq = %d, nv = %d, %s" % (
        model.name, model.nbody, model.nq, model.nv,
        model.representation if model.layout == "jounce" else model.layout)


def _notes(model, more):
    """What the tree does not show."""
    if more:
        yield "... and %d more bodies" % more
    frames = [f["name"] for f in model.frames if not f["is_link"]]
    for what, names in (("frames", frames), ("constraints", list(model.constraints)),
                        ("rotors", [r["name"] for r in model.rotors])):
        if names:
            yield _jounce._clean("%s: %s%s" % (what, ", ".join(names[:12]), ", ..." if len(names) > 12 else ""))


def _model_text(model):
    rows, more = _table(model)
    rows = [_COLUMNS] + rows
    widths = [max(len(row[i]) for row in rows) for i in range(len(_COLUMNS))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    return "\n".join(["<%s>" % _title(model)] + ["  " + line for line in lines]
                     + ["  " + note for note in _notes(model, more)])


def _model_html(model):
    rows, more = _table(model)

    def cells(tag, row):
        style = ' style="text-align:left;white-space:pre;font-family:monospace;padding:0 0.8em 0 0"'
        return "<tr>%s</tr>" % "".join("<%s%s>%s</%s>" % (tag, style, html.escape(cell), tag) for cell in row)

    return '<div><b>%s</b><table style="border-collapse:collapse">%s%s</table>%s</div>' % (
        html.escape(_title(model)), cells("th", _COLUMNS), "".join(cells("td", row) for row in rows),
        "<br>".join(html.escape(note) for note in _notes(model, more)))


def _spec_text(spec):
    return "<jounce.Spec %r: %d links, %d joints>" % (spec.name, len(spec.links), len(spec.joints))


def _kinematics_text(kinematics):
    what = "positions" if kinematics.order < 0 else "order %d" % kinematics.order
    return "<jounce.Kinematics of %r: %s>" % (kinematics.model.name, what)


def _trajectory_text(motion):
    fit = "" if motion.residual is None else ", fitted, rms residual %.2g" % max(motion.residual[0], default=0)
    return "<jounce.Trajectory of %r: %s s to %s s%s>" % (
        motion._parts()[0].name, _number(motion.start), _number(motion.end), fit)


def _simulation_text(simulation):
    try:
        scheme, state = simulation._options().get("scheme") or "taylor", "t = %s s" % _number(simulation.t)
    except _jounce.StateError:
        scheme, state = "in a step", ""
    return "<jounce.Simulation of %r: %s>" % (simulation.model.name, ", ".join(filter(None, (scheme, state))))


def _layout_text(layout):
    return "<jounce.Layout %r of %r>" % (layout.name, layout.model.name)


def _cmtm_text(cmtm):
    return "<jounce.CMTM of order %d>" % cmtm.order


_jounce.Model.__repr__ = _model_text
_jounce.Model._repr_html_ = _model_html
_jounce.Spec.__repr__ = _spec_text
_jounce.Kinematics.__repr__ = _kinematics_text
_jounce.Trajectory.__repr__ = _trajectory_text
_jounce.Simulation.__repr__ = _simulation_text
_jounce.Layout.__repr__ = _layout_text
_jounce.CMTM.__repr__ = _cmtm_text
