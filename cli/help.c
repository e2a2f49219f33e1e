/* help.c: the help pages of the commands. Each example runs as it stands. */
#include "commands.h"
#include "help.h"

/* clang-format off */

const char cli_models_help[] =
    "usage: jounce models [options]\n\n"
    "The names that can be given as MODEL. Some take sizes: 'tilthex:5x20' is the aerial\n"
    "manipulator with 5 arms of 20 bodies.\n\n"
    HELP_OUTPUT_PLAIN
    "\nexample:\n"
    "  jounce models --text\n";

const char cli_info_help[] =
    "usage: jounce info MODEL [options]\n\n"
    "Writes {\"name\", \"mass\", \"moving_mass\", \"bodies\", \"dofs\", \"nq\", \"floating\",\n"
    "\"gravity\", \"links\", \"joints\", \"frames\", \"constraints\"}; text format: a drawing of\n"
    "the tree with limits, armature, mimicked joints and constraints.\n"
    "\"moving_mass\" excludes what is welded to the world. A link held by a fixed joint belongs to\n"
    "the body that \"body\" names (null: the world).\n\n"
    HELP_MODEL HELP_OUTPUT_PLAIN
    "csv: a line for each joint; a missing limit is an empty field.\n\n"
    "example:\n"
    "  jounce info tilthex --text\n";

const char cli_show_help[] =
    "usage: jounce show MODEL [options]\n\n"
    "Writes one HTML page with the robot in 3D: a slider for every joint, frames, inertia ellipsoids,\n"
    "limits. The shapes are the elements <visual> of a URDF, or the geoms of an MJCF: boxes, spheres,\n"
    "mesh files (STL, OBJ, DAE) below the folder of the model or --package-path; without them capsules\n"
    "along the links. The page needs no network (docs/reports.md).\n\n"
    HELP_MODEL
    "  --state FILE           where the joints are at first: a STATE file (JSON); default home\n"
    "  --output FILE          the page; default NAME_show.html, NAME that of the model\n"
    "\nexample:\n"
    "  jounce show arm6 --output arm6.html\n";

const char cli_lint_help[] =
    "usage: jounce lint MODEL [options]\n\n"
    "Lists what is suspicious in a model. Each finding is graded as note, warning or serious and\n"
    "has its line in the file. Exit status: 3 if there is a warning or a serious finding, 1 if the\n"
    "file cannot be read at all.\n\n"
    HELP_MODEL HELP_OUTPUT_PLAIN
    "csv: severity, line, text.\n\n"
    "example:\n"
    "  jounce lint tilthex --text\n";

const char cli_convert_help[] =
    "usage: jounce convert MODEL --output FILE.json|FILE.urdf [options]\n\n"
    "Writes a model as a native file or as URDF, after it was checked, with joints locked and\n"
    "armatures set as the options say. Loading a native file gives the same model, bit for bit. URDF\n"
    "gives the same numbers, rotations within rounding; what URDF cannot hold is refused by name\n"
    "(docs/files.md).\n\n"
    HELP_MODEL
    "  --output FILE          the file; it appears complete or not at all\n\n"
    "example:\n"
    "  jounce convert arm6 --lock joint3=0.5 --output arm5.json\n"
    "  jounce convert arm5.json --output arm5.urdf\n"
    "  jounce info arm5.urdf --text\n";

const char cli_expand_help[] =
    "usage: jounce expand FILE.xacro [options] [NAME:=VALUE ...]\n\n"
    "Expands a xacro file, which describes a robot by macros, and prints the URDF. Every command\n"
    "accepts a xacro file as its model. docs/files.md lists the supported part of the language.\n"
    "Only files in the folder of FILE or below are opened, and those below the package path.\n"
    "'-' reads standard input.\n\n"
    HELP_FILES
    "  --output FILE          write to FILE instead of standard output\n"
    "\nexample:\n"
    "  echo '<robot name=\"r\"><xacro:property name=\"m\" value=\"2\"/><link name=\"a${m}\"/></robot>' |\n"
    "    jounce expand -\n";

const char cli_state_help[] =
    "usage: jounce state MODEL [--order R] [options]\n\n"
    "Writes a state file with every joint at home and at rest, to be filled in: q ... q^(R+2) of the\n"
    "joints, pose and twist of a floating base. Forces are not given: fd takes them as zero with\n"
    "--pad.\n\n"
    HELP_MODEL
    "  --order R              highest order of the time derivative of the forces, default 0\n"
    "  --output FILE          write to FILE instead of standard output\n\n"
    "example:\n"
    "  jounce state humanoid > start.json\n"
    "  jounce id humanoid --state start.json --text\n";

const char cli_fk_help[] =
    "usage: jounce fk MODEL [--order R] [--state FILE] [options]\n\n"
    "Reads q ... q^(R+1) of the joints and V ... V^(R) of a floating base; writes\n"
    "{\"order\", \"links\": {name: {\"R\", \"p\", \"twist\": [k = 0..R]}}}: the pose in the world,\n"
    "the twist and its component-wise derivatives.\n"
    "Without --state: the home configuration at rest.\n\n"
    HELP_MODEL HELP_STATE
    "  --representation NAME  of the twists written: spatial (default), body, hybrid or mixed\n"
    HELP_RELATIVE
    "  --link NAME            only this link or frame\n"
    "  --frames               also the named frames\n"
    "  --point X,Y,Z          with --link: \"point\", the motion of a point fixed in that link:\n"
    "                         position, velocity, acceleration, ... to derivative R+1\n"
    "  --screws               \"screws\": {joint: [k = 0..R][nv][6]}, spatial; in JSON\n"
    HELP_LAYOUT HELP_FORMULATION HELP_OUTPUT
    "csv: a line for each link and k: link, k, twist, position, rotation.\n"
    "npy: the twists, array [links][R+1][6].\n\n"
    "example:\n"
    "  echo '{\"joints\": {\"joint1\": [0.5, 1, 0]}}' |\n"
    "    jounce fk pendulum --order 1 --state -\n"
    "  jounce fk tilthex --representation body --text\n"
    "  jounce fk humanoid --link left_hand --relative-to right_hand --text\n";

