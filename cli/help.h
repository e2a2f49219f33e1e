/* help.h: lines of the help pages that several commands share. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

/* clang-format off */

#define HELP_FILES \
    "  --package-path A:B     folders whose files a model may include, and in which xacro finds packages\n" \
    "  --arg NAME:=VALUE      an argument of a xacro file; may be repeated; also without --arg\n"

#define HELP_ROOT \
    "  --fixed, --floating    fix the root link or let it float, whatever the file says\n" \
    "  --inertia NAME         what to do with an unphysical inertia: default (refuse a negative\n" \
    "                         moment), strict (also a violated triangle inequality; --strict),\n" \
    "                         permissive (use it as it is), repair (use the nearest physical one)\n" \
    "  --lock JOINT[=Q],...   fix joints at a position (default 0; several numbers: a:b:c)\n" \
    "  --armature JOINT=X,... set the rotor inertia of joints, as seen at the joint\n" \
    HELP_FILES \
    "  --with FILE            a side file (JSON) with 'frames', 'constraints', 'passive' joints or\n" \
    "                         'rotors', for which URDF has no element (docs/files.md)\n" \
    "  --lenient              accept numbers that a URDF separates by commas\n" \
    "  --open                 leave out the constraints of the model: the open tree\n" \
    "  --independent          mimic joints are not enforced: they move independently\n" \
    "  --mimic                mimic joints as constraints 'mimic:NAME', with their forces\n" \
    "  -q, --quiet            no line on standard error about findings of lint\n"

#define HELP_MODEL \
    "MODEL is a URDF, a xacro, an MJCF, a native model (JSON), '-' (one of these on standard input) or a\n" \
    "built-in robot.\n" HELP_ROOT

#define HELP_ORDER \
    "  --order R              order of the time derivatives, default 0\n"

#define HELP_PAD \
    "  --pad                  treat what the state lacks as zero\n"

#define HELP_GIVEN_STATE \
    "  --state FILE           STATE file (JSON); '-' reads standard input\n" HELP_PAD

#define HELP_GRAVITY \
    "  --gravity X,Y,Z        instead of the state's or the model's\n"

#define HELP_STATE \
    HELP_ORDER \
    "  --state FILE           STATE file (JSON); '-' reads standard input; the state file is\n" \
    "                         described in docs/files.md\n" HELP_PAD HELP_GRAVITY

#define HELP_ASSEMBLE \
    "  --assemble             move the state onto the constraints first; the actuated joints keep\n" \
    "                         their motion where they determine the others\n" \
    "  --driven NAMES         joints that keep it instead: 'hip,knee'\n"

#define HELP_ACTIVE \
    "  --active NAMES         constraints that are active: 'left,right'; 'none'; default all\n"
#define HELP_CLOSURE \
    "  --closure X            accept a state that satisfies the constraints within X of the robot's\n" \
    "                         size, as 1e-7 for a file of few digits; default 1e-9\n"
#define HELP_WORLD \
    "  --world NAME=FILE      the side of constraint NAME in the world moves: pose, twist and its\n" \
    "                         derivatives as those of the base in a STATE file; may be repeated\n"

#define HELP_FORMULATION \
    "  --formulation NAME     body (default), spatial, hybrid, mixed or classical: how it is computed\n"

#define HELP_DAMPING \
    "  --damping              include the viscous joint damping of the model file\n"

#define HELP_LAYOUT \
    "  --layout NAME          the state is flat, {\"q\", \"v\", \"tau\"}; it and the arrays written have\n" \
    "                         the layout of jounce, pinocchio, mujoco, drake or rbdl\n" \
    "                         (docs/layouts.md)\n"

#define HELP_PLACE \
    "  --at NAME              linear velocity, or moment, at the origin of this frame (spatial)\n" \
    "  --axes NAME            components in the axes of this frame (all but body)\n"

#define HELP_RELATIVE \
    "  --relative-to NAME     motion relative to this link or frame; default the world. It is also the\n" \
    "                         default of --at and --axes; 'world' names the world\n" HELP_PLACE

#define HELP_REACTIONS \
    "  --reactions NAME       the wrench that each joint transmits to its body, as spatial, body,\n" \
    "                         hybrid or mixed wrench of the body's frame; the actuator's part is\n" \
    "                         included\n" HELP_PLACE

#define HELP_JOINTS \
    "  --joints NAMES         only these joints: 'hip,knee'; '*' matches any text: 'left_*'\n"

#define HELP_WHERE \
    "  --text, --json         the same as --format text, --format json\n" \
    "  --precision N          significant digits of the numbers, 1 to 17; default 17, in text about 6\n" \
    "  --output FILE          write to FILE instead of standard output; without --format its ending\n" \
    "                         decides (.json, .csv, .npy, .npz, .txt)\n"

#define HELP_OUTPUT \
    "  --format NAME          json, csv, npy or text; default: text on a terminal, else json\n" HELP_WHERE

/* for commands that write no array */
#define HELP_OUTPUT_PLAIN \
    "  --format NAME          json, csv or text; default: text on a terminal, else json\n" HELP_WHERE

#define HELP_REPORT \
    "  --report FILE          one HTML page: the robot in 3D, figures with a common cursor, numbers;\n" \
    "                         needs no network (docs/reports.md)\n"

/* for commands that follow a trajectory */
#define HELP_PATH \
    "MODEL is a URDF, xacro or MJCF (.urdf, .xacro, .xml), a native model (.json) or a built-in robot.\n" \
    "TRAJ is a curve (.json, described in docs/trajectories.md) or samples (.csv, .npy, .npz) with\n" \
    "a column 't' and one for each joint. A spline is fitted to samples; smoothing, noise and bands\n" \
    "are estimated from them, and a fit that cannot be trusted is refused (docs/recordings.md):\n" \
    "  --force                accept such a fit\n" \
    "  --ends rest            at rest at the start and the end; default free\n" \
    "  --outliers keep        use all samples; default drop\n" \
    "  --unwrap               remove jumps by full turns also of joints with limits\n" \
    "  --degrees              angles are in degrees\n" \
    "  --time-unit U          of the times: s, ms, us or ns; default auto, by the name of the\n" \
    "                         column (time_ms) or the stamps\n" \
    "  --degree D             degree of the polynomials, default 7 or the order + 3\n" \
    "  --tolerance E          given rms residual instead (0: interpolates every sample)\n" \
    "  --lambda L             given smoothing weight instead\n" \
    "  --pieces N             number of polynomials; default as many as the samples need\n" \
    "  --hold                 joints without a column keep their home position\n" \
    "  --time-scale S         run the motion S times slower\n"

#define HELP_PATH_END \
    "  --representation NAME  of the twist and wrench of a floating base: spatial (default),\n" \
    "                         body, hybrid or mixed\n" \
    "  --gravity X,Y,Z        instead of the model's\n" \
    HELP_DAMPING HELP_ROOT \
    "  --plot FILE            draw (.svg or .png; needs gnuplot)\n" \
    HELP_REPORT HELP_WHERE

#endif
