"""Inverse and forward dynamics as differentiable functions of PyTorch, of any order, for batches.

    >>> import torch, jounce, jounce.torch
    >>> robot = jounce.Model("arm7")
    >>> q = torch.zeros(7, dtype=torch.float64, requires_grad=True)
    >>> tau = jounce.torch.inverse_dynamics(robot, q, torch.zeros(5, 2, 7, dtype=torch.float64))
    >>> tau.square().sum().backward()

Gradients (backward mode) and directional derivatives (forward mode) are the library's exact partial derivatives,
inverse_vjp, inverse_jvp, forward_vjp and forward_jvp; no graph of the recursion is built. They can be differentiated
once. Arrays and leading axes are those of Model.inverse_dynamics and Model.forward_dynamics. The computation is in double
precision on the CPU; results have the type and the device of q.

Quaternions in q are divided by their length, so that q may be any tensor near a configuration; the gradient is the one of
that function, and orthogonal to the quaternion.
"""
from typing import Any

import numpy as np
import torch

from . import _jounce

__all__ = ["inverse_dynamics", "forward_dynamics"]


def _array(x):
    return x.detach().to("cpu", torch.float64).contiguous().numpy()


def _tensor(x, like):
    return torch.from_numpy(np.ascontiguousarray(x)).to(like.device, like.dtype)


def _reduced(gradient, tensor):
    """The gradient of a tensor that was broadcast: summed over the axes it was repeated along."""
    shape = tuple(tensor.shape)
    more = gradient.ndim - len(shape)
    gradient = gradient.sum(axis=tuple(range(more)))
    stretched = tuple(i for i, n in enumerate(shape) if n == 1 and gradient.shape[i] != 1)
    return _tensor(gradient.sum(axis=stretched, keepdims=True) if stretched else gradient, tensor)


def _joints_with_rotation(model):
    return [j for j in model.joints if j["nq"] != j["nv"]]


def _unit(model, q):
    """q with quaternions of length 1."""
    rotations = _joints_with_rotation(model)
    q = q.copy() if rotations else q
    for j in rotations:
        quaternion = q[..., j["iq"]:j["iq"] + 4]
        quaternion /= np.linalg.norm(quaternion, axis=-1, keepdims=True)
    return q


def _vector_part(p, s):
    """The vector part of conj(p) s, quaternions (..., 4)."""
    return (p[..., :1] * s[..., 1:] - s[..., :1] * p[..., 1:] - np.cross(p[..., 1:], s[..., 1:]))


def _rotation(p):
    """R (..., 3, 3) of unit quaternions."""
    w, v = p[..., 0, None, None], p[..., 1:]
    cross = np.zeros(p.shape[:-1] + (3, 3))
    cross[..., 0, 1], cross[..., 0, 2], cross[..., 1, 2] = -v[..., 2], v[..., 1], -v[..., 0]
    cross -= np.swapaxes(cross, -1, -2)
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross


def _to_tangent(model, q, dq):
    """The tangent vector (..., nv) of a change dq (..., nq) of the numbers of q, in body axes."""
    q, dq = np.broadcast_arrays(q, dq)
    out = np.empty(q.shape[:-1] + (model.nv,))
    for j in model.joints:
        iq, iv, nq, nv = j["iq"], j["iv"], j["nq"], j["nv"]
        if nq == nv:
            out[..., iv:iv + nv] = dq[..., iq:iq + nq]
            continue
        # xi = 2 vec(conj(p) dp)/|p|^2 for the angular part, R^T dx for the linear one
        p = q[..., iq:iq + 4]
        square = (p * p).sum(-1, keepdims=True)
        out[..., iv:iv + 3] = 2 * _vector_part(p, dq[..., iq:iq + 4]) / square
        if nv == 6:
            R = _rotation(p / np.sqrt(square))
            out[..., iv + 3:iv + 6] = np.einsum("...ji,...j", R, dq[..., iq + 4:iq + 7])
    return out


def _from_tangent(model, q, g):
    """The gradient (..., nq) by the numbers of q of a gradient g (..., nv) by tangent vectors: the transpose of
    _to_tangent."""
    out = np.empty(g.shape[:-1] + (model.nq,))
    for j in model.joints:
        iq, iv, nq, nv = j["iq"], j["iv"], j["nq"], j["nv"]
        if nq == nv:
            out[..., iq:iq + nq] = g[..., iv:iv + nv]
            continue
        p = np.broadcast_to(q[..., iq:iq + 4], g.shape[:-1] + (4,))
        square, a = (p * p).sum(-1, keepdims=True), g[..., iv:iv + 3]
        out[..., iq:iq + 1] = -2 * (p[..., 1:] * a).sum(-1, keepdims=True) / square
        out[..., iq + 1:iq + 4] = 2 * (p[..., :1] * a + np.cross(p[..., 1:], a)) / square
        if nv == 6:
            R = _rotation(p / np.sqrt(square))
            out[..., iq + 4:iq + 7] = np.einsum("...ij,...j", R, g[..., iv + 3:iv + 6])
    return out