const char cli_id_help[] =
    "usage: jounce id MODEL [--order R] [--state FILE] [options]\n\n"
    "Reads q ... q^(R+2) of the joints and V ... V^(R+1) of a floating base; writes\n"
    "{\"order\", \"tau\": {joint: [k = 0..R]}, \"base_wrench\": [k = 0..R]}. External forces ('wrench'\n"
    "and 'tau_ext' of the state) act in addition to the actuators. The base wrench is dual to the\n"
    "base twist, in the representation that the state names.\n"
    "Without --state: the home configuration at rest.\n"
    "With constraints (docs/constraints.md) tau is zero at passive joints, and\n"
    "\"constraint_forces\": {name: [k = 0..R][rows]} is written as well.\n\n"
    HELP_MODEL HELP_STATE HELP_ASSEMBLE HELP_ACTIVE HELP_CLOSURE HELP_WORLD HELP_FORMULATION HELP_DAMPING HELP_LAYOUT
    HELP_REACTIONS
    "                         \"reactions\": {joint: [k = 0..R][6]}: torque, force\n"
    HELP_JOINTS HELP_OUTPUT
    "csv: joint, component and a column for each k. npy: array [R+1][nv], base first.\n\n"
    "example:\n"
    "  echo '{\"joints\": {\"joint1\": [0.5, 1, -2, 0.3]}}' |\n"
    "    jounce id pendulum --order 1 --state -\n"
    "  echo '{\"base\": {\"quat\": [1,0,0,0], \"p\": [0,0,1],\n"
    "    \"twist\": [[0,0,0.1,0,0,0], [0,0,0,0,0,0]]}}' | jounce id tilthex --pad --state -\n"
    "  echo '{\"q\": [0.5, 0.2], \"v\": [[1, -1], [0, 0]]}' |\n"
    "    jounce id double_pendulum --layout mujoco --state -\n"
    "  jounce id tilthex --text\n"
    "  jounce id arm6 --reactions body --text\n";

const char cli_fd_help[] =
    "usage: jounce fd MODEL [--order R] --state FILE [options]\n\n"
    "Reads q, q' and tau ... tau^(R) of the joints; pose, V and W ... W^(R) ('base_wrench') of a\n"
    "floating base. Writes {\"order\", \"joints\": {joint: [q'' ... q^(R+2)]},\n"
    "\"base_twist\": [V' ... V^(R+1)]}; a spherical joint's motion is {\"omega\": [omega' ...]}.\n"
    "With constraints (docs/constraints.md) passive joints need no tau, and\n"
    "\"constraint_forces\": {name: [k = 0..R][rows]} is written as well.\n\n"
    HELP_MODEL HELP_STATE HELP_ASSEMBLE HELP_ACTIVE HELP_CLOSURE HELP_WORLD
    "  --proximal MU          compliant constraints, (J v)' = -mu lambda: any rank is accepted\n" HELP_FORMULATION HELP_DAMPING HELP_LAYOUT HELP_JOINTS
    "  --articulated NAME     also articulated inertias and bias wrenches, \"articulated\": {body: {\"MA\":\n"
    "                         [6][6], \"WA\": [k = 0..R][6]}}: the wrench through the joint of a body is\n"
    "                         MA V^(k+1) + WA^(k); as spatial, body, hybrid or mixed wrench; in JSON\n"
    HELP_OUTPUT
    "csv: joint, component and a column for each k. npy: array [R+1][nv], base first.\n\n"
    "example:\n"
    "  echo '{\"joints\": {\"joint1\": [0.5, 1]}, \"tau\": {\"joint1\": [2, 0]}}' |\n"
    "    jounce fd pendulum --order 1 --state -\n"
    "  echo '{\"joints\": {\"joint1\": [0.5, 1]}, \"tau\": {\"joint1\": [2]}}' |\n"
    "    jounce fd pendulum --articulated body --json --state -\n";

const char cli_hybrid_help[] =
    "usage: jounce hybrid MODEL [--order R] --state FILE [options]\n\n"
    "A joint named in 'tau' has its force given (tau ... tau^(R)) and needs q, q' in 'joints';\n"
    "further derivatives are ignored. Every other joint has its motion given, to q^(R+2). The\n"
    "base has its force given when the state has 'base_wrench' (W ... W^(R)), else its motion,\n"
    "to V^(R+1). Writes what was not given: {\"order\", \"tau\": {joints with motion given},\n"
    "\"joints\": {joints with force given: [q'' ... q^(R+2)]}, \"base_wrench\" or \"base_twist\"}.\n"
    "With constraints the force of passive joints is given: zero. Writes \"constraint_forces\".\n\n"
    HELP_MODEL HELP_STATE HELP_FORMULATION HELP_DAMPING HELP_JOINTS HELP_ACTIVE HELP_CLOSURE HELP_WORLD
    "  --given-force NAMES    degrees of freedom whose force is given; of all others the motion is given:\n"
    "                         'base:vx,base:vy,q2', '*' matches any text. What the state\n"
    "                         lacks is zero. Writes {\"order\", \"dofs\", \"given\": [force or motion],\n"
    "                         \"tau\": [k][n], \"acc\": [k][n]}, given and computed\n"
    HELP_OUTPUT
    "csv: joint, component, kind (force or motion) and a column for each k.\n"
    "npy: array [2][R+1][nv]: all forces, then all motions from v' on, given and computed.\n\n"
    "example:\n"
    "  echo '{\"joints\": {\"joint1\": [0.5, 1], \"joint2\": [0.2, 0, 3]}, \"tau\": {\"joint1\": [2]}}' |\n"
    "    jounce hybrid double_pendulum --state -\n"
    "  jounce state tilthex | jounce hybrid tilthex --state - --given-force 'base:v*' --text\n";

