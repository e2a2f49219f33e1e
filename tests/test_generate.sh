#!/bin/sh
# Generated code compiles without warnings, has the library's strict bits in plain C (gcc, clang where it is) and agrees
# to 1e-13 otherwise, for every joint type; it is C++ too; a fault in the core's text appears in it.
# usage: sh test_generate.sh SOURCE_DIR BUILD_DIR
. "$1/tests/helpers/head.sh"
warnings="-Wall -Wextra -Werror -Wno-psabi"
x86=
case $(uname -m) in x86_64) x86=1 ;; esac

# fixed base, branches, rotated frames, a free joint inside the tree, armature and damping
cat >mix.json <<'EOF'
{"name": "mix", "gravity": [0.5, -1, -9.5], "bodies": [
 {"name": "base", "joint": {"name": "root", "type": "fixed"}, "home": {"quat": [0.8, 0.6, 0, 0], "p": [1, 2, 3]}, "mass": 2},
 {"name": "a", "parent": "base", "joint": {"name": "a", "type": "revolute", "axis": [1, 2, 3], "point": [0.1, 0.2, 0.3], "armature": 0.3, "damping": 0.7},
  "home": {"quat": [0.6, 0, 0.8, 0], "p": [0.2, 0.1, 0.4]}, "mass": 1.5, "inertia": [[0.04, 0.001, 0.002], [0.001, 0.05, -0.003], [0.002, -0.003, 0.03]]},
 {"name": "b", "parent": "a", "joint": {"name": "b", "type": "helical", "axis": [0, 1, 1], "point": [0.3, 0, 0.1], "pitch": 0.05},
  "home": {"p": [0.4, 0.1, 0.2]}, "mass": 0.7, "inertia": [[0.01, 0, 0], [0, 0.02, 0], [0, 0, 0.015]]},
 {"name": "c", "parent": "a", "joint": {"name": "c", "type": "spherical", "point": [-0.1, 0.2, 0]},
  "home": {"quat": [0, 0.6, 0, 0.8], "p": [-0.2, 0.3, 0.1]}, "mass": 0.6, "inertia": [[0.01, 0.001, 0], [0.001, 0.02, 0], [0, 0, 0.015]]},
 {"name": "d", "parent": "c", "joint": {"name": "d", "type": "prismatic", "axis": [0, 0, 1], "damping": 0.2},
  "home": {"p": [-0.3, 0.4, 0.1]}, "mass": 0.4, "inertia": [[0.01, 0, 0], [0, 0.01, 0], [0, 0, 0.01]]},
 {"name": "e", "parent": "c", "joint": {"name": "e", "type": "free"},
  "home": {"quat": [0.6, 0, 0, 0.8], "p": [0, 0.5, 0.2]}, "mass": 0.9, "inertia": [[0.02, 0, 0.001], [0, 0.01, 0], [0.001, 0, 0.02]]},
 {"name": "f", "parent": "e", "joint": {"name": "f", "type": "universal", "axes": [[1, 0, 0], [0, 1, 0]], "point": [0, 0.6, 0.2]},
  "home": {"p": [0.1, 0.6, 0.2]}, "mass": 0.3, "inertia": [[0.01, 0, 0], [0, 0.01, 0], [0, 0, 0.01]]},
 {"name": "g", "parent": "base", "joint": {"name": "g", "type": "planar", "axis": [0, 1, 0]},
  "home": {"p": [1, 1, 1]}, "mass": 1.1, "inertia": [[0.03, 0, 0], [0, 0.02, 0], [0, 0, 0.04]]},
 {"name": "h", "parent": "g", "joint": {"name": "h", "type": "cylindrical", "axis": [1, 0, 0], "point": [1, 1, 1]},
  "home": {"p": [1.2, 1, 1.1]}, "mass": 0.5, "inertia": [[0.01, 0, 0], [0, 0.02, 0], [0, 0, 0.02]]}]}
