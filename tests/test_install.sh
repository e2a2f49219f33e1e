#!/bin/sh
# Installs into a temporary folder, then builds and runs programs against the installed library: by
# CMake's find_package and by pkg-config, shared and static; every header alone as C and C++.
# usage: test_install.sh SOURCE_DIR BUILD_DIR
set -eu
build=$2
cc=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
cc=${cc:-cc}

if grep -q '^JOUNCE_SANITIZE:BOOL=\(ON\|1\|TRUE\)' "$build/CMakeCache.txt"; then
  echo "skipped: a library with sanitizers needs their runtime in every program"
  exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
prefix=$work/prefix
cmake --install "$build" --prefix "$prefix" > "$work/install.log" 2>&1 || { cat "$work/install.log"; exit 1; }
libdir=$(dirname "$(find "$prefix" -name libjounce.a)")
[ -d "$libdir" ] || { echo "libjounce.a is not installed" >&2; exit 1; }

cat > "$work/main.c" <<'EOF'
#include <jounce/jounce.h>
#include <stdio.h>
#include <string.h>

/* a pendulum of 2 kg at 0.5 m, horizontal: the torque is m g l */
int main(void) {
  jn_spec *spec;
  jn_model *model;
  jn_data *data;
  jn_error error;
  jn_link_desc link = jn_link_default("bob");
  jn_joint_desc joint = jn_joint_default("hinge", JN_JOINT_REVOLUTE, NULL, "bob");
  double q = 0, v[3] = {0, 0, 0}, tau[2];
  link.mass = 2;
  link.com = jn_v3(0.5, 0, 0);
  joint.axis[0] = jn_v3(0, -1, 0);
  if (strcmp(jn_version(), JN_VERSION) != 0) return 1;
  if (jn_spec_new("pendulum", NULL, &spec) || jn_spec_add_link(spec, &link)) return 2;
  if (jn_spec_add_joint(spec, &joint)) return 3;
  if (jn_model_build(spec, NULL, NULL, &model, &error)) return 4;
  if (jn_data_new(model, 1, NULL, &data)) return 5;
  if (jn_inverse_dynamics(model, data, 1, &q, v, NULL, tau)) return 6;
  printf("tau = %.17g\n", tau[0]);
  jn_data_free(data);
  jn_model_free(model);
  jn_spec_free(spec);
  return tau[0] > 9.8099999999 && tau[0] < 9.8100000001 && tau[1] == 0 ? 0 : 7;
}
EOF

# run NAME PROGRAM
run() {
  if LD_LIBRARY_PATH=$libdir "$2" > "$work/out" 2>&1; then
    echo "$1: $(cat "$work/out")"
  else
    echo "$1: failed with $?" >&2
    cat "$work/out" >&2
    exit 1
  fi
}

# every public header compiles alone, as C99, C11 and C++
for header in "$prefix"/include/jounce/*.h "$prefix"/include/jounce/textbook/*.h; do
  echo "#include <${header#"$prefix/include/"}>" > "$work/alone.c"
  echo "int used(void);" >> "$work/alone.c"
  for standard in c99 c11; do
    "$cc" -std=$standard -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$prefix/include" "$work/alone.c"
  done
  if command -v c++ > /dev/null; then
    cp "$work/alone.c" "$work/alone.cpp"
    c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I"$prefix/include" "$work/alone.cpp"
  fi
done
echo "headers: each compiles alone"

# CMake
mkdir "$work/consumer"
cp "$work/main.c" "$work/consumer/"
cat > "$work/consumer/CMakeLists.txt" <<'EOF'
cmake_minimum_required(VERSION 3.18)
project(consumer LANGUAGES C)
find_package(jounce REQUIRED)
add_executable(with_shared main.c)
target_link_libraries(with_shared PRIVATE jounce::jounce)
add_executable(with_static main.c)
target_link_libraries(with_static PRIVATE jounce::static)
EOF
{
  cmake -S "$work/consumer" -B "$work/consumer/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" &&
    cmake --build "$work/consumer/build"
} > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
run "find_package, shared" "$work/consumer/build/with_shared"
run "find_package, static" "$work/consumer/build/with_static"
if command -v readelf > /dev/null; then
  readelf -d "$work/consumer/build/with_shared" | grep -q 'NEEDED.*libjounce' ||
    { echo "jounce::jounce is not the shared library" >&2; exit 1; }
  if readelf -d "$work/consumer/build/with_static" | grep -q 'NEEDED.*libjounce'; then
    echo "jounce::static is not the static library" >&2
    exit 1
  fi
fi

# pkg-config
if command -v pkg-config > /dev/null; then
  PKG_CONFIG_PATH=$libdir/pkgconfig
  export PKG_CONFIG_PATH
  pc() { pkg-config "$@" jounce; }
  # shellcheck disable=SC2046
  "$cc" "$work/main.c" -o "$work/pc_shared" $(pc --cflags --libs)
  run "pkg-config, shared" "$work/pc_shared"
  # the archive instead of -ljounce, then its dependencies
  flags=$(pc --static --cflags --libs | sed "s|-ljounce|$libdir/libjounce.a|g")
  # shellcheck disable=SC2086
  "$cc" "$work/main.c" -o "$work/pc_static" $flags
  run "pkg-config --static" "$work/pc_static"
  [ "$(pc --modversion)" = "$(sed -n 's/^#define JN_VERSION "\(.*\)"/\1/p' "$prefix/include/jounce/base.h")" ] ||
    { echo "jounce.pc and the headers name different versions" >&2; exit 1; }
else
  echo "pkg-config is not there: its half is skipped"
fi

# the version is the same everywhere
version=$(sed -n 's/^#define JN_VERSION "\(.*\)"/\1/p' "$1/include/jounce/base.h")
grep -q "^version: $version\$" "$1/CITATION.cff" || { echo "CITATION.cff is not for $version" >&2; exit 1; }
sed -n 1p "$1/debian/changelog" | grep -q "($version-" || { echo "debian/changelog is not for $version" >&2; exit 1; }
[ "$("$prefix/bin/jounce" --version)" = "jounce $version" ] || { echo "jounce --version is not $version" >&2; exit 1; }
[ -e "$libdir/libjounce.so.$version" ] || { echo "libjounce.so.$version is not there" >&2; exit 1; }
echo "version $version everywhere"