const char cli_loops_help[] =
    "usage: jounce loops MODEL [--state FILE] [options]\n\n"
    "The constraints of a model at a configuration: rows, rank of their Jacobian, mobility (degrees\n"
    "of freedom left), residuals of the positions, which joints depend on the others (passive ones\n"
    "first) and which may be driven. Nothing is solved: any configuration is accepted.\n\n"
    HELP_MODEL
    "  --state FILE           STATE file (JSON): positions only; default the home configuration\n"
    HELP_ACTIVE HELP_WORLD
    HELP_OUTPUT_PLAIN
    "\nexample:\n"
    "  jounce loops fourbar --text\n";

const char cli_assemble_help[] =
    "usage: jounce assemble MODEL [--state FILE] [--order R] [options]\n\n"
    "A state that satisfies the constraints of a model, near the given one: positions by Newton's\n"
    "method from this guess, then q' ... q^(R+2), order by order. What the state lacks is zero. The\n"
    "actuated joints keep their motion where they determine the others; else all joints change as\n"
    "little as possible. Writes a STATE file: {\"base\": {...}, \"joints\": {joint: [q, q', ...]}}.\n\n"
    HELP_MODEL HELP_ORDER
    "  --state FILE           STATE file (JSON); '-' reads standard input\n"
    "  --driven NAMES         joints that keep their motion: 'hip,knee'; '' for none\n"
    HELP_ACTIVE HELP_WORLD
    "  --format NAME          json or text; default: text on a terminal, else json\n" HELP_WHERE
    "\nexample:\n"
    "  echo '{\"joints\": {\"crank\": [0.5, 2]}}' | jounce assemble fourbar --state - |\n"
    "    jounce id fourbar --state - --text\n";

const char cli_ik_help[] =
    "usage: jounce ik MODEL --link NAME --pose X,Y,Z[,QW,QX,QY,QZ] [--twist ...] [options]\n\n"
    "Joint positions that take a link or frame to a pose, nearest to the guess and within the joint\n"
    "limits, then q' ... q^(R+2) that give it a twist with its derivatives, order by order. The base\n"
    "of a floating robot stays, unless --driven names other joints. Constraints of the model hold.\n"
    "Writes a STATE file and the null space: motions that leave the link at rest.\n\n"
    HELP_MODEL HELP_ORDER
    "  --link NAME            the link or frame\n"
    "  --pose X,Y,Z[,QW,QX,QY,QZ]\n"
    "                         its position, and its orientation as a quaternion; without it the\n"
    "                         orientation is free\n"
    "  --twist WX,WY,WZ,VX,VY,VZ\n"
    "                         its twist; default at rest\n"
    "  --representation NAME  of --twist: hybrid (default: velocity of the frame's origin, world axes),\n"
    "                         spatial, body or mixed\n"
    "  --target FILE          instead of these: {\"base\": {\"p\", \"quat\", \"twist\": [[6], ...],\n"
    "                         \"representation\"}} as in a STATE file, with derivatives of the twist\n"
    "  --follow WHAT          pose, position (default without an orientation), or axis: position and\n"
    "                         direction of z\n"
    "  --state FILE           the guess: a STATE file (JSON); default the home configuration at rest\n"
    "  --driven NAMES         joints that keep the motion of the guess: 'hip,knee'; '' for none\n"
    "  --report FILE          one HTML page: the robot in 3D at the target, with sliders\n"
    "  --format NAME          json or text; default: text on a terminal, else json\n" HELP_WHERE
    "\nexample:\n"
    "  jounce ik arm6 --link link6 --pose 0.4,0.2,0.5 --twist 0,0,0,0.1,0,0 > state.json\n"
    "  jounce id arm6 --state state.json --text\n";

const char cli_rotors_help[] =
    "usage: jounce rotors MODEL [--state FILE] [--order R] [options]\n\n"
    "The propellers of a flying base: the allocation matrix A (wrench on the base = A thrust), its\n"
    "rank, and the thrusts and speeds of a motion with their derivatives, of least norm where they\n"
    "are not unique. Without --state: hovering at home. 'rest' is the part of the wrench that\n"
    "rotors of a rank below 6 cannot produce. Exit status 3: a rotor is saturated, or 'rest' is not\n"
    "zero. Rotors are the key 'rotors' of a native model, or of a side file.\n\n"
    HELP_MODEL HELP_STATE HELP_DAMPING HELP_OUTPUT "\n"
    "example:\n"
    "  jounce rotors tilthex --order 2 --pad --text\n";

const char cli_eom_help[] =
    "usage: jounce eom MODEL [--state FILE] [--order R] [options]\n\n"
    "The closed form M v' + C v + g + tau_ext = tau at a state; M' - 2 C is skew, h = C v + g.\n"
    "Reads q, q' and, with --order R, derivatives to q^(R+1); 'wrench' and 'tau_ext' of the\n"
    "state give tau_ext. Writes {\"order\", \"dofs\", \"M\", \"C\", \"g\", \"h\", \"tau_ext\"}; with\n"
    "--order R >= 1 each of M ... tau_ext is a list of its time derivatives k = 0..R.\n"
    "Without --state: the home configuration at rest.\n\n"
    HELP_MODEL HELP_STATE
    "  --momentum             \"momentum\": {\"com\", \"momentum\", \"centroidal\", \"kinetic\",\n"
    "                         \"potential\", \"armature\", \"matrix\"}: centre of mass, momentum about\n"
    "                         the world's origin and about the centre of mass, energies (armature:\n"
    "                         its part of the kinetic one), centroidal momentum matrix; in JSON and\n"
    "                         text\n"
    "  --christoffel          \"christoffel\": [i][j][k], the symbols of the first kind: C_ij = sum\n"
    "                         of Gamma_ijk v_k; for the body twist of a free base; in JSON\n"
    HELP_DAMPING HELP_LAYOUT HELP_OUTPUT
    "csv: quantity, k, row and a column for each degree of freedom.\n"
    "npy: M, array [nv][nv], with --order [R+1][nv][nv].\n\n"
    "example:\n"
    "  echo '{\"joints\": {\"joint1\": [0.5, 1], \"joint2\": [0.2, -1]}}' |\n"
    "    jounce eom double_pendulum --state -\n"
    "  jounce eom tilthex --momentum --text\n";