EOF

# a floating base; frames that do not move, of the base and of another link
cat >float.xml <<'EOF'
<mujoco model="float"><worldbody>
 <site name="dock" pos="3 2 1" quat="0.6 0.8 0 0"/>
 <body name="hull" pos="1 2 3" quat="0.8 0.6 0 0"><freejoint name="hull"/>
  <inertial pos="0.1 0.2 0.05" mass="2" fullinertia="0.04 0.05 0.03 0.001 0.002 -0.003"/>
  <site name="mast" pos="0 0 1"/>
  <body name="rod" pos="0.4 0.1 0.2"><joint name="swing" type="hinge" axis="0 1 1"/>
   <inertial pos="0 0 0" mass="0.7" diaginertia="0.01 0.02 0.015"/><site name="tip" pos="0 0 0.5"/></body>
 </body>
</worldbody></mujoco>
EOF

# check FOLDER NAME COMPILER FLAGS...: compiles without warnings, runs the test
check() {
  folder=$1 name=$2
  shift 2
  # shellcheck disable=SC2086
  "$@" $warnings -o "$folder/test" "$folder/$name.c" "$folder/${name}_test.c" -lm || fail "$folder: $*"
  "$folder/test" >"$folder/out" || { cat "$folder/out"; fail "$folder: $* does not agree"; }
  echo "ok  $folder, $*"
}
strict="-O1 -ffp-contract=off -DSTRICT"
clang=
command -v clang >/dev/null && clang=clang

"$build/jounce" generate mix.json --id 3 --fd 1 --mass --kinematics 2 --damping --output mix -q
for r in body mixed; do
  "$build/jounce" generate mix.json --kinematics 1 --representation $r --output "mix_$r" -q
done
"$build/jounce" generate "$source/tests/data/odd/all_joint_types.json" --id 2 --fd 0 --lanes 4 --representation hybrid \
  --gravity 1,2,3 --output all -q
"$build/jounce" generate humanoid --id 1 --representation mixed --output humanoid -q
"$build/jounce" generate tilthex --id 2 --fd 0 --representation body --output tilthex -q
"$build/jounce" generate double_pendulum --id 0,4 --fd 1 --lanes 8 --name two --output two -q
"$build/jounce" generate mix.json --id 1 --mass --kinematics 0 --scalar float --output single -q
"$build/jounce" generate double_pendulum --id 0 --fd 0 --mass --kinematics 0 --lanes 4 --scalar float --name two --output single4 -q
"$build/jounce" generate mix.json --id 1 --mass --signature casadi --output casadi -q
# shellcheck disable=SC2086
check mix mix gcc $strict
for r in body mixed; do
  # shellcheck disable=SC2086
  check mix_$r mix gcc $strict
done
"$build/jounce" generate float.xml --kinematics 2 --output float -q
"$build/jounce" generate double_pendulum --fd 4 --lanes 4 --name two --output fd4 -q # in functions of their own
# every frame moves as the base, or not at all
"$build/jounce" generate "$source/tests/data/odd/world_link.urdf" --kinematics 1 --name world --output world -q
for one in "float float" "fd4 two" "world world"; do
  # shellcheck disable=SC2086
  check $one gcc $strict
  [ "$(grep -c 'equal bits' "${one% *}/out")" = "$(wc -l <"${one% *}/out")" ] || fail "$one: other bits"
