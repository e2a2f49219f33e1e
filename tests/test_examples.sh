#!/bin/sh
# Compiles and runs every examples/*.c and the C block of README.md against BUILD_DIR/libjounce.a, and runs
# the console blocks of README.md: what they print must be what the page shows.
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
libs="-lexpat -ljansson ${private:--lm}"
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

# the blocks of README.md, numbered by kind: block-c-1, block-console-1, block-text-1, ...
awk -v at="$work/block-" '
  /^```/ { if (file) { close(file); file = "" }
           else { kind = substr($0, 4); if (kind == "") kind = "plain"; file = at kind "-" ++n[kind] }
           next }
  file { print > file }' "$source/README.md"

# the first C block prints the first text block
cp "$work/block-c-1" "$work/readme.c"
build_and_run readme "$work/readme.c"
if ! diff "$work/block-text-1" "$work/readme.out"; then
  echo "FAILED: the C example of README.md prints something else"
  failed=1
fi

# console blocks: a line "$ command" (continued by a backslash) and then its output
if [ -x "$build/jounce" ]; then
  PATH=$build:$PATH
  export PATH
  for block in "$work"/block-console-*; do
    awk '/^\$ / { sub(/^\$ /, ""); on = 1 } on { print; on = /\\$/ }' "$block" >"$block.sh"
    awk '/^\$ / { on = 1 } on { on = /\\$/; next } { print }' "$block" >"$block.want"
    name=README:$(sed -n 1p "$block.sh" | cut -c 1-60)
    if (cd "$source" && sh -e "$block.sh" >"$block.got" 2>&1) && diff "$block.want" "$block.got"; then
      echo "ok  $name"
    else
      echo "FAILED: $name"
      failed=1
    fi
  done
fi
exit $failed