const char cli_jacobian_help[] =
    "usage: jounce jacobian MODEL --link NAME [--order R] [--state FILE] [options]\n\n"
    "The Jacobian J of a link or frame, V = J v, and its component-wise time derivatives to\n"
    "order R: V^(k) = sum of binomial(k, i) J^(i) v^(k-i). Reads q ... q^(R) of the joints and\n"
    "V ... V^(R-1) of a floating base; v is the base twist in the representation of the state, then\n"
    "the joint rates. Writes {\"order\", \"link\", \"representation\", \"dofs\", \"jacobian\":\n"
    "[k = 0..R][6][dofs]}. Without --state: the home configuration at rest.\n\n"
    HELP_MODEL
    "  --link NAME            the link or frame\n"
    "  --representation NAME  of the twist V: spatial (default), body, hybrid or mixed\n"
    "  --point X,Y,Z          the Jacobian of a point fixed in that link instead, [k][3][dofs]: its\n"
    "                         velocity in the world is J v\n"
    HELP_RELATIVE
    HELP_ORDER HELP_GIVEN_STATE HELP_FORMULATION
    "  --layout NAME          state and columns in the layout of jounce, pinocchio (with linear rows\n"
    "                         first), mujoco, drake or rbdl (docs/layouts.md)\n"
    HELP_OUTPUT
    "csv: k, row and a column for each degree of freedom. npy: array [R+1][6][dofs].\n\n"
    "example:\n"
    "  echo '{\"joints\": {\"joint1\": [0.5, 1], \"joint2\": [0.2, -1]}}' |\n"
    "    jounce jacobian double_pendulum --link link2 --order 1 --state -\n"
    "  jounce jacobian double_pendulum --link link2 --point 0,0,-1 --text\n"
    "  jounce jacobian humanoid --link left_hand --relative-to right_hand --text\n";

const char cli_partials_help[] =
    "usage: jounce partials MODEL [--order R] [--state FILE] [--forward | --hybrid | --link NAME]\n"
    "       [options]\n\n"
    "Exact partial derivatives of the dynamics. Of inverse dynamics at q ... q^(R+2), V ... V^(R+1):\n"
    "{\"order\", \"dofs\", \"dtau_dq\": [k = 0..R][n][n], \"dtau_dv\": [k = 0..R][j = 0..R+1][n][n]},\n"
    "d tau^(k) by q and by v^(j). With --forward, at q, q', V and tau ... tau^(R):\n"
    "{\"order\", \"dofs\", \"dacc_dq\": [k][n][n], \"dacc_dv\": [k][n][n], \"dacc_dtau\":\n"
    "[k][j = 0..R][n][n]}, d v^(k+1) by q, v and tau^(j). Rows and columns follow \"dofs\". The pose\n"
    "of a floating base and a spherical joint vary as C exp(xi), angular first; their twists are\n"
    "held constant in the representation of the state. Without --state: the home configuration at\n"
    "rest. With constraints: of the constrained dynamics, with \"rows\" and \"dlambda_dq\": [k][rows][n],\n"
    "\"dlambda_dv\", \"dlambda_dtau\" of the constraint forces (docs/constraints.md).\n\n"
    HELP_MODEL
    "  --forward              differentiate forward dynamics\n"
    "  --hybrid               differentiate hybrid dynamics, at a state as for 'jounce hybrid': \"given\":\n"
    "                         [n words], motion or force; y^(k) is what is computed, tau^(k) where\n"
    "                         motion is given and v^(k+1) elsewhere, u^(j) the other of the two:\n"
    "                         \"dy_dq\": [k][n][n], \"dy_dv\": [k][n][n], \"dy_du\": [k][j][n][n]\n"
    "  --regressor            instead: \"regressor\": [k][n][10 bodies], d tau^(k) by mass, first moment\n"
    "                         and xx xy xz yy yz zz of every body; \"values\" are these parameters.\n"
    "                         With --forward \"dacc_dparameters\", d v^(k+1) by them\n"
    "  --geometry             instead: \"dtau_dplacement\": [k][n][6 bodies], d tau^(k) by a\n"
    "                         displacement A exp(xi) of the placement of every joint\n"
    "  --link NAME            instead: of a link or frame, \"dtwist_dq\": [k][6][n], \"dtwist_dv\":\n"
    "                         [k][j][6][n]. With --geometry \"dpose_dplacement\": [6][6 bodies] (of the\n"
    "                         pose C exp(xi)), \"dtwist_dplacement\": [k][6][6 bodies] and\n"
    "                         \"djacobian_dplacement\": [k][6][n][6 bodies]\n"
    "  --of NAME              of --link: twist (default), momentum, force (net wrench on its body, without\n"
    "                         weight), subtree-momentum, subtree-force, reaction (wrench through the\n"
    "                         joint of its body); \"dmomentum_dq\", ..., \"dreaction_dv\"\n"
    "  --representation NAME  of --link: spatial (default), body, hybrid or mixed\n"
    HELP_ORDER HELP_GIVEN_STATE HELP_GRAVITY HELP_DAMPING HELP_ASSEMBLE HELP_ACTIVE HELP_WORLD
    "  --layout NAME          state and matrices in the layout of jounce, pinocchio, mujoco, drake\n"
    "                         or rbdl (docs/layouts.md); a free base then varies along its velocity\n"
    HELP_OUTPUT
    "csv: quantity, k, j, row and a column for each degree of freedom.\n"
    "npy: array [R+1][R+3][n][n]: by q, then by v^(0..R+1), or by q, v, tau^(0..R), without\n"
    "constraint forces.\n\n"
    "example:\n"
    "  echo '{\"joints\": {\"joint1\": [0.5, 1, -2, 0.3], \"joint2\": [0.2, -1, 1, 0]}}' |\n"
    "    jounce partials double_pendulum --order 1 --state -\n"
    "  jounce partials tilthex --text\n"
    "  jounce partials arm6 --regressor\n"
    "  echo '{\"joints\": {\"joint1\": [0.5, 1], \"joint2\": [0.2, 0, 3]}, \"tau\": {\"joint1\": [2]}}' |\n"
    "    jounce partials double_pendulum --hybrid --state - --text\n"
    "  jounce partials arm6 --link link6 --of reaction --representation body --text\n"
    "  jounce partials arm6 --link link6 --geometry --format csv\n";

