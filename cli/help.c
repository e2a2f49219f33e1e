/* help.c: the help pages of the commands. Each example runs as it stands. */
#include "commands.h"

/* clang-format off */

#define HELP_MODEL \
    "MODEL is a URDF (.urdf, .xml), a native model (.json) or a built-in robot.\n" \
    "  --fixed, --floating    hold the root link, or let it float, against what the file says\n" \
    "  --strict               refuse inertias that violate the triangle inequality\n"

#define HELP_STATE \
    "  --order R              order of the time derivatives, default 0\n" \
    "  --state FILE           STATE file (JSON); '-' reads standard input; the state file is\n" \
    "                         described in docs/files.md\n" \
    "  --pad                  take what the state lacks as zero\n" \
    "  --gravity X,Y,Z        instead of the state's or the model's\n"

#define HELP_FORMULATION \
    "  --formulation NAME     which computes: body (default), spatial, hybrid or mixed\n"

#define HELP_DAMPING \
    "  --damping              include the joints' viscous damping of the model file\n"

#define HELP_LAYOUT \
    "  --layout NAME          the state is flat, {\"q\", \"v\", \"tau\"}, and arrays come out as\n" \
    "                         jounce, pinocchio, mujoco, drake or rbdl hold them: docs/layouts.md\n"

#define HELP_WHERE \
    "  --text                 the same as --format text\n" \
    "  --output FILE          write there instead of standard output\n"

#define HELP_OUTPUT \
    "  --format NAME          json, csv, npy or text; default json, on a terminal text\n" HELP_WHERE

/* of commands that write no array */
#define HELP_OUTPUT_PLAIN \
    "  --format NAME          json, csv or text; default json, on a terminal text\n" HELP_WHERE

const char cli_models_help[] =
    "usage: jounce models [options]\n\n"
    "Names that stand for a MODEL. Some take sizes: 'tilthex:5x20' is the aerial manipulator\n"
    "with 5 arms of 20 bodies.\n\n"
    HELP_OUTPUT_PLAIN
    "\nexample:\n"
    "  jounce models --text\n";

const char cli_info_help[] =
    "usage: jounce info MODEL [options]\n\n"
    "Writes {\"name\", \"mass\", \"moving_mass\", \"bodies\", \"dofs\", \"nq\", \"floating\",\n"
    "\"gravity\", \"links\", \"joints\", \"frames\"}; as text a drawing of the tree. \"moving_mass\"\n"
    "leaves out what is welded to the world. A link held by a fixed joint is part of the body\n"
    "it names (null: the world).\n\n"
    HELP_MODEL HELP_OUTPUT_PLAIN
    "csv: a line for each joint.\n\n"
    "example:\n"
    "  jounce info tilthex --text\n";

const char cli_lint_help[] =
    "usage: jounce lint MODEL [options]\n\n"
    "Lists what is suspicious in a model, each finding a note, a warning or serious, with its\n"
    "line in the file. Exit status 3 when there is a warning or worse, 1 when the file cannot\n"
    "be read at all.\n\n"
    HELP_MODEL HELP_OUTPUT_PLAIN
    "csv: severity, line, text.\n\n"
    "example:\n"
    "  jounce lint tilthex --text\n";

const char cli_fk_help[] =
    "usage: jounce fk MODEL [--order R] [--state FILE] [options]\n\n"
    "Reads q ... q^(R+1) of the joints and V ... V^(R) of a floating base; writes\n"
    "{\"order\", \"links\": {name: {\"R\", \"p\", \"twist\": [k = 0..R]}}}: the pose in the world,\n"
    "the twist and its component-wise derivatives. Without --state: at home, at rest.\n\n"
    HELP_MODEL HELP_STATE
    "  --representation NAME  of the twists written: spatial (default), body, hybrid or mixed\n"
    "  --link NAME            only this link or frame\n"
    "  --frames               named frames beside the links\n"
    "  --point X,Y,Z          with --link: \"point\", the motion of a point given in that link:\n"
    "                         position, velocity, acceleration, ... to derivative R+1\n"
    "  --screws               \"screws\": {joint: [k = 0..R][nv][6]}, spatial; in JSON\n"
    HELP_LAYOUT HELP_FORMULATION HELP_OUTPUT
    "csv: a line for each link and k: link, k, twist, position, rotation.\n"
    "npy: the twists, array [links][R+1][6].\n\n"
    "example:\n"
    "  echo '{\"joints\": {\"joint1\": [0.5, 1, 0]}}' |\n"
    "    jounce fk pendulum --order 1 --state -\n"
    "  jounce fk tilthex --representation body --text\n";