def _zero_or(tangent, like):
    return np.zeros(tuple(like.shape)) if tangent is None else _array(tangent)


def _once(backward):
    """Refuses create_graph=True: the derivatives of the gradients are not known to PyTorch."""
    def wrapped(ctx, weight):
        if torch.is_grad_enabled():
            raise RuntimeError("jounce.torch can be differentiated once: create_graph=True is not possible; second "
                               "derivatives are Model.inverse_second and Model.forward_second")
        return backward(ctx, weight)
    return wrapped


class _Inverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, v, model, external):
        ctx.save_for_backward(q, v)
        ctx.save_for_forward(q, v)
        ctx.model, ctx.external = model, external
        return _tensor(model.inverse_dynamics(_unit(model, _array(q)), _array(v), external=external), q)

    @staticmethod
    @_once
    def backward(ctx, weight):
        (q, v), model = ctx.saved_tensors, ctx.model
        x = _array(q)
        g = model.inverse_vjp(_unit(model, x), _array(v), _array(weight), external=ctx.external)
        return _reduced(_from_tangent(model, x, g.dq), q), _reduced(g.dv, v), None, None

    @staticmethod
    def jvp(ctx, dq, dv, *_):
        (q, v), model = ctx.saved_tensors, ctx.model
        x = _array(q)
        return _tensor(model.inverse_jvp(_unit(model, x), _array(v), _to_tangent(model, x, _zero_or(dq, q)),
                                         _zero_or(dv, v), external=ctx.external), q)


class _Forward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, v, tau, model, external):
        ctx.save_for_backward(q, v, tau)
        ctx.save_for_forward(q, v, tau)
        ctx.model, ctx.external = model, external
        return _tensor(model.forward_dynamics(_unit(model, _array(q)), _array(v), _array(tau), external=external), q)

    @staticmethod
    @_once
    def backward(ctx, weight):
        (q, v, tau), model = ctx.saved_tensors, ctx.model
        x = _array(q)
        g = model.forward_vjp(_unit(model, x), _array(v), _array(tau), _array(weight), external=ctx.external)
        return (_reduced(_from_tangent(model, x, g.dq), q), _reduced(g.dv, v), _reduced(g.dtau, tau), None, None)

    @staticmethod
    def jvp(ctx, dq, dv, dtau, *_):
        (q, v, tau), model = ctx.saved_tensors, ctx.model
        x = _array(q)
        return _tensor(model.forward_jvp(_unit(model, x), _array(v), _array(tau),
                                         _to_tangent(model, x, _zero_or(dq, q)), _zero_or(dv, v),
                                         _zero_or(dtau, tau), external=ctx.external), q)


def _check(function, model, **tensors):
    if not isinstance(model, _jounce.Model):
        raise TypeError("%s: model: a jounce.Model expected, found %s" % (function, type(model).__name__))
    if model.layout != "jounce":
        raise _jounce.ArgumentError("%s: not in the layout '%s': use with_settings(layout='jounce')"
                                    % (function, model.layout))
    for name, x in tensors.items():
        if not isinstance(x, torch.Tensor) or not x.is_floating_point():
            raise TypeError("%s: %s: a tensor of floating-point numbers expected, found %s"
                            % (function, name, x.dtype if isinstance(x, torch.Tensor) else type(x).__name__))


def inverse_dynamics(model: _jounce.Model, q: torch.Tensor, v: torch.Tensor, *,
                     external: Any = None) -> torch.Tensor:
    """Forces tau (..., r+1, nv) from q (..., nq) and v (..., r+2, nv), differentiable by q and v.

    external: as in Model.inverse_dynamics, constants."""
    _check("inverse_dynamics", model, q=q, v=v)
    return _Inverse.apply(q, v, model, external)


def forward_dynamics(model: _jounce.Model, q: torch.Tensor, v: torch.Tensor, tau: torch.Tensor, *,
                     external: Any = None) -> torch.Tensor:
    """Motion (..., r+1, nv) from q (..., nq), v (..., nv) and tau (..., r+1, nv), or (..., nv) from tau (..., nv),
    differentiable by q, v and tau.

    external: as in Model.forward_dynamics, constants."""
    _check("forward_dynamics", model, q=q, v=v, tau=tau)
    return _Forward.apply(q, v, tau, model, external)
