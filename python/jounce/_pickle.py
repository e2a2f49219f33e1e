"""pickle and copy of the objects of the compiled module.

A Model is kept as the native JSON of its description, which is read back bit for bit, with the options it was
built with and its settings: no file is needed to restore it.
"""
import copyreg

from . import _jounce

_SETTINGS = ("representation", "formulation", "damping", "strict", "gravity", "threads", "layout")


def _settings(model):
    return {name: getattr(model, name) for name in _SETTINGS}


def _restore_model(text, options, settings, sizes=None):
    model = _jounce.Spec.parse_json(text).build(**options, **settings)
    if sizes is not None and sizes != (model.nq, model.nv, model.nbody):
        raise _jounce.ModelError("the model %r was pickled with nq, nv, nbody = %s and is restored with %s"
                                 % (model.name, sizes, (model.nq, model.nv, model.nbody)))
    return model


def _restore_spec(text, notes):
    spec = _jounce.Spec.parse_json(text)
    spec._annotate(*notes)
    return spec


def _restore_kinematics(model, q, v, with_forces=False):
    return model.kinematics(q, v, with_forces=with_forces)


def _restore_trajectory(model, text, *parts):
    motion = _jounce.Trajectory.parse(model, text)
    motion._annotate(*parts)
    return motion


def _restore_simulation(model, options, state, motor):
    simulation = _jounce.Simulation(model, **options)
    simulation.set_state(*state)
    if motor is not None:
        simulation.set_motor(*motor)
    return simulation


def _restore_layout(model, name):
    return _jounce.Layout(model, name)


def _restore_cmtm(order, numbers):
    return _jounce.CMTM._of_numbers(order, numbers)


def _reduce_model(model):
    return _restore_model, (*model._source(), _settings(model), (model.nq, model.nv, model.nbody))


def _reduce_spec(spec):
    return _restore_spec, (spec.to_json(), spec._notes())


def _reduce_kinematics(kinematics):
    return _restore_kinematics, (kinematics.model, kinematics.q, kinematics.v, kinematics.tau is not None)


def _has_bands(motion):
    """Whether the motion is a fit: a description of it has no bands."""
    try:
        return bool(motion.band((motion.start + motion.end) / 2, -1)[0].any())
    except _jounce.StateError:
        return True


def _reduce_trajectory(motion):
    model, residual, report, lost = motion._parts()
    return _restore_trajectory, (model, motion.to_json(), residual, report, bool(lost) or _has_bands(motion))


def _reduce_simulation(simulation):
    options = simulation._options()
    motor = simulation.motor if options.get("motor_stiffness") is not None else None
    return _restore_simulation, (simulation.model, options, simulation.state, motor)


def _reduce_layout(layout):
    return _restore_layout, (layout.model, layout.name)


def _reduce_cmtm(cmtm):
    return _restore_cmtm, (cmtm.order, cmtm._numbers())


for _type, _reduce in ((_jounce.Model, _reduce_model), (_jounce.Spec, _reduce_spec),
                       (_jounce.Kinematics, _reduce_kinematics), (_jounce.Trajectory, _reduce_trajectory),
                       (_jounce.Simulation, _reduce_simulation), (_jounce.Layout, _reduce_layout),
                       (_jounce.CMTM, _reduce_cmtm)):
    copyreg.pickle(_type, _reduce)

# What cannot change is its own copy; copies of a Model share the robot, each with scratch memory of its own.
_jounce.Model.__copy__ = lambda self: self.with_settings()
_jounce.Model.__deepcopy__ = lambda self, memo: self.with_settings()
for _type in (_jounce.Kinematics, _jounce.Trajectory, _jounce.Layout, _jounce.CMTM):
    _type.__copy__ = lambda self: self
    _type.__deepcopy__ = lambda self, memo: self