done
# derivatives: every joint type, fixed and floating base, all representations
"$build/jounce" generate mix.json --partials 0,2 --damping --output partials -q
"$build/jounce" generate mix.json --partials 1 --id 0 --mass --scalar float --output partials_single -q
"$build/jounce" generate tilthex --partials 0,3 --representation mixed --output partials_free -q
"$build/jounce" generate "$source/tests/data/odd/all_joint_types.json" --partials 1 --representation hybrid --output partials_all -q
# derivatives of forward dynamics, along with those of inverse dynamics and alone
"$build/jounce" generate mix.json --forward-partials 0,2 --partials 0 --damping --output forward -q
"$build/jounce" generate tilthex --forward-partials 1 --fd 1 --representation mixed --output forward_free -q
"$build/jounce" generate "$source/tests/data/odd/all_joint_types.json" --forward-partials 1 --representation hybrid --output forward_all -q
"$build/jounce" generate double_pendulum --forward-partials 0 --scalar float --name two --output forward_single -q
for one in "forward mix" "forward_free tilthex" "forward_all all"; do
  # shellcheck disable=SC2086
  check $one gcc $strict
done
[ "$(grep -c 'dfd. .*equal bits' forward/out)" = 6 ] || fail "derivatives of forward dynamics have other bits"
check forward mix "${clang:-gcc}" -O1
check forward_single two gcc -O1 -Wdouble-promotion
# shellcheck disable=SC2086
check partials mix gcc $strict
grep -q 'did2 dv .*equal bits' partials/out || fail "derivatives have other bits"
check partials_single mix gcc -O1 -Wdouble-promotion
# shellcheck disable=SC2086
check partials_all all gcc $strict
check partials_free tilthex "${clang:-gcc}" -O2
check single mix gcc -O1 -Wdouble-promotion
check single4 two gcc -O1 -Wdouble-promotion
# shellcheck disable=SC2086
check casadi mix gcc $strict
# shellcheck disable=SC2086
check all all gcc $strict
# shellcheck disable=SC2086
check humanoid humanoid gcc $strict
# shellcheck disable=SC2086
check two two gcc $strict
if [ -n "$x86" ] && grep -q fma /proc/cpuinfo; then
  check tilthex tilthex gcc -O1 -mavx2 -mfma
fi
if [ -n "$clang" ]; then
  # shellcheck disable=SC2086
  check two two clang $strict
fi
# the options of CMakeLists.txt: other formulations of the same text, and no products with zero
fast="-ffinite-math-only -fno-signed-zeros -fno-tree-vectorize -fno-tree-slp-vectorize -ffp-contract=fast"
grep -q -- '-O3 .*-ffinite-math-only' mix/CMakeLists.txt || fail "CMakeLists.txt has other options"
for one in "mix mix" "all all" "partials mix"; do
  # shellcheck disable=SC2086
  check $one gcc -O1 $fast
done
for c in gcc $clang; do
  # shellcheck disable=SC2086
  check two two $c -O1 $fast
  # shellcheck disable=SC2086
  check tilthex tilthex $c -O1 $fast
done
# what is not finite is found even where no result depends on it
"$build/jounce" generate tilthex --id 0,3 --fd 0,1 --gravity 0,0,0 --representation body --name free --output free -q
cat >refuse.c <<'EOF'
#include "free.h"
static double q[free_NQ] = {1}, v[6 * free_NV], tau[4 * free_NV], out[4 * free_NV];
static int all(void) {
  return (free_id0(q, v, out) != 0) + (free_id3(q, v, out) != 0) + (free_fd0(q, v, tau, out) != 0) +
         (free_fd1(q, v, tau, out) != 0);
}
int main(void) {
  volatile double nothing = 0, infinite = 1 / nothing;
  if (all() != 0) return 1;
  q[0] = 0;
  if (all() != 4) return 2; /* no quaternion */
  q[0] = infinite;
  if (all() != 4) return 3;
  q[0] = 1, q[9] = 2e6;
  if (all() != 4) return 4; /* an angle too large */
  q[9] = 0, q[5] = infinite - infinite;
  if (all() != 4) return 5; /* a position */
  q[5] = 0, v[7] = infinite;
  if (all() != 4) return 6;
  v[7] = 1e200;
  if (all() != 4) return 7; /* overflow on the way */
  v[7] = 0, tau[2] = -infinite;
  return all() == 2 ? 0 : 8;
}
EOF
for c in gcc $clang; do
  for flags in "-O1" "-O2 $fast"; do
    # shellcheck disable=SC2086
    $c $flags -Wno-psabi -Ifree -o refuse refuse.c free/free.c -lm
    ./refuse || fail "$c $flags: what is not finite is not refused: $?"
  done