const char cli_linearise_help[] =
    "usage: jounce linearise MODEL [--state FILE] [--hold] [--input full|joints] [options]\n\n"
    "Linearises the dynamics at a state (q, v, tau), without charts: z' = A z + B du for the state\n"
    "(q exp(xi), v + dv), z = (xi, dv). The pose of a floating base varies as C exp(xi), angular\n"
    "first, so nothing is singular at any attitude. Writes {\"order\", \"representation\",\n"
    "\"states\": [2n names], \"inputs\": [m names], \"A\": [2n][2n], \"B\": [2n][m]}, with --step\n"
    "also \"Ad\" and \"Bd\". Reads q, q', V, tau and base_wrench.\n"
    "Without --state: the home configuration at rest.\n"
    "With constraints: A and B of all states, \"projector\" on those that satisfy the constraints, and\n"
    "\"minimal_states\", \"A_minimal\", \"B_minimal\" of independent degrees of freedom, with --step\n"
    "\"Ad_minimal\", \"Bd_minimal\"; not with --right (docs/constraints.md).\n\n"
    HELP_MODEL HELP_GIVEN_STATE HELP_ASSEMBLE HELP_ACTIVE
    "  --hold                 use the tau that keeps v' = 0 instead of the state's\n"
    "  --input NAME           full (default): all of tau with the base wrench; joints: without it\n"
    "  --representation NAME  of the varied base twist and the constant base wrench: spatial, body,\n"
    "                         hybrid or mixed; default the state's\n"
    "  --right                the pose varies as exp(xi) C\n"
    "  --step H               also the discrete system with step H in seconds (zero-order hold)\n"
    "  --order R              lists of A and B and their time derivatives k = 0..R, along the motion\n"
    "                         under tau ... tau^(R)\n"
    "  --time T, --samples N  along the motion of T seconds from the state under constant forces:\n"
    "                         \"t\": [N+1 instants] and lists A ... Bd over them; N defaults to 10\n"
    HELP_GRAVITY HELP_DAMPING HELP_OUTPUT
    "csv: quantity, k, row and a column for each state, then for each input.\n"
    "npy: [A B], array [k][2n][2n + m].\n\n"
    "example:\n"
    "  jounce linearise fourbar --hold --text\n"
    "  jounce linearise tilthex --hold --representation body --input joints --text\n"
    "  echo '{\"joints\": {\"joint1\": [0.5, 1], \"joint2\": [0.2, -1]},\n"
    "         \"tau\": {\"joint1\": [2], \"joint2\": [0]}}' |\n"
    "    jounce linearise double_pendulum --state - --step 0.01\n";

const char cli_simulate_help[] =
    "usage: jounce simulate MODEL --time T [--state FILE] [options]\n\n"
    "Simulates a robot from a state for T seconds. 'tau', 'base_wrench', 'tau_ext' and 'wrench' of\n"
    "the state act throughout, constant in the representation they are given in; what is not given\n"
    "is zero. Writes a table: t, configuration (a free base: quaternion qw qx qy qz and position),\n"
    "velocities, energy; and a summary: how well energy and momentum are conserved, where they\n"
    "should be. The summary is part of the output in JSON and text, else on standard error.\n"
    "Without --state: from the home configuration at rest. Constraints of the model hold: the state\n"
    "is moved back to them after each step, and the summary says how well they are satisfied.\n\n"
    "  --time T               seconds\n"
    "  --scheme NAME          taylor (default), rkmk54, radau (stiff forces), rkmk4, momentum,\n"
    "                         variational\n"
    "  --tolerance E          bound on the local error of a step; default 1e-12\n"
    "  --step H               fixed step instead, at most 1e9 steps; required by rkmk4 and\n"
    "                         variational\n"
    "  --max-steps N          give up after N steps of the step-size control; default 1000000\n"
    "  --order N              taylor: degree of the polynomials, at least 2; default from tolerance\n"
    "  --samples N            rows of the table, evenly spaced in time; default 101\n"
    "  --along TRAJ           the forces of inverse dynamics along a trajectory (.json, .csv: as for\n"
    "                         'jounce traj'), exact; from its start if there is no --state, as long as\n"
    "                         it takes if there is no --time; then the forces that hold the end pose;\n"
    "                         friction (--friction) is not part of them\n"
    "  --forces FILE          CSV of forces over time, added to those of the state and interpolated\n"
    "                         linearly, held before the first row and after the last: first line\n"
    "                         't,NAME,...' with names of degrees of freedom as this command writes\n"
    "                         them (elbow, base:wx)\n"
    "  --damping, --friction  include the joint damping, the joint friction of the model file\n"
    "  --drift                only the summary, no table\n"
    "  --resume               with --output FILE.csv: rows go to FILE.csv.part as they are computed,\n"
    "                         and an interrupted run continues from there; the table is that of an\n"
    "                         uninterrupted run with --resume (steps start anew at every 1000th row,\n"
    "                         or tenth of the table)\n"
    HELP_JOINTS
    "  --plot FILE            draw the motion (.svg or .png; needs gnuplot)\n"
    HELP_REPORT HELP_GIVEN_STATE HELP_GRAVITY HELP_ASSEMBLE HELP_ACTIVE
    "  --world NAME=TRAJ      the side of constraint NAME in the world follows a trajectory, that of\n"
    "                         the base of one free body; at rest before and after; may be repeated\n"
    "  --proximal MU          slightly compliant constraints, such as 1e-9: passes positions where\n"
    "                         their rank changes\n" HELP_ROOT
    "  --format NAME          json, csv, npy or text; default: text on a terminal, else json\n"
    "  --output FILE          write to FILE instead of standard output\n\n"
    "example:\n"
    "  echo '{\"joints\": {\"joint1\": [1.5, 0], \"joint2\": [0.2, 0]}}' |\n"
    "    jounce simulate double_pendulum --state - --time 10 --format csv --samples 11\n"
    "  jounce simulate tilthex --time 2 --drift\n"
    "  echo '{\"joints\": {\"joint1\": [1.5, 0], \"joint2\": [0.2, 0]}}' |\n"
    "    jounce simulate double_pendulum --state - --time 5 --drift --report motion.html\n"
    "  echo '{\"joints\": {\"crank\": [0, 6]}}' |\n"
    "    jounce simulate fourbar --assemble --state - --time 10 --drift\n";

