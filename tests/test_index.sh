#!/bin/sh
# Every function, file and test that docs/algorithms.md and docs/errata.md name exists.
# usage: sh test_index.sh SOURCE_DIR BUILD_DIR
set -eu
source=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

python3 "$source/tools/index.py" "$source" "$source/docs/algorithms.md" "$source/docs/errata.md"

# negative controls: one wrong name of each kind must be found
control() {
  cp "$source/docs/algorithms.md" "$source/docs/errata.md" "$work"
  sed -i "$1" "$work/algorithms.md" "$work/errata.md"
  if cmp -s "$work/algorithms.md" "$source/docs/algorithms.md" &&
    cmp -s "$work/errata.md" "$source/docs/errata.md"; then
    echo "the control '$1' changes nothing"
    exit 1
  fi
  if python3 "$source/tools/index.py" "$source" "$work/algorithms.md" "$work/errata.md" >"$work/said"; then
    echo "not found: $1"
    exit 1
  fi
  grep -q "$2" "$work/said" || { cat "$work/said"; exit 1; }
}
control '0,/`jn_kinematics`/s//`jn_cinematics`/' 'no function jn_cinematics'
control '0,/`jn_jvp_\*`\|`jn_cmtm_\*`/s//`jn_cntm_*`/' 'no function jn_cntm_'
control '0,/src\/core\/jet.c/s//src\/core\/yet.c/' 'no file src/core/yet.c'
control '0,/`test_kinematics`/s//`test_cinematics`/' 'no test test_cinematics'
control '0,/appendix_E_lost_a_transpose/s//appendix_F_lost_a_transpose/' 'no test appendix_F'
echo "five wrong names are found"