done
echo "ok  what is not finite"
# mimic joints that are eliminated: before and behind their leaders, on one path and on two branches
cat >gripper.json <<'EOF'
{"name": "gripper", "bodies": [
 {"name": "base", "joint": {"name": "root", "type": "fixed"}},
 {"name": "palm", "parent": "base", "joint": {"name": "wrist", "type": "revolute", "axis": [0, 1, 0]},
  "home": {"quat": [0.8, 0.6, 0, 0], "p": [0.1, 0, 0.2]}, "mass": 0.5, "inertia": [[0.004, 0.0001, 0], [0.0001, 0.003, 0], [0, 0, 0.004]]},
 {"name": "two", "parent": "palm", "joint": {"name": "right", "type": "prismatic", "axis": [-1, 0, 0], "damping": 0.4, "armature": 0.07,
   "mimic": {"joint": "left", "multiplier": -1.3, "offset": 0.05}},
  "home": {"p": [-0.1, 0.2, 0.1]}, "mass": 0.2, "inertia": [[0.001, 0, 0], [0, 0.001, 0], [0, 0, 0.001]]},
 {"name": "tip", "parent": "two", "joint": {"name": "knuckle", "type": "helical", "axis": [0, 1, 1], "pitch": 0.02,
   "mimic": {"joint": "wrist", "multiplier": 0.7}},
  "home": {"p": [-0.2, 0.2, 0.3]}, "mass": 0.1, "inertia": [[0.0002, 0, 0], [0, 0.0003, 0], [0, 0, 0.0002]]},
 {"name": "one", "parent": "palm", "joint": {"name": "left", "type": "prismatic", "axis": [1, 0, 0]},
  "home": {"p": [0.1, 0.2, 0.1]}, "mass": 0.3, "inertia": [[0.001, 0, 0], [0, 0.001, 0], [0, 0, 0.001]]}]}
EOF
"$build/jounce" generate gripper.json --id 0,5 --fd 0,2 --mass --kinematics 1 --damping --output grip -q
"$build/jounce" generate gripper.json --floating --id 2 --fd 1 --lanes 4 --representation spatial --output floating -q
# shellcheck disable=SC2086
check grip gripper gcc $strict
[ "$(grep -c 'equal bits' grip/out)" = 7 ] || fail "mimic joints: other bits than the library's"
check floating gripper gcc -O1
# one operation alone: only what it needs is in the text
for one in --mass "--kinematics 1" "--fd 0"; do
  # shellcheck disable=SC2086
  "$build/jounce" generate gripper.json $one --output alone -q
  # shellcheck disable=SC2086
  check alone gripper gcc $strict
  grep -q 'equal bits' alone/out || fail "mimic joints, $one: other bits than the library's"
