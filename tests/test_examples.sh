#!/bin/sh
# Compiles and runs every examples/*.c against BUILD_DIR/libjounce.a.
# usage: sh test_examples.sh SOURCE_DIR BUILD_DIR
set -eu
source=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
cache=$build/CMakeCache.txt

if grep -q '^JOUNCE_SANITIZE:BOOL=\(ON\|1\|TRUE\)$' "$cache" 2>/dev/null; then
  echo "skipped: a sanitizer build needs its own flags and runtime"
  exit 0
fi
if [ ! -f "$build/libjounce.a" ]; then
  echo "no $build/libjounce.a: build first" >&2
  exit 1
fi
cc=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$cache" 2>/dev/null || true)
cc=${CC:-${cc:-cc}}
private=$(sed -n 's/^Libs.private: *//p' "$build/jounce.pc" 2>/dev/null || true)
libs="-lexpat -ljansson -lyaml ${private:--lm}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# build_and_run NAME FILE: the output goes to $work/NAME.out
build_and_run() {
  # shellcheck disable=SC2086
  if ! "$cc" -std=c11 -Wall -Wextra -Wshadow -Werror -O2 -I"$source/include" "$2" -o "$work/$1" \
    "$build/libjounce.a" $libs; then
    echo "FAILED to compile: $1"
    failed=1
    return
  fi
  if (cd "$work" && "./$1" >"$1.out" 2>&1); then
    echo "ok  $1"
  else
    echo "FAILED: $1"
    failed=1
  fi
  sed 's/^/      /' "$work/$1.out"
}

for file in "$source"/examples/*.c; do
  build_and_run "$(basename "$file" .c)" "$file"
done

exit $failed