const char cli_id_help[] =
    "usage: jounce id MODEL [--order R] [--state FILE] [options]\n\n"
    "Reads q ... q^(R+2) of the joints and V ... V^(R+1) of a floating base; writes\n"
    "{\"order\", \"tau\": {joint: [k = 0..R]}, \"base_wrench\": [k = 0..R]}. Forces from outside\n"
    "('wrench', 'tau_ext' of the state) act beside the actuators. The base wrench is dual to\n"
    "the base twist, in the representation that the state names.\n"
    "Without --state: at home, at rest.\n\n"
    HELP_MODEL HELP_STATE HELP_FORMULATION HELP_DAMPING HELP_LAYOUT HELP_OUTPUT
    "csv: joint, component and a column for each k. npy: array [R+1][nv], base first.\n\n"
    "example:\n"
    "  echo '{\"joints\": {\"joint1\": [0.5, 1, -2, 0.3]}}' |\n"
    "    jounce id pendulum --order 1 --state -\n"
    "  echo '{\"base\": {\"quat\": [1,0,0,0], \"p\": [0,0,1],\n"
    "    \"twist\": [[0,0,0.1,0,0,0], [0,0,0,0,0,0]]}}' | jounce id tilthex --pad --state -\n"
    "  echo '{\"q\": [0.5, 0.2], \"v\": [[1, -1], [0, 0]]}' |\n"
    "    jounce id double_pendulum --layout mujoco --state -\n"
    "  jounce id tilthex --text\n";

const char cli_fd_help[] =
    "usage: jounce fd MODEL [--order R] --state FILE [options]\n\n"
    "Reads q, q' and tau ... tau^(R) of the joints; pose, V and W ... W^(R) ('base_wrench') of a\n"
    "floating base. Writes {\"order\", \"joints\": {joint: [q'' ... q^(R+2)]},\n"
    "\"base_twist\": [V' ... V^(R+1)]}; a spherical joint's motion is {\"omega\": [omega' ...]}.\n\n"
    HELP_MODEL HELP_STATE HELP_FORMULATION HELP_DAMPING HELP_LAYOUT HELP_OUTPUT
    "csv: joint, component and a column for each k. npy: array [R+1][nv], base first.\n\n"
    "example:\n"
    "  echo '{\"joints\": {\"joint1\": [0.5, 1]}, \"tau\": {\"joint1\": [2, 0]}}' |\n"
    "    jounce fd pendulum --order 1 --state -\n";

const char cli_hybrid_help[] =
    "usage: jounce hybrid MODEL [--order R] --state FILE [options]\n\n"
    "A joint named in 'tau' has its force given (tau ... tau^(R)) and needs q, q' in 'joints';\n"
    "derivatives beyond are ignored. Every other joint has its motion given, to q^(R+2). The\n"
    "base has its force given when the state has 'base_wrench' (W ... W^(R)), else its motion,\n"
    "to V^(R+1). Writes the missing half of each: {\"order\", \"tau\": {joints with motion given},\n"
    "\"joints\": {joints with force given: [q'' ... q^(R+2)]}, \"base_wrench\" or \"base_twist\"}.\n\n"
    HELP_MODEL HELP_STATE HELP_FORMULATION HELP_DAMPING HELP_OUTPUT
    "csv: joint, component, kind (force or motion) and a column for each k.\n"
    "npy: array [2][R+1][nv]: all forces, then all motions from v' on, given and computed.\n\n"
    "example:\n"
    "  echo '{\"joints\": {\"joint1\": [0.5, 1], \"joint2\": [0.2, 0, 3]}, \"tau\": {\"joint1\": [2]}}' |\n"
    "    jounce hybrid double_pendulum --state -\n";

const char cli_eom_help[] =
    "usage: jounce eom MODEL [--state FILE] [--order R] [options]\n\n"
    "The closed form M v' + C v + g + tau_ext = tau at a state; M' - 2 C is skew, h = C v + g.\n"
    "Reads q, q' and, with --order R, derivatives to q^(R+1); 'wrench' and 'tau_ext' of the\n"
    "state make tau_ext. Writes {\"order\", \"dofs\", \"M\", \"C\", \"g\", \"h\", \"tau_ext\"}; with\n"
    "--order R >= 1 each of M ... tau_ext is a list of its time derivatives k = 0..R.\n"
    "Without --state: at home, at rest.\n\n"
    HELP_MODEL HELP_STATE
    "  --momentum             \"momentum\": {\"com\", \"momentum\", \"centroidal\", \"kinetic\",\n"
    "                         \"potential\", \"matrix\"}: centre of mass, momentum about the world's\n"
    "                         origin and about the centre of mass, energies, centroidal momentum\n"
    "                         matrix; in JSON and text\n"
    HELP_DAMPING HELP_LAYOUT HELP_OUTPUT
    "csv: quantity, k, row and a column for each degree of freedom.\n"
    "npy: M, array [nv][nv], with --order [R+1][nv][nv].\n\n"
    "example:\n"
    "  echo '{\"joints\": {\"joint1\": [0.5, 1], \"joint2\": [0.2, -1]}}' |\n"
    "    jounce eom double_pendulum --state -\n"
    "  jounce eom tilthex --momentum --text\n";