done
"$build/jounce" generate gripper.json --mass --fd 0 --scalar float --output alone -q
check alone gripper gcc -O1 -Wdouble-promotion
grep -q 'define gripper_NV 2 ' grip/gripper.h || fail "nv is not that of the joints that lead"
grep -q 'right .*q = 0.05.* -1.3 q of left' grip/gripper.h || fail "the header does not say what a joint follows"
# the ratio counts: with another one every operation disagrees
mkdir wrong
cp grip/gripper.h grip/gripper_test.c wrong
sed 's/, -1.3, 0.05/, -1.3001, 0.05/' grip/gripper.c >wrong/gripper.c
cmp -s grip/gripper.c wrong/gripper.c && fail "the ratio is not in the text"
gcc -O1 -Wno-psabi -o wrong/test wrong/gripper.c wrong/gripper_test.c -lm
if wrong/test >wrong/out; then fail "a wrong ratio does not appear"; fi
[ "$(grep -c FAILED wrong/out)" = 7 ] || fail "a wrong ratio does not appear in every operation"
g++ -std=c++17 -fsyntax-only -x c++ -Wall -Wextra -Werror grip/gripper.c || fail "the text with mimic joints is not C++"
echo "ok  mimic joints"
g++ -std=c++17 -fsyntax-only -x c++ -Wall -Wextra -Werror mix/mix.c || fail "the text is not C++"
echo "ok  C++"
# the same files again
"$build/jounce" generate humanoid --id 1 --representation mixed --output again -q
cmp humanoid/humanoid.c again/humanoid.c && cmp humanoid/humanoid_test.c again/humanoid_test.c || fail "not reproducible"
# arrays of a pendulum at order 0, by hand: 36 numbers of the state (q, 8 rows, 3 of the sine, 24 of frames), 4 + 12 x 4 of the
# joint's transforms, 3 twists of 8, a vector of gravity and 2 x 5 vectors of the transform to the parent: 156 doubles
"$build/jounce" generate pendulum --id 0 --output stack -q
grep -q 'arrays of up to 1248 bytes on the stack' stack/pendulum.h || fail "the size of the arrays on the stack"
# nothing but arithmetic: no calls to the outside
gcc -O1 -Wno-psabi -c -o two/two.o two/two.c
if nm -u two/two.o | grep -vE 'memcpy|memset|_GLOBAL_OFFSET_TABLE_|__stack_chk_fail'; then fail "two.o calls something"; fi

# what CasADi's external() calls of a shared library, in its order; arguments and results that are not given are NULL
cat >load.c <<'EOF'
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
typedef int call(const double **, double **, long long *, double *, int);
int main(int argc, char **argv) {
  void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
  if (!library) return 1;
  void (*const incref)(void) = (void (*)(void))dlsym(library, "mix_mass_incref");
  long long (*const n_in)(void) = (long long (*)(void))dlsym(library, "mix_mass_n_in"),
            (*const n_out)(void) = (long long (*)(void))dlsym(library, "mix_id1_n_out");
  const char *(*const name_in)(long long) = (const char *(*)(long long))dlsym(library, "mix_id1_name_in");
  const long long *(*const shape)(long long) = (const long long *(*)(long long))dlsym(library, "mix_id1_sparsity_in");
  int (*const work)(long long *, long long *, long long *, long long *) =
      (int (*)(long long *, long long *, long long *, long long *))dlsym(library, "mix_id1_work");
  call *const id = (call *)dlsym(library, "mix_id1");
  if (!incref || !n_in || !n_out || !name_in || !shape || !work || !id) return 2;
  incref();
  long long args, results, integers, numbers;
  if (work(&args, &results, &integers, &numbers) || args < 2 || results < 1) return 3;
  if (n_in() != 1 || n_out() != 1 || name_in(1)[0] != 'v' || name_in(1)[1] || name_in(2)) return 4;
  const long long *v = shape(1); /* a dense nv x 3 */
  if (v[1] != 3 || v[2] != 1 || shape(2)) return 5;
  const int nv = (int)v[0], nq = (int)shape(0)[0];
  double q[100] = {0}, tau[200], w[200];
  if (nq > 100 || 2 * nv > 200 || numbers > 200) return 6;
  const double *arg[2] = {q, NULL};
  double *res[1] = {tau}, *none[1] = {NULL};
  if (!id(arg, res, NULL, w, 0)) return 7; /* quaternions of zero */
  for (int i = 0; i < nq; i++) q[i] = 0.5;
  if (id(arg, res, NULL, w, 0) || id(arg, none, NULL, w, 0)) return 8;
  double largest = 0;
  for (int i = 0; i < 2 * nv; i++) largest = fmax(largest, fabs(tau[i]));
  return largest > 1 && largest < 1e3 ? 0 : 9; /* weights */
}
EOF
gcc -O1 -Wno-psabi -shared -fPIC -o casadi.so casadi/mix.c
gcc -O1 -Wall -Wextra -Werror -o load load.c -ldl -lm
./load ./casadi.so || fail "the interface of CasADi"
echo "ok  interface of CasADi"

