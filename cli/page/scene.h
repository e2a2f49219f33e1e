/* scene.h: the robot as JSON for the 3D scene of a page (web/replay): tree, joints, inertias, shapes
 * and, if there is one, a motion. Models of every kind of file are written alike.
 *
 * {"name", "size", "gravity": [3], "home": [nq], "dofs": [names], "coordinates": [names],
 *  "bodies": [{"name", "parent", "offset": pose of the body in its parent at zero,
 *              "joint": {"name", "type", "iq", "nq", "iv", "nv", "screws": [nv][6] in the body's
 *                        frame at zero, "lengths": [nv], "lower", "upper", ...},
 *              "mass", "com": [3], "inertia": [xx, xy, xz, yy, yz, zz] about the centre of mass}],
 *  "frames": [{"name", "body", "pose", "link"}], "constraints": [{"name", "type", "body", "pose"}],
 *  "rotors": [{"name", "pose", "upper"}],
 *  "shapes": [{"body", "pose", "kind", "size" or "mesh", "colour"}],
 *  "meshes": [{"positions": base64 of float, 9 a triangle}], "missing": some shapes are not here,
 *  "replay": {"rows", "t", "q", "com", "uses": [{"name", "relative", "data"}], "forces", "thrusts"},
 *  "tool", "target"}
 * A pose is [w, x, y, z, px, py, pz]. t and q are base64 of little-endian doubles, the others of floats.
 * body -1 is the world. */
#ifndef CLI_SCENE_H
#define CLI_SCENE_H

#include "output/output.h"
#include "page/replay.h"

/* Writes the scene as a section of a page; replay may be NULL, q (where the robot is without one)
 * too: home. Returns an exit status. */
int cli_scene_write(FILE *page, cli_job *job, const cli_replay *replay, const double *q);

#endif
