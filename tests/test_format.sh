#!/bin/sh
# The sources are formatted by .clang-format, and a planted line that is not is found.
#   test_format.sh SOURCE BUILD
set -eu
source=$1 work=$2/tests/format
"$source/tools/format" --check "$source"
rm -rf "$work"
mkdir -p "$work/include" "$work/src" "$work/cli" "$work/python/src" "$work/bench" "$work/fuzz" "$work/examples" "$work/tests" "$work/wasm"
cp "$source/.clang-format" "$work"
echo 'int  misplaced( void ) ;' >"$work/src/planted.c"
if "$source/tools/format" --check "$work" 2>"$work/out"; then
  echo "a planted line was not found" >&2
  exit 1
fi
grep -q 'src/planted.c' "$work/out"