# what acados calls (external_function_casadi in its external_function_generic.h): sizes, then the call
cat >acados.c <<'EOF'
#include <math.h>
#include <stdlib.h>
#include "mix.h"
typedef struct external_function {
  int (*casadi_fun)(const double **, double **, int *, double *, void *);
  int (*casadi_work)(int *, int *, int *, int *);
  const int *(*casadi_sparsity_in)(int);
  const int *(*casadi_sparsity_out)(int);
  int (*casadi_n_in)(void);
  int (*casadi_n_out)(void);
} external_function;
static int size_of(const int *shape) { return shape && shape[2] ? shape[0] * shape[1] : 0; }
int main(void) {
  const external_function id = {mix_id1, mix_id1_work, mix_id1_sparsity_in, mix_id1_sparsity_out, mix_id1_n_in, mix_id1_n_out},
                          did = {mix_did0, mix_did0_work, mix_did0_sparsity_in, mix_did0_sparsity_out, mix_did0_n_in, mix_did0_n_out};
  const external_function *const all[] = {&id, &did};
  double *res[2][2];
  for (int f = 0; f < 2; f++) {
    int args, results, integers, numbers;
    if (all[f]->casadi_work(&args, &results, &integers, &numbers)) return 1;
    if (all[f]->casadi_n_in() != 2 || all[f]->casadi_n_out() != f + 1 || args < 2 || results < f + 1) return 2;
    double *arg[2], *w = malloc(sizeof *w * (size_t)(numbers + 1));
    for (int i = 0; i < 2; i++) {
      const int n = size_of(all[f]->casadi_sparsity_in(i));
      if (n != (i ? mix_NV * (f ? 2 : 3) : mix_NQ)) return 3;
      arg[i] = calloc((size_t)n, sizeof **arg);
      for (int j = 0; j < n; j++) arg[i][j] = i ? 0.1 * (j % mix_NV) : 0.5; /* v'' = v' = v */
    }
    for (int i = 0; i <= f; i++)
      res[f][i] = calloc((size_t)size_of(all[f]->casadi_sparsity_out(i)), sizeof ***res);
    if (all[f]->casadi_fun((const double **)arg, res[f], NULL, w, NULL)) return 4;
    free(arg[0]), free(arg[1]), free(w);
  }
  /* tau' = d tau/d q v + d tau/d v v' + M v'' */
  double worst = 0, most = 0;
  for (int i = 0; i < mix_NV; i++) {
    double rate = 0;
    for (int j = 0; j < mix_NV; j++) {
      const int at = i * mix_NV + j;
      rate += (res[1][0][at] + res[1][1][at] + res[1][1][mix_NV * mix_NV + at]) * 0.1 * j;
    }
    worst = fmax(worst, fabs(rate - res[0][0][mix_NV + i]));
    most = fmax(most, fabs(rate));
  }
  for (int f = 0; f < 2; f++)
    for (int i = 0; i <= f; i++) free(res[f][i]);
  return most > 1 && worst < 1e-12 * most ? 0 : 5;
}
EOF
"$build/jounce" generate mix.json --id 1 --partials 0 --signature acados --representation body --output acados -q
# shellcheck disable=SC2086
check acados mix gcc $strict
gcc -O1 -Wall -Wextra -Werror -Wno-psabi -Iacados -o acados/call acados.c acados/mix.c -lm
acados/call || fail "the interface of acados: $?"
echo "ok  interface of acados"