const char cli_traj_help[] =
    "usage: jounce traj MODEL TRAJ [--order R] [options]\n\n"
    "Motion and forces along a trajectory: q, its derivatives to order R+2, the forces that produce\n"
    "it and their derivatives to order R (order 1: torque rates), exact at every order; power; with\n"
    "--link the position, its derivatives and the orientation of links. Columns: 't', q, \"elbow'\"\n"
    "for a joint rate, \"tau:elbow\" for a force, \"tau:elbow'\" for its rate.\n"
    "With constraints joints without an actuator (not named in --driven) follow the others, and\n"
    "the constraint forces are written: \"lambda:pin:0\", \"lambda:pin:0'\". Columns of mimic joints,\n"
    "which follow others without a force, come last.\n\n"
    HELP_PATH
    "  --order R              order of the force derivatives, default 1\n"
    "  --samples N            rows of the table, evenly spaced in time; default 201\n"
    "  --resume               with --output FILE.csv: rows go to FILE.csv.part as they are computed,\n"
    "                         and an interrupted run continues from there\n"
    "  --bands                also half widths of the 95 % bands of fitted motions and of their\n"
    "                         forces, columns \"band:elbow'\"\n"
    HELP_JOINTS
    "  --driven NAMES         with constraints: joints that keep their motion\n"
    HELP_ACTIVE
    "  --tool NAME            TRAJ is the motion of this link or frame, written as that of a base:\n"
    "                         {\"kind\", \"times\", \"base\": ...}; the joints follow by inverse kinematics.\n"
    "                         The base and joints named in --driven keep their place; redundant joints\n"
    "                         move with velocities of least norm\n"
    "  --state FILE           with --tool: the configuration to start from; default home. With\n"
    "                         constraints: where the joints that follow start, which selects the\n"
    "                         branch of a loop; default as in the trajectory\n"
    "  --link NAME,...        links or frames to follow: world position and its derivatives,\n"
    "                         quaternion, angular velocity in world axes\n"
    HELP_REACTIONS
    "                         columns \"W:elbow:nx\" ... \"W:elbow:fz\", \"W:elbow:nx'\"\n"
    HELP_PATH_END
    "  --format NAME          json, csv, npy, npz or text (extrema of every column);\n"
    "                         default: text on a terminal, else json\n\n"
    "example:\n"
    "  echo '{\"kind\": \"minimum\", \"derivative\": 4, \"times\": [0, 0.8, 2],\n"
    "    \"joints\": {\"joint1\": [0, 1, 0.5], \"joint2\": [0, -0.5, 1]}}' > reach.json\n"
    "  jounce traj double_pendulum reach.json --order 2 --text\n"
    "  jounce traj double_pendulum reach.json --format csv --samples 5\n";

const char cli_limits_help[] =
    "usage: jounce limits MODEL TRAJ [options]\n\n"
    "Where, when and by how much a motion breaks limits of position, velocity, acceleration, jerk,\n"
    "torque (effort), torque rate (effort_rate), power, the thrust of rotors and its rate, or the speed\n"
    "of a tool, and the smallest time scale that satisfies all of them, from the exact dependence on the\n"
    "time scale. Below 1 the motion could be faster. Limits come from the model file and from:\n"
    "  --limits FILE          JSON: {joint: {\"lower\", \"upper\", \"velocity\", \"effort\",\n"
    "                         \"acceleration\", \"jerk\", \"effort_rate\", \"power\"}}; \"base:wx\" for one\n"
    "                         component of a joint with several; {rotor: {\"thrust\", \"thrust_rate\"}}\n"
    "  --velocity X, --acceleration X, --jerk X, --effort X, --effort-rate X, --power X\n"
    "                         for every joint except a floating base, instead of the model's\n"
    "  --thrust X, --thrust-rate X   for every rotor\n"
    "  --tool LINK, --tool-speed X   speed of the origin of a link or frame\n"
    "With constraints joints without an actuator (not named in --driven) follow the others.\n"
    "  --driven NAMES         with constraints: joints that keep their motion\n"
    "  --state FILE           with constraints: where the joints that follow start\n"
    HELP_ACTIVE
    "  --apply FILE           write the scaled motion: .json exactly, .csv, .npy, .npz as samples\n"
    "Exit status 3 if a limit is broken.\n\n"
    HELP_PATH
    "  --samples N            least number of times examined, default 1000; extrema between them are\n"
    "                         found too; also the rows of samples written by --apply\n"
    HELP_PATH_END
    "  --format NAME          json, csv or text; default: text on a terminal, else json\n\n"
    "example:\n"
    "  echo '{\"kind\": \"minimum\", \"derivative\": 4, \"times\": [0, 0.7],\n"
    "    \"joints\": {\"joint1\": [0, 1.2], \"joint2\": [0, -0.8]}}' > swing.json\n"
    "  jounce limits double_pendulum swing.json --velocity 6 --effort 40 --effort-rate 2000 --text\n"
    "  jounce limits double_pendulum swing.json --effort-rate 30 --apply slow.json --text ||\n"
    "    jounce limits double_pendulum slow.json --effort-rate 30 --text\n";

