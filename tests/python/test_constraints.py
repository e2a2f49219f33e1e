"""Models with constraints: the reference mechanisms, the program's bits, masks, errors."""
import json
import os
import unittest

import numpy as np

import jounce
from support import SOURCE, main, program, residual

LOOPS = os.path.join(SOURCE, "tests", "data", "loops")


def load(name):
    model = jounce.Model(os.path.join(LOOPS, name, "model.json"))
    with open(os.path.join(LOOPS, name, "state.json")) as file:
        state = json.load(file)
    with open(os.path.join(LOOPS, name, "expect.json")) as file:
        want = json.load(file)
    motion = np.array(list(state["joints"].values()))
    return model, motion[:, 0], motion[:, 1:].T, np.array(list(want["tau"].values())).T, want


class Constraints(unittest.TestCase):
    def test_reference_mechanisms(self):
        for name in ("fourbar", "geared", "rssr", "welded"):
            model, q, v, tau, want = load(name)
            got = model.constrained_inverse_dynamics(q, v)
            residual("tau of loops", np.abs(got.tau - tau).max() / np.abs(tau).max(), 1e-12)
            for key, forces in want.get("constraint_forces", {}).items():
                residual("constraint forces of loops",
                         np.abs(got.forces[:, model.constraints[key]] - forces).max() / np.abs(forces).max(), 1e-12)
            a = model.constrained_forward_dynamics(q, v[0], tau).a
            residual("motion of loops", np.abs(a - v[1:]).max() / np.abs(v).max(), 1e-9)
            rank = model.constraint_rank(q)
            self.assertEqual(rank.dependent.sum(), want["rank"])
            self.assertEqual(model.nv - rank.dependent.sum(), want["mobility"])

    def pendulum(self):
        """a bob on a point that slides in the plane and is held by the world"""
        spec = jounce.Spec("pendulum")
        for name in ("ground", "a", "b"):
            spec.add_link(name)
        spec.add_link("bob", mass=1.3, com=[0, 0, -0.8], inertia=0.21 * np.eye(3))
        spec.add_joint("x", "prismatic", "ground", "a", axis=[1, 0, 0])
        spec.add_joint("z", "prismatic", "a", "b", axis=[0, 0, 1])
        spec.add_joint("turn", "revolute", "b", "bob", axis=[0, 1, 0])
        spec.add_constraint("pivot", "point", "bob", None)
        return spec.build()

    def test_a_world_that_moves(self):
        # a pivot with the acceleration a along x: the pendulum hangs at atan(a/g), held by m (a, 0, g)
        model, a, g = self.pendulum(), 3.0, 9.81
        u = np.arctan2(a, g)
        pose, twist = np.eye(4), np.zeros((2, 6))
        twist[1, 3] = a
        world = {"pivot": (pose, twist)}
        q, v = [0, 0, u], [0, 0, 0]
        got = model.constrained_forward_dynamics(q, v, np.zeros(3), world=world)
        residual("motion with a moving world", np.abs(got.a - [a, 0, 0]).max(), 1e-14)
        residual("force of a moving world", np.abs(got.forces - [1.3 * a, 0, 1.3 * g]).max(), 1e-14)
        many = model.constrained_forward_dynamics([q] * 3, [v] * 3, np.zeros((3, 3)), world=world)
        self.assertTrue((many.forces == got.forces).all())
        back = model.constrained_inverse_dynamics(q, [v, got.a], world=world)
        residual("inverse dynamics with a moving world", np.abs(back.tau).max(), 1e-13)
        with self.assertRaises(jounce.ArgumentError):
            model.constrained_forward_dynamics(q, v, np.zeros(3), world={"pivot": (pose, twist[:1])})
        with self.assertRaises(jounce.Error):
            model.constrained_forward_dynamics(q, v, np.zeros(3), world={"foo": pose})
        with self.assertRaises(TypeError):
            model.constrained_forward_dynamics(q, v, np.zeros(3), world=pose)
        moved = pose.copy()
        moved[0, 3] = 0.1
        q2, _ = model.assemble([0, 0, u], np.zeros((2, 3)), world={"pivot": moved})
        residual("assembled at a moved world", abs(q2[0] - 0.1), 1e-15)

        def motion(t, order):
            C, V = np.eye(4), np.zeros((order + 2, 6))
            C[0, 3], V[0, 3], V[1, 3] = a * t * t / 2, a * t, a
            return C, V
        body = jounce.Spec("body")
        body.add_link("body", mass=1, inertia=np.eye(3))
        free = body.build(root="floating")
        c = np.zeros((3, 6))
        c[2, 3] = a / 2
        path = jounce.Trajectory.polynomial(free, c, 0, 5)
        for scheme in ("taylor", "rkmk54", "radau"):
            for world in (motion, path):
                s = jounce.Simulation(model, scheme, world={"pivot": world})
                s.set_state(0, q, v)
                s.run_to(1)
                residual("simulation with a moving world: position", abs(s.q[0] - a / 2), 1e-14)
                residual("simulation with a moving world: angle", abs(s.q[2] - u), 1e-10)
                residual("simulation with a moving world: force",
                         np.abs(s.constraint_forces - [1.3 * a, 0, 1.3 * g]).max(), 1e-9)

        def broken(t, order):
            raise KeyError("here")
        s = jounce.Simulation(model, world={"pivot": broken})
        with self.assertRaises(KeyError):
            s.set_state(0, q, v)
        with self.assertRaises(jounce.ClosureError):
            s.run_to(1)
        with self.assertRaises(TypeError):
            jounce.Simulation(model, world={"pivot": 3})
        with self.assertRaises(jounce.ArgumentError):
            jounce.Simulation(model, "variational", step=1e-3, proximal=1e-9)
        with self.assertRaises(jounce.ArgumentError):
            jounce.Simulation(model, world={"pivot": jounce.Trajectory.polynomial(model, np.zeros((2, 3)))})

    def test_velocities_of_least_norm(self):
        # slides x, y, a bar that turns by u, a hand at its end: u' = -c sin(u) if the hand moves along x
        spec = jounce.Spec("spare")
        spec.add_link("ground")
        for name in ("a", "b", "bar", "hand"):
            spec.add_link(name, mass=1, inertia=0.1 * np.eye(3))
        spec.add_joint("x", "prismatic", "ground", "a", axis=[1, 0, 0])
        spec.add_joint("y", "prismatic", "a", "b", axis=[0, 1, 0])
        spec.add_joint("u", "revolute", "b", "bar", axis=[0, 0, 1])
        spec.add_joint("w", "revolute", "bar", "hand", axis=[0, 0, 1], R=np.eye(3), p=[0.8, 0, 0])
        model, u, V = spec.build(), 1.1, 0.9
        pose, twist = np.eye(4), np.zeros((3, 6))
        pose[:2, 3], twist[0, 3] = (0.3, 0.2), V
        guess = [0.3 - 0.8 * np.cos(u), 0.2 - 0.8 * np.sin(u), u, -u]
        q, v, left = model.inverse_kinematics("hand", pose, twist, q=guess, least_norm=True)
        c = 0.8 * V / (0.8 ** 2 + 2)
        d1 = -c * np.sin(q[2])
        d2 = -c * np.cos(q[2]) * d1
        d3 = -c * (np.cos(q[2]) * d2 - np.sin(q[2]) * d1 ** 2)
        residual("least norm in closed form", np.abs(v[:, 2] - [d1, d2, d3]).max(), 1e-14)
        self.assertEqual(len(left), 1)
        nearest = model.inverse_kinematics("hand", pose, twist, q=guess)[1]
        self.assertGreater(np.abs(nearest[1] - v[1]).max(), 1e-3)  # derivatives of no function

    def test_limits_of_a_closed_motion(self):
        model = jounce.Model("fourbar")
        path = jounce.Trajectory.minimum(model, [0, 1], [[0, 0, 0], [3, 0, 0]], derivative=4)
        for call in (lambda: path.limits(effort=4), lambda: path.retime(effort=4, velocity=1, jerk=9),
                     lambda: path.elastic(0.5, 100, 1)):
            with self.assertRaisesRegex(jounce.Error, "the model has constraints"):
                call()
        found = path.limits(effort=4, driven=["crank"])
        worst = {(p["joint"], p["quantity"]): abs(p["worst"]) for p in found["limits"]}
        most, q = 0, np.zeros(3)
        for t in np.linspace(0, 1, 400):
            at = path.at(t, 0)
            q, v = model.assemble([at[0][0], q[1], q[2]], at[1], driven=["crank"])
            most = max(most, abs(model.constrained_inverse_dynamics(q, v).tau[0, 0]))
        residual("limits of a closed motion", worst["crank", "effort"] / most - 1, 1e-4)
        self.assertGreaterEqual(worst["crank", "effort"], most)
        self.assertEqual(worst["coupler", "effort"], 0)
        slow = path.scaled(found["time_scale"]).limits(effort=4, driven=["crank"])
        self.assertEqual(slow["broken"], 0)
        with self.assertRaises(jounce.Error) as caught:
            path.limits(effort=4, q=[0, 0, 0])
        self.assertIn("driven", str(caught.exception))
        with self.assertRaises(jounce.Error) as caught:
            path.limits(effort=4, driven=["crank", "rocker"])
        self.assertEqual(caught.exception.constraint, "pin")

    def test_assembled_states_are_those_of_the_program(self):
        model = jounce.Model("fourbar")
        v = np.zeros((3, 3))
        v[0, 0] = 2
        q, v = model.assemble([0.5, 0, 0], v, driven=["crank"])
        got = program("assemble", "fourbar", "--order", "1", "--state", "-", state={"joints": {"crank": [0.5, 2]}})
        np.testing.assert_array_equal(q, [x[0] for x in got["joints"].values()])
        np.testing.assert_array_equal(v.T, [x[1:] for x in got["joints"].values()])
        closure = model.constraint_closure(q, v)
        residual("closure", max(np.abs(closure.residual).max(), np.abs(closure.rate).max()), 1e-14)
        residual("J v = rate", np.abs(closure.J[0] @ v[0] - closure.rate[0]).max(), 1e-14)
        tau = model.constrained_inverse_dynamics(q, v)
        hybrid = model.constrained_hybrid_dynamics(q, v, np.zeros((2, 3)), ["crank"])
        residual("hybrid = inverse", np.abs(hybrid.tau - tau.tau).max(), 1e-13)
        after = model.impact(q, [1, 0, 0])
        residual("J v after an impact", np.abs(closure.J[0] @ after.v).max(), 1e-14)

    def test_inverse_kinematics(self):
        model = jounce.Model("arm6")
        pose = np.eye(4)
        pose[:3, 3] = 0.4, 0.2, 0.5
        twist = np.array([[0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [0, 0, 0, 0, 0, 1]])
        q, v, null = model.inverse_kinematics("tool", pose, twist)
        self.assertEqual(null.shape, (0, 6))
        residual("pose", np.abs(model.frame_pose(q, "tool") - pose).max(), 1e-14)
        got = model.kinematics(q, v).twist("tool", "hybrid")
        residual("twist", np.abs(got[:2] - twist).max(), 1e-13)
        q, v, null = model.inverse_kinematics("tool", pose, follow="position", q=q)
        self.assertEqual((v.shape, null.shape), ((0, 6), (3, 6)))
        residual("null space", np.abs(null @ null.T - np.eye(3)).max(), 1e-14)
        pose[0, 3] = 9
        with self.assertRaises(jounce.AssemblyError):
            model.inverse_kinematics("tool", pose)
        with self.assertRaises(jounce.ArgumentError):
            model.inverse_kinematics("tool", np.eye(3))
        with self.assertRaises(jounce.ArgumentError):
            model.inverse_kinematics("tool", np.eye(4), np.zeros(5))
        with self.assertRaises(jounce.ArgumentError):
            model.inverse_kinematics("base", np.eye(4))

    def test_simulation(self):
        model = jounce.Model("fourbar")
        q, v = model.assemble([0, 0, 0], [[6, 0, 0], [0, 0, 0]], driven=["crank"])
        sim = jounce.Simulation(model, tolerance=1e-13)
        with self.assertRaises(jounce.ClosureError) as caught:
            sim.set_state(0, [0.5, 0, 0], [0, 0, 0])
        self.assertEqual(caught.exception.constraint, "pin")
        sim.set_state(0, q, v[0])
        qs, vs = sim.run(np.linspace(0.1, 1, 10))
        closure = model.constraint_closure(qs, vs[:, None])
        residual("closure of a simulation", np.abs(closure.residual).max(), 1e-14)
        e = model.momentum_energy(np.vstack([q, qs]), np.vstack([v[:1], vs]))
        energy = e.kinetic + e.potential
        residual("energy of a simulation", np.ptp(energy) / energy.max(), 1e-11)
        got = model.constrained_forward_dynamics(sim.q, sim.v, np.zeros(3)).forces
        residual("constraint forces now", np.abs(sim.constraint_forces - got).max() / np.abs(got).max(), 1e-13)
        # the pin is taken out, and put back at once: nothing has to be stopped
        np.testing.assert_array_equal(sim.set_active([]), np.zeros(3))
        np.testing.assert_array_equal(sim.constraint_forces, np.zeros(3))
        residual("impulse without a jump", np.abs(sim.set_active(["pin"])).max(), 1e-12)
        sim.set_active([])
        sim.run_to(1.1)
        with self.assertRaises(jounce.ClosureError):
            sim.set_active(None)
        with self.assertRaises(jounce.ArgumentError):
            sim.set_active(["pn"])
        free = jounce.Simulation(model, active=[])
        free.set_state(0, [0.5, 0, 0], [0, 0, 0])
        free.run_to(0.1)

    def test_batches_and_masks(self):
        model = jounce.Model("stewart", representation="body")
        q, v = np.tile(model.home(), (4, 1)), np.zeros((4, 2, model.nv))
        got = model.constrained_inverse_dynamics(q, v)
        self.assertEqual(got.forces.shape, (4, 1, 18))
        alone = model.constrained_inverse_dynamics(q[2], v[2])
        np.testing.assert_array_equal(got.tau[2], alone.tau)
        np.testing.assert_array_equal(got.forces[2], alone.forces)
        moved = model.constrained_forward_dynamics(q, v[:, 0], got.tau)
        residual("batch, there and back", np.abs(moved.a).max(), 1e-11)
        bad = q.copy()
        bad[1, -1] += 0.1
        with self.assertRaises(jounce.ClosureError) as e:
            model.constrained_forward_dynamics(bad, v[:, 0], got.tau)
        self.assertEqual((e.exception.index, e.exception.constraint), (1, "foot6"))
        residual("weight", abs(got.forces[0, 0, 2::3].sum() - 9.81 * model.mass), 1e-12)
        one = model.constrained_forward_dynamics(q[0], v[0, 0], np.zeros(model.nv), active=["foot1", "foot2"])
        self.assertTrue((one.forces[6:] == 0).all() and (one.forces[:6] != 0).any())
        none = model.constrained_forward_dynamics(q[0], v[0, 0], np.zeros(model.nv), active=[]).a
        open_tree = model.forward_dynamics(q[0], v[0, 0], np.zeros(model.nv))
        residual("no constraint active", np.abs(none - open_tree).max() / np.abs(open_tree).max(), 1e-13)

    def test_partials_are_those_of_the_program_and_keep_the_constraints(self):
        model = jounce.Model("fourbar")
        v = np.zeros((3, 3))
        v[0, 0] = 2
        q, v = model.assemble([0.5, 0, 0], v, driven=["crank"])
        state = {"joints": {n: [x, *y] for n, x, y in zip(("crank", "coupler", "rocker"), q, v.T)}}
        got = model.constrained_inverse_partials(q, v)
        want = program("partials", "fourbar", "--order", "1", "--state", "-", state=state)
        for key, x in (("dtau_dq", got.dq), ("dtau_dv", got.dv), ("dlambda_dq", got.forces_dq),
                       ("dlambda_dv", got.forces_dv)):
            np.testing.assert_array_equal(np.array(want[key]), x)
        # the passive joints have no force; a variation of the motion that closes the loop keeps it so
        self.assertTrue((got.dq[:, 1:] == 0).all() and (got.dq[:, 0] != 0).all())
        tau = model.constrained_inverse_dynamics(q, v).tau
        forward = model.constrained_forward_partials(q, v[0], tau)
        J = model.constraint_closure(q, v[:1]).J[0]
        residual("J d v'/d tau", np.abs(J @ forward.dtau[0, 0]).max() / np.abs(forward.dtau[0, 0]).max(), 1e-14)
        # d tau / d v' after d v' / d tau is the projection on forces that do work: 1 for the crank
        residual("there and back", abs((got.dv[0, 1] @ forward.dtau[0, 0])[0, 0] - 1), 1e-13)
        self.assertEqual(forward.forces_dtau.shape, (2, 2, 3, 3))
        with self.assertRaises(jounce.ClosureError):
            model.constrained_forward_partials(q + 0.1, v[0], tau)

    def test_the_minimal_system_of_a_loop_is_that_of_the_program(self):
        model = jounce.Model("fourbar")
        v = np.zeros((2, 3))
        v[0, 0] = 2
        q, v = model.assemble([0.5, 0, 0], v, driven=["crank"])
        state = {"joints": {n: [x, y] for n, x, y in zip(("crank", "coupler", "rocker"), q, v[0])},
                 "tau": {"crank": [0.3], "coupler": [0], "rocker": [0]}}
        got = model.constrained_linearise(q, v[0], [0.3, 0, 0])
        want = program("linearise", "fourbar", "--state", "-", state=state)
        np.testing.assert_array_equal(got.independent, [1, 0, 0])
        i = np.flatnonzero(np.tile(got.independent, 2))
        E = got.projector[:, i]
        residual("minimal A", np.abs(got.A[i] @ E - want["A_minimal"]).max(), 1e-12)
        residual("minimal B", np.abs(got.B[i] - want["B_minimal"]).max(), 1e-12)
        np.testing.assert_array_equal(got.projector, want["projector"])
        self.assertEqual(want["minimal_states"], ["d crank", "d crank'"])
        residual("projector", np.abs(got.projector @ got.projector - got.projector).max(), 1e-13)
        # with rates: A_minimal' = S A' E + S A E'
        for name in ("crank", "coupler", "rocker"):
            state["tau"][name] += [0]
        rates = model.constrained_linearise_rates(q, v[0], [[0.3, 0, 0], [0, 0, 0]])
        want = program("linearise", "fourbar", "--state", "-", "--order", "1", state=state)
        E = rates.projector[:, :, i]
        residual("rate of minimal A",
                 np.abs(rates.A[1][i] @ E[0] + rates.A[0][i] @ E[1] - want["A_minimal"][1]).max(), 1e-11)
        np.testing.assert_array_equal(rates.A, want["A"])
        np.testing.assert_array_equal(rates.independent, got.independent)

    def test_mimic_joints(self):
        text = """<robot name="g"><link name="palm"/>
          <link name="l"><inertial><mass value="0.3"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
          <link name="r"><inertial><mass value="0.2"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
          <joint name="left" type="prismatic"><parent link="palm"/><child link="l"/><axis xyz="1 0 0"/>
            <limit effort="1" velocity="1"/></joint>
          <joint name="right" type="prismatic"><parent link="palm"/><child link="r"/><axis xyz="1 0 0"/>
            <limit effort="1" velocity="1"/><mimic joint="left" multiplier="-2"/></joint></robot>"""
        spec = jounce.Spec.parse_urdf(text)
        model = spec.build()
        self.assertEqual((model.nv, spec.build(mimic="independent").nv), (1, 2))
        self.assertEqual(len(spec.build(mimic="constraint").constraints), 1)
        right = model.joints[2]
        self.assertEqual((right["nv"], right["leader"], right["ratio"]), (0, 1, -2))
        residual("M", abs(model.mass_matrix([0.1])[0, 0] - (0.3 + 4 * 0.2)), 1e-15)
        residual("d M/d q", np.abs(model.mass_partials([0.1])).max(), 1e-15)
        residual("Christoffel symbols", np.abs(model.christoffel([0.1])).max(), 1e-15)
        # both slide along x while the palm is pushed: m - F^2/M_y, F = 0.3 - 2 0.2
        articulated = model.articulated_bodies([0.1], [0.2], [[0.3]], in_representation="body")[0]
        residual("articulated inertia", abs(articulated[0, 3, 3] - (0.5 - 0.1**2 / 1.1)), 1e-15)
        self.assertIn("right", model.generate(forward=0)["g.h"])
        with self.assertRaises(jounce.CoupledError):
            model.constrained_forward_dynamics([0.1], [0.0], [[0.0]])

    def test_errors_name_the_constraint(self):
        model = jounce.Model("fourbar")
        with self.assertRaises(jounce.ClosureError) as e:
            model.constrained_inverse_dynamics([0.1, 0, 0], np.zeros((2, 3)))
        self.assertEqual(e.exception.constraint, "pin")
        self.assertIn("'pin'", str(e.exception))
        with self.assertRaises(jounce.AssemblyError):
            model.assemble([0, 0, 2], np.zeros((2, 3)), driven=["crank", "rocker"])
        with self.assertRaises(jounce.ArgumentError):
            model.impact([0, 0, 0], [0, 0, 0], active=["pim"])
        with self.assertRaises(TypeError):
            model.impact([0, 0, 0], [0, 0, 0], active="pin")
        with self.assertRaises(jounce.NotFiniteError):
            model.constrained_forward_dynamics([0, 0, 0], [0, 0, 0], [np.nan, 0, 0])


class Options(unittest.TestCase):
    def two_arms(self):
        """Two links turned by two motors each against a coupling: one actuator too many."""
        spec = jounce.Spec("pair").add_link("base", 0)
        for name in ("a", "b"):
            spec.add_link(name, 1, com=[0.3, 0, 0], inertia=[0.1, 0.1, 0.1])
            spec.add_joint(name, "revolute", "base", name, axis=[0, 1, 0], R=np.eye(3), p=[0, 0, 0])
        return spec.add_constraint("gear", "coupling", terms={"a": 1.0, "b": -1.0}).build()

    def test_weights(self):
        """With q_a = q_b the sum of the torques is given; the least (w tau)^2 shares it as 1 / w^2."""
        robot = self.two_arms()
        q, v = np.array([0.3, 0.3]), np.array([[0.5, 0.5], [1.0, 1.0]])
        total = robot.inverse_dynamics(q, v).sum()
        for w in ([1.0, 1.0], [1.0, 2.0], [3.0, 0.5]):
            for layout in ("jounce", "mujoco"):
                tau = robot.with_settings(layout=layout).constrained_inverse_dynamics(q, v, weights=w).tau[0]
                share = np.array(w) ** -2.0
                residual("shared torque", abs(tau - total * share / share.sum()).max() / abs(total), 1e-13)
        many = robot.constrained_inverse_dynamics(np.stack([q, 2 * q]), v, weights=[1.0, 2.0]).tau
        self.assertEqual(many[0].tobytes(), robot.constrained_inverse_dynamics(q, v, weights=[1.0, 2.0]).tau.tobytes())
        p = robot.constrained_inverse_partials(q, v, weights=[1.0, 2.0])
        h = 1e-5
        ends = [robot.constrained_inverse_dynamics(q + s, v, weights=[1.0, 2.0]).tau[0] for s in (h, -h)]
        residual("partials with weights", abs(p.dq[0].sum(1) - (ends[0] - ends[1]) / (2 * h)).max(), 1e-8)
        for bad in ([1.0], [1.0, 0.0], [1.0, np.nan]):
            with self.assertRaises(ValueError):
                robot.constrained_inverse_dynamics(q, v, weights=bad)

    def test_tolerance(self):
        robot = self.two_arms()
        q, v = [0.3, 0.3 + 1e-6], np.zeros((2, 2))
        calls = (lambda **o: robot.constrained_inverse_dynamics(q, v, **o),
                 lambda **o: robot.constrained_forward_dynamics(q, v[0], v[0], **o),
                 lambda **o: robot.constrained_hybrid_dynamics(q, v, v[:1], ["a"], **o),
                 lambda **o: robot.constrained_forward_partials(q, v[0], v[0], **o),
                 lambda **o: robot.constrained_inverse_partials(q, v, **o),
                 lambda **o: robot.constrained_linearise(q, v[0], v[0], **o), lambda **o: robot.impact(q, v[0], **o))
        for call in calls:
            with self.assertRaises(jounce.ClosureError):
                call()
            for tolerance in (1e-4, np.inf):
                self.assertTrue(np.isfinite(call(tolerance=tolerance)[0]).all())
            with self.assertRaises(ValueError):
                call(tolerance=-1)

    def test_proximal(self):
        """The constraint yields: (J v)' = -mu lambda, mu = proximal J M^-1 J^T; the rigid one does not."""
        robot = self.two_arms()
        q, tau, J = [0.3, 0.3], np.array([2.0, 0.0]), np.array([1.0, -1.0])
        rigid, soft = (robot.constrained_forward_dynamics(q, [0, 0], tau, proximal=x) for x in (None, 0.1))
        residual("rigid", abs(J @ rigid.a), 1e-13)
        mu = 0.1 * J @ robot.inverse_mass(q) @ J
        residual("yields", abs(J @ soft.a + mu * soft.forces[0]) / abs(mu * soft.forces[0]), 1e-12)
        self.assertGreater(abs(J @ soft.a), 0.01)

if __name__ == "__main__":
    main()
