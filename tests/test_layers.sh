#!/bin/sh
# The layers hold (tools/layers.py), a planted include breaks them, and every header compiles alone.
#   test_layers.sh SOURCE BUILD
set -eu
source=$1 work=$(mktemp -d) # of its own: two runs may share the build folder
trap 'rm -rf "$work"' EXIT INT TERM
python3 "$source/tools/layers.py" "$source"

# plant FILE LINE: the check must name the file
cp -r "$source/include" "$source/src" "$source/cli" "$work"
mkdir -p "$work/python"
cp -r "$source/python/src" "$work/python/src"
plant() {
  cp "$work/$1" "$work/kept"
  echo "$2" >>"$work/$1"
  if python3 "$source/tools/layers.py" "$work" >"$work/out"; then
    echo "a fault planted in $1 was not found: $2" >&2
    exit 1
  fi
  grep -q "^$1:" "$work/out" || { cat "$work/out" >&2; exit 1; }
  cp "$work/kept" "$work/$1"
}
plant src/base/cpu.c '#include "core/engine.h"'
plant src/model/data.c '#include "core/engine.h"'
plant src/base/elementary.c '#include "scalar/double.h"'
plant src/core/dynamics.c '#include "integrate/simulation.h"'
plant src/core/algebra/inertia.h '#include "core/body/joint.h"'
plant src/core/derivatives/partials.c '#include "core/hybrid/hybrid.h"'
plant src/trajectory/fit.c '#include "io/file.h"'
plant src/inst/batch.c '#include "batch/batch.h"
#include "integrate/simulation.h"'
plant cli/main.c '#include "../src/core/engine.h"'
plant python/src/module.c '#include "../../src/io/file.h"'
plant python/src/model/spec.c '#include "call/job.h"'
plant include/jounce/model.h '#include "../../src/model/model.h"'
plant src/core/jacobian.c 'static const int kind = JN_K_FREE;'
plant src/batch/batch.c '#include <immintrin.h>'

# every header of the library compiles alone, over double
cc=${CC:-cc}
for header in $(cd "$source/src" && find . -name '*.h' | sort); do
  case $header in
  ./scalar/plain.h) continue ;; # over a number that the includer defines
  ./gpu/ptx/prelude.h) continue ;; # CUDA C++, for clang alone
  ./scalar/lanes.h) flags=-mavx2; [ "$(uname -m)" = x86_64 ] || continue ;;
  *) flags= ;;
  esac
  # shellcheck disable=SC2086
  $cc -std=gnu11 -fsyntax-only -Wall -Wextra -Werror -Wno-unused-function -Wno-psabi -Wno-unused-const-variable $flags \
    -I"$source/include" -I"$source/src" -x c "$source/src/$header" || { echo "$header does not compile alone" >&2; exit 1; }
done