const char cli_retime_help[] =
    "usage: jounce retime MODEL TRAJ [options]\n\n"
    "The fastest motion along the path of a trajectory that keeps every limit of velocity,\n"
    "acceleration, jerk, torque (effort), torque rate (effort_rate), power, thrust and thrust rate of\n"
    "rotors, and the speed of a tool.\n"
    "The trajectory's own speed does not matter. The motion is at rest at both ends. Exit status 3\n"
    "if no timing keeps the limits; the message says which limit, where, and by how much. Limits\n"
    "come from the model file and from:\n"
    "  --limits FILE          JSON: {joint: {\"velocity\", \"acceleration\", \"jerk\", \"effort\",\n"
    "                         \"effort_rate\", \"power\", \"lower\", \"upper\"}}; \"base:wx\" for one component\n"
    "                         of a joint with several; {rotor: {\"thrust\", \"thrust_rate\"}}\n"
    "  --velocity X, --acceleration X, --jerk X, --effort X, --effort-rate X, --power X\n"
    "                         for every joint except a floating base, instead of the model's\n"
    "  --thrust X, --thrust-rate X   for every rotor\n"
    "  --tool LINK, --tool-speed X   speed of the origin of a link or frame\n"
    "  --apply FILE           write the motion: .json exactly, .csv, .npy, .npz as samples\n"
    "  --no-rate              ignore limits of jerk and torque rate\n"
    "  --objective NAME       time (default); torque, rate: the least integral of the squared torques or\n"
    "                         torque rates within --duration T; mixed:WEIGHT: the duration + WEIGHT\n"
    "                         times the integral of squared torques\n"
    "  --duration T           the motion takes at most T seconds\n"
    "  --moving-ends          as fast as the limits allow at the ends, too\n"
    "  --start-speed X, --end-speed X   exactly this speed du/dt of the path's own time there; an end\n"
    "                         without one is at rest, or moving with --moving-ends\n"
    "  --intervals N          of the timing u(t), 16 or more; default: of about 4 ms\n"
    "The table (csv, npy, npz; \"rows\" in json) has t, the time u of the path, u', u'', the largest used\n"
    "share of a limit and that of every limit over time.\n\n"
    HELP_PATH
    "  --samples N            least number of times examined, default 1000\n"
    HELP_PATH_END
    "  --format NAME          json, csv, npy, npz or text; default: text on a terminal, else json\n\n"
    "example:\n"
    "  echo '{\"kind\": \"minimum\", \"times\": [0, 0.7, 2],\n"
    "    \"joints\": {\"joint1\": [0, 1.2, 0.3], \"joint2\": [0, -0.8, 0.5]}}' > swing.json\n"
    "  jounce retime double_pendulum swing.json --effort 40 --effort-rate 400 --jerk 300 \\\n"
    "    --intervals 200 --apply fast.json --text\n"
    "  jounce limits double_pendulum fast.json --effort 40 --effort-rate 400 --jerk 300 --text\n";

const char cli_sweep_help[] =
    "usage: jounce sweep MODEL JOB [options]\n\n"
    "Computes the same thing for many samples of uncertain parameters: masses, inertias, payloads,\n"
    "gravity, initial states, trajectories; as a grid or at random. JOB is a JSON file (docs/sweep.md):\n"
    "what is computed (\"run\": id, fd, traj, limits, simulate or retime), the parameters and their\n"
    "distributions. Mean, quantiles, histograms and the worst case are written; every sample is kept\n"
    "in shards (.npy with SHA-256) in a folder. The same job gives the same bits on one thread or on\n"
    "many machines: mpirun -n N jounce sweep ..., srun jounce sweep ..., or --shard in a job array.\n\n"
    "  --folder DIR           of the shards; default: JOB.sweep beside JOB.json\n"
    "  --threads N            default: the processors of this process\n"
    "  --resume               compute only the shards that are missing or damaged in the folder\n"
    "  --shard i/n            only part i of n, 1 to n; the last part to finish reduces\n"
    "  --merge                only reduce the shards that are there\n"
    "  --sample N             only the row of one sample\n"
    "  --robot FILE           with --sample: write its robot as a native model\n"
    "  --report FILE          a page: histograms, bands over time, the worst case\n"
    HELP_OUTPUT_PLAIN "\n"
    HELP_MODEL "\n"
    "example:\n"
    "  echo '{\"run\": \"fd\", \"samples\": 1000, \"vary\": {\"payload:link2\": {\"uniform\": [0, 0.5]},\n"
    "    \"q:joint1\": {\"normal\": [0, 0.3]}}}' > load.json\n"
    "  jounce sweep double_pendulum load.json --report load.html --text\n";

const char cli_elastic_help[] =
    "usage: jounce elastic MODEL TRAJ --stiffness K --motor-inertia B [options]\n\n"
    "Motor positions and motor torques that move a robot with elastic joints along a trajectory:\n"
    "theta = q + tau/K, tau_m = B theta'' + tau with theta'' from the second derivative of the\n"
    "joint torque. Then links and motors are simulated under tau_m, open loop, and the deviation\n"
    "from the trajectory is shown. Spherical and free joints and the base are rigid.\n"
    "Columns: 't', q, \"theta:elbow\", \"theta:elbow'\", \"tau:elbow\" (the spring's),\n"
    "\"tau_m:elbow\" (the motor's).\n\n"
    "  --stiffness K          N m/rad; one number, or one for each joint: 8000,8000,4000\n"
    "  --motor-inertia B      kg m^2 at the joint; likewise\n"
    "  --deviation E          exit status 3 if the simulation leaves the trajectory by more; default\n"
    "                         1e-6. An unstable motion amplifies rounding errors\n"
    "  --no-simulation        skip the simulation\n\n"
    HELP_PATH
    "  --samples N            rows of the table, evenly spaced in time; default 201\n"
    HELP_PATH_END
    "  --format NAME          json, csv, npy, npz or text (extrema of every column);\n"
    "                         default: text on a terminal, else json\n\n"
    "example:\n"
    "  echo '{\"kind\": \"minimum\", \"derivative\": 5, \"times\": [0, 1.5],\n"
    "    \"joints\": {\"joint1\": [0, 1], \"joint2\": [0, -0.5]}}' > reach.json\n"
    "  jounce elastic double_pendulum reach.json --stiffness 500,200 --motor-inertia 0.1 --text\n";