# a fault in the core's text appears in the generated code
mkdir fault
"$build/tests/generate_fault" fault || fail "generate_fault"
for flags in "-O1" "$strict"; do
  # shellcheck disable=SC2086
  gcc $flags -Wno-psabi -o fault/test fault/fault.c fault/fault_test.c -lm
  if fault/test >fault/out; then fail "the fault in the core does not appear"; fi
  grep -q '^id0.*FAILED' fault/out || fail "the fault in the core does not appear in id0"
done
mkdir fault_partials
"$build/tests/generate_partials_fault" fault_partials || fail "generate_partials_fault"
gcc -O1 -Wno-psabi -o fault_partials/test fault_partials/fault.c fault_partials/fault_test.c -lm
if fault_partials/test >fault_partials/out; then fail "the fault in the text of the derivatives does not appear"; fi
grep -q 'dfd0 .*FAILED' fault_partials/out || fail "the fault in the text of the derivatives is not in dfd0"
grep -q 'did0 .*FAILED' fault_partials/out || fail "the fault in the text of the derivatives is not in did0"
if grep -qE '^(id|fd)0 .*FAILED' fault_partials/out; then fail "the fault of the derivatives is in id0 or fd0"; fi
echo "ok  a fault in the core's text appears"

# names of a model end no comment and are no code
cat >evil.json <<'EOF'
{"name": "x*/ int evil; /* \\ \n#include \"/etc/passwd\" // ??/", "bodies": [{"name": "b*/ int evil;\r", "mass": 1, "home": {"p": [1, 0, 0]},
  "joint": {"name": "j*/ int evil; /*\n#error evil ??/", "type": "revolute", "axis": [0, 1, 0], "point": [0, 0, 0]}}]}
EOF
"$build/jounce" generate evil.json --id 0 --output evil -q
# shellcheck disable=SC2086
for file in evil/*.c; do gcc -std=c11 $warnings -Wno-error=unused-function -O1 -Ievil -c -o evil.o "$file" || fail "a name is code"; done
if nm evil.o | grep -w evil; then fail "a name is code"; fi
[ "$(ls evil | wc -l)" = 4 ] || fail "files of evil: $(ls evil)"
if ls evil | grep -q '[^A-Za-z0-9_.]'; then fail "a name of a file: $(ls evil)"; fi
echo "ok  names"

# refusals
refuse() {
  message=$1
  shift
  if "$build/jounce" generate "$@" 2>err; then fail "accepted: $*"; fi
  grep -qF -e "$message" err || { cat err; fail "message of: $*"; }
}
refuse 'nothing to generate' pendulum --output x
refuse '--output FOLDER' pendulum --id 0
refuse 'orders from 0 to 5' pendulum --id 6 --output x
refuse 'orders from 0 to 5' pendulum --fd 0-6 --output x
refuse 'orders from 0 to 5' pendulum --kinematics 6 --output x
refuse 'one lane and double precision' pendulum --id 0 --signature casadi --lanes 4 --output x
refuse 'one lane and double precision' pendulum --id 0 --signature casadi --scalar float --output x
refuse 'one lane and double precision' pendulum --id 0 --signature acados --lanes 4 --output x
refuse 'orders from 0 to 3' pendulum --partials 4 --output x
refuse 'of one state' pendulum --partials 0 --lanes 4 --output x
refuse 'without mimic joints' gripper.json --partials 0 --output x
refuse 'without mimic joints' gripper.json --forward-partials 0 --output x
refuse 'orders from 0 to 3' pendulum --forward-partials 0-4 --output x
refuse 'of one state' pendulum --forward-partials 0 --lanes 8 --output x
refuse 'half' pendulum --id 0 --scalar half --output x
refuse 'not a C identifier' pendulum --id 0 --name 3x --output x
refuse 'constraints' fourbar --id 0 --output x
[ ! -e x ] || fail "a refused call left a folder"
echo "ok  refusals"
