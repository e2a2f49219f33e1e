#!/bin/sh
# The README's picture shows the report of README.md's command as it is today: a screenshot is compared with docs/report.png
# by a tolerance. 'tools/readme_picture build/jounce docs/report.png' draws it anew.
# usage: sh test_picture.sh SOURCE_DIR BUILD_DIR
set -eu
source=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
grep -q '](docs/report.png)' "$source/README.md" || { echo "FAILED: README.md shows another picture"; exit 1; }
grep -q 'jounce traj examples/data/arm.urdf examples/data/arm.csv --order 1 --report' "$source/README.md" ||
  { echo "FAILED: README.md has another command than tools/readme_picture"; exit 1; }
[ -n "${JOUNCE_BROWSER:-}" ] || { echo "SKIP: 'make test-browser' runs it"; exit 77; }
command -v chromium >/dev/null || command -v chromium-browser >/dev/null ||
  { echo "SKIP: no Chromium ('make test-browser' installs it)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
grep -aq uPlot "$build/jounce" || { echo "SKIP: built without uPlot (npm could not fetch it)"; exit 77; }
"$source/tools/readme_picture" "$build/jounce" "$work/now.png"
python3 "$source/tools/picture.py" "$source/docs/report.png" "$work/now.png" || {
  echo "FAILED: the README's picture is not that of today's report; draw it: tools/readme_picture build/jounce docs/report.png"
  exit 1
}
# negative control: the report of another motion is another picture
"$source/tools/readme_picture" "$build/jounce" "$work/other.png" "$source/examples/data/arm.urdf" "$source/examples/data/reach.json"
if python3 "$source/tools/picture.py" "$source/docs/report.png" "$work/other.png"; then
  echo "FAILED: the picture of another motion passes"
  exit 1
fi