const char cli_generate_help[] =
    "usage: jounce generate MODEL --output FOLDER --id ORDERS | --fd ORDERS | ... [options]\n\n"
    "Writes standalone C for one robot into FOLDER, which is made if it does not exist: NAME.c,\n"
    "NAME.h, NAME_test.c (compares with results of this program) and CMakeLists.txt. The code is\n"
    "the library's own core with the robot's constants and a fixed order: no dependencies, no\n"
    "allocation, no branches on values, the same work for every state. docs/generate.md.\n\n"
    "  --output FOLDER        where the files are written\n"
    "  --id ORDERS            inverse dynamics: 2, or 0,2, or 0-5: the functions NAME_id2, ...\n"
    "  --fd ORDERS            forward dynamics, orders 0 to 5: NAME_fd0, ...\n"
    "  --kinematics ORDERS    poses of all links and their twists, orders 0 to 5: NAME_kin0, ...\n"
    "  --partials ORDERS      derivatives of inverse dynamics by q, v, v', ..., orders 0 to 3:\n"
    "                         NAME_did0, ...; one state per call\n"
    "  --forward-partials ORDERS  the same of forward dynamics, by q, v and tau: NAME_dfd0, ...\n"
    "  --mass                 mass matrix: NAME_mass\n"
    "  --scalar NAME          double (default), or float: for processors without double precision\n"
    "  --signature NAME       plain (default), casadi: what CasADi's external() loads, or acados:\n"
    "                         its external functions of the CasADi kind\n"
    "  --lanes N              1 (default), 4 or 8 states in a call, number i of state l at i N + l\n"
    "  --name NAME            a C identifier; default: from the model's name\n"
    "  --representation NAME  of twists and wrenches of free joints: spatial (default), body,\n"
    "                         hybrid or mixed\n"
    "  --gravity X,Y,Z        instead of the model's\n"
    "  --damping              joint forces include damping\n\n"
    HELP_MODEL
    "\nexample:\n"
    "  jounce generate tilthex --id 0,2 --fd 0 --representation body --output tilthex_c\n"
    "  cc -O2 -o tilthex_test tilthex_c/tilthex.c tilthex_c/tilthex_test.c -lm && ./tilthex_test\n";

const char cli_check_help[] =
    "usage: jounce check MODEL [options]\n\n"
    "Identities that must hold for any model, at random states: the largest residual of each,\n"
    "relative to the largest number of that order and to the moment of the weights about the base\n"
    "(M' = C + C^T: to |M| |v|). Exit status 3 if one exceeds its bound. With constraints also: the\n"
    "derivatives of the closure vanish, constraint forces do no work, forward undoes inverse dynamics.\n\n"
    "  --fixed, --floating, --inertia NAME, --lock, --armature, --open, --lenient, --independent,\n"
    "  --package-path, -q   as for the other commands\n"
    "  --order R            highest order of the time derivative, 1 to 64, default 3\n"
    "  --states N           number of random states, default 20\n"
    "  --seed S             seed of the random numbers, default 1\n"
    "  --format json|csv|text, --text, --output FILE\n\n"
    "example:\n"
    "  jounce check tilthex --order 2 --text\n";

const char cli_bench_help[] =
    "usage: jounce bench [MODEL ...] [options]\n\n"
    "Measures the time of a call in nanoseconds, all in one run: the median of many short rounds and\n"
    "the spread from the fastest round to the median. Batch times are per state, on one thread.\n"
    "Single calls: inverse, forward, hybrid (motion given for every second joint, force for the\n"
    "others), kinematics, mass_matrix, inverse_mass, linearise, inverse_partials, forward_partials\n"
    "(by q and v) and forward_by_tau (also by tau). Batch: inverse, forward and hybrid. With a\n"
    "floating base each is measured in the body representation and in the default one, spatial. With\n"
    "constraints also constrained_inverse, constrained_forward, constrained_columns (M^-1 times a\n"
    "column for every row) and their partial derivatives; the others are those of the open tree.\n"
    "Modes ad_taylor and ad_dual: automatic differentiation of order 0, by Taylor numbers and by\n"
    "nested duals. step: a millisecond of simulation, load: native JSON in memory to a model,\n"
    "fit: a motion through 10000 samples. At order 1 retime: the fastest timing of a path, its\n"
    "mode is the number of intervals.\n"
    "`calibration` is the time of 200 plain products of 6x6 matrices, to compare machines. The\n"
    "columns :form, :rep, :single and :order0 are ratios to the body formulation, to the body\n"
    "representation, to the single call and to order 0; :single of retime is an interval relative\n"
    "to an inverse dynamics.\n\n"
    "  --fixed, --floating, --inertia NAME, --lock, --armature, --open, --lenient, --independent,\n"
    "  --package-path, -q   as for the other commands\n"
    "  --orders A-B         orders of the time derivative, at most 64; default 0-5\n"
    "  --only NAME          one algorithm\n"
    "  --seconds S          time for one measurement, at most 60; default 0.05\n"
    "  --count              also count the instructions of a call by single-stepping (Linux, x86-64;\n"
    "                       single calls up to mass_matrix)\n"
    "  --generated          also the code of `jounce generate`, compiled by ${CC:-cc} -march=native:\n"
    "                       modes generated, and lanes (8 states side by side)\n"
    "  --against FILE.json  compare with an earlier run: ratios of this time to that one\n"
    "  --figure FOLDER      write the table and a figure of the first model: time against order\n"
    "  --json               a list of {model, algorithm, formulation, representation, mode, order,\n"
    "                       bodies, ns, spread_ns, calibration_ns, instructions, before_ns}\n"
    "  --format json|csv|text, --output FILE\n\n"
    "Without MODEL: tilthex, tilthex:5x20, tilthex:5x199, arm7, quadruped, humanoid.\n"
    "JOUNCE_ISA=plain|avx2|avx512 in the environment forces an instruction set.\n\n"
    "example:\n"
    "  jounce bench tilthex --orders 0-1 --seconds 0.002 --format json --output before.json\n"
    "  jounce bench tilthex --orders 0-1 --seconds 0.002 --against before.json\n";
