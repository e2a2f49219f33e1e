#!/bin/sh
# The documentation as a site: it builds, every link has a target, every public function is in the reference.
# Skipped with a message without pandoc or python3 ('make docs' installs them).
# usage: sh test_site.sh SOURCE_DIR BUILD_DIR
set -eu
source=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
# files and functions that the pages name must exist
for path in $(grep -oh '`\(src\|cli\|tests\|tools\|examples\|include\)/[A-Za-z0-9_./-]*`' "$source"/docs/*.md "$source"/*.md | tr -d '`' | sort -u); do
  [ -e "$source/$path" ] || { echo "FAILED: a page names $path, which does not exist"; exit 1; }
done
named() { grep -oh '`jn_[a-z0-9_]*[`(]' "$@" | tr -d '`(' | grep -v '_$' | sort -u; }
# the migration tables name functions of earlier versions in their first column
sed 's/^| [^|]*|//' "$source/CHANGELOG.md" >"$build/changelog.md"
for name in $(named "$source"/docs/*.md "$source/README.md" "$source/SECURITY.md" "$build/changelog.md"); do
  grep -qw "$name" "$source"/include/jounce/*.h "$source"/include/jounce/textbook/*.h ||
    { echo "FAILED: a page names $name, which does not exist"; exit 1; }
done
for name in $(named "$source/CONTRIBUTING.md"); do
  grep -rqw "$name" "$source/include" "$source/src" || { echo "FAILED: CONTRIBUTING.md names $name, which does not exist"; exit 1; }
done
echo "ok  files and functions that pages name"
for tool in pandoc python3; do
  command -v $tool >/dev/null || { echo "left out: no $tool here ('make docs' installs it)"; exit 0; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
"$source/tools/site" "$source" "$build/jounce" "$work/docs"
for name in $(sed -n 's/^JN_API .*\b\(jn_[a-z0-9_]*\)(.*/\1/p' "$source"/include/jounce/*.h "$source"/include/jounce/textbook/*.h); do
  grep -q "id=\"$name\"" "$work/docs/api.html" || { echo "FAILED: $name is not in the reference"; exit 1; }
done
# negative control: a broken link is found
echo '<a href="nowhere.html">x</a>' >"$work/docs/broken.html"
if python3 "$source/tools/check_links.py" "$work/docs" >/dev/null; then
  echo "FAILED: a broken link is not found"
  exit 1
fi
