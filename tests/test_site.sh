#!/bin/sh
# The documentation as a site: it builds without a warning, every link has a target, every public function is in the reference
# and in the index of the search, every page of the menu marks itself and is reached by 'next' from the first; formulas are
# MathML. With JOUNCE_BROWSER ('make test-browser') Chromium opens pages: no messages on the console, nothing wider than the
# window, the search finds, by keyboard alone.
# Skipped with a message without pandoc or python3 ('make docs' installs them).
# usage: sh test_site.sh SOURCE_DIR BUILD_DIR
set -eu
export LC_ALL=C
source=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
fail() { echo "FAILED: $*"; exit 1; }
# files and functions that the pages name must exist
for path in $(grep -oh '`\(src\|cli\|tests\|tools\|examples\|include\)/[A-Za-z0-9_./-]*`' "$source"/docs/*.md "$source"/docs/tutorials/*.md "$source"/*.md | tr -d '`' | sort -u); do
  [ -e "$source/$path" ] || fail "a page names $path, which does not exist"
done
named() { grep -oh '`jn_[a-z0-9_]*[`(]' "$@" | tr -d '`(' | grep -v '_$' | sort -u; }
# the migration tables name functions of earlier versions in their first column
sed 's/^| [^|]*|//' "$source/CHANGELOG.md" >"$build/changelog.md"
words() { grep -oh 'jn_[a-z0-9_]*' "$@" | sort -u; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
words "$source"/include/jounce/*.h "$source"/include/jounce/textbook/*.h >"$work/known"
unknown=$(named "$source"/docs/*.md "$source"/docs/tutorials/*.md "$source/README.md" "$source/SECURITY.md" "$build/changelog.md" | comm -23 - "$work/known")
[ -z "$unknown" ] || fail "a page names what does not exist: $unknown"
find "$source/include" "$source/src" -name '*.[ch]' -exec grep -oh 'jn_[a-z0-9_]*' {} + | sort -u >"$work/known"
unknown=$(named "$source/CONTRIBUTING.md" | comm -23 - "$work/known")
[ -z "$unknown" ] || fail "CONTRIBUTING.md names what does not exist: $unknown"
echo "ok  files and functions that pages name"
for tool in pandoc python3; do
  command -v $tool >/dev/null || { echo "left out: no $tool here ('make docs' installs it)"; exit 0; }
done
"$source/tools/site" "$source" "$build/jounce" "$work/docs" >"$work/said" 2>&1 || { cat "$work/said"; fail "the site does not build"; }
tail -n 1 "$work/said"
sed -n 's/^JN_API .*\b\(jn_[a-z0-9_]*\)(.*/\1/p' "$source"/include/jounce/*.h "$source"/include/jounce/textbook/*.h | sort -u >"$work/functions"
grep -o 'id="jn_[a-z0-9_]*"' "$work/docs/api.html" | sed 's/id="//; s/"//' | sort -u | comm -23 "$work/functions" - >"$work/lacking"
[ ! -s "$work/lacking" ] || fail "not in the reference: $(cat "$work/lacking")"
grep -o 'jn_[a-z0-9_]*' "$work/docs/search_index.js" | sort -u | comm -23 "$work/functions" - >"$work/lacking"
[ ! -s "$work/lacking" ] || fail "not found by the search: $(cat "$work/lacking")"
[ "$(wc -l <"$work/functions")" -gt 200 ] || fail "where are the functions?"
echo "ok  reference and search index"

# from the first page along 'next': every page of the menu, each marks itself and nothing else
sed '1,2d; /^#/d; /^$/d; s/ .*//' "$source/docs/site/pages.txt" >"$work/menu"
page=$(head -n 1 "$work/menu")
: >"$work/walked"
while [ -n "$page" ]; do
  echo "$page" >>"$work/walked"
  [ "$(grep -o '<a href="[^"]*" aria-current="page">' "$work/docs/$page.html")" = "<a href=\"$page.html\" aria-current=\"page\">" ] ||
    fail "$page.html does not mark itself in the menu"
  page=$(sed -n 's/.*rel="next" href="\([a-z_]*\)\.html".*/\1/p' "$work/docs/$page.html")
done
head -n "$(wc -l <"$work/menu")" "$work/walked" | diff "$work/menu" - || fail "'next' does not follow the menu"
echo "ok  $(wc -l <"$work/walked") pages along 'next'"

# formulas
[ "$(grep -o '<math display="block"' "$work/docs/theory.html" | wc -l)" -ge 20 ] || fail "the theory has no formulas"
# shellcheck disable=SC2016
if sed 's/<annotation[^>]*>[^<]*<\/annotation>//g; s/<code[^>]*>[^<]*<\/code>//g' "$work"/docs/theory.html "$work"/docs/derivatives.html | grep -F '$$'; then
  fail "TeX is left in a page"
fi
echo "ok  formulas are MathML"

# negative controls: a broken link, a formula that is none, a page that is not there
echo '<a href="nowhere.html">x</a>' >"$work/docs/broken.html"
if python3 "$source/tools/check_links.py" "$work/docs" >/dev/null; then fail "a broken link is not found"; fi
rm "$work/docs/broken.html"
# shellcheck disable=SC2016
if printf '%s\n' '$\begin{aligned} a$' |
  pandoc -f gfm+tex_math_dollars -t html5 --mathml --lua-filter="$source/docs/site/site.lua" >/dev/null 2>&1; then
  fail "a formula that cannot be set is not found"
fi
mkdir -p "$work/copy/docs/tutorials" && cp -r "$source/docs/site" "$work/copy/docs/" && echo 'nopage  A page' >>"$work/copy/docs/site/pages.txt"
if python3 "$source/tools/site_menu.py" "$work/copy" >/dev/null 2>&1; then fail "a menu with a page that is not there"; fi
echo "ok  planted faults are found"

[ -n "${JOUNCE_BROWSER:-}" ] || { echo "left out: Chromium ('make test-browser')"; exit 0; }
browser=$(command -v chromium || command -v chromium-browser || true)
[ -n "$browser" ] || { echo "left out: no Chromium ('make test-browser' installs it)"; exit 0; }
cat >"$work/probe.html" <<'EOF'
<script>
const seen = { errors: [] };
addEventListener("error", (e) => seen.errors.push(e.message || e.target.src || e.target.href), true);
addEventListener("load", async () => {
  const wait = (ms) => new Promise((done) => setTimeout(done, ms)), key = (k) =>
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: k, bubbles: true, cancelable: true }));
  const wide = document.documentElement.scrollWidth > innerWidth + 1;
  const cut = [...document.querySelectorAll(".formula math")].filter((m) =>
    m.getBoundingClientRect().width > m.closest(".formula").scrollWidth + 1).length;
  key("/");
  const box = document.querySelector("form.search input"), focus = document.activeElement === box;
  box.value = "torque rate";
  box.dispatchEvent(new Event("input", { bubbles: true }));
  await wait(800);
  const found = document.querySelectorAll("form.search .found a, #results a").length;
  key("ArrowDown");
  const first = document.activeElement.href || "";
  key("ArrowUp");
  const back = document.activeElement === box;
  key("Escape");
  document.body.innerHTML = "PROBE focus=" + focus + " found=" + (found > 5) + " first=" + /torque_rates|first_afternoon|readme|trajectories/.test(first) +
    " back=" + back + " wide=" + wide + " cut=" + cut + " errors=" + seen.errors.length + " END";
});
</script>
EOF
look() { # look PAGE WIDTH
  sed "/<meta charset/r $work/probe.html" "$work/docs/$1.html" >"$work/docs/probed.html"
  "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$work/profile" \
    --window-size="$2",900 --virtual-time-budget=5000 --enable-logging=stderr --dump-dom \
    "file://$work/docs/probed.html" >"$work/dom" 2>"$work/log" || { tail -n 5 "$work/log"; fail "$1: Chromium does not open it"; }
  sed -n 's/.*PROBE \(.*\) END.*/\1/p' "$work/dom"
}
for page in index theory within_limits search api comparison; do
  for width in 1400 500; do
    got=$(look $page $width)
    [ "$got" = "focus=true found=true first=true back=true wide=false cut=0 errors=0" ] || fail "$page, $width pixels: $got"
    if grep CONSOLE "$work/log"; then fail "$page: messages on the console"; fi
  done
  echo "ok  $page in Chromium"
done
# negative control: a script that throws, and a page that is too wide
sed -i 's|<body|<script>throw new Error("planted")</script><body|; s|</main>|<div style="width:3000px">x</div>&|' "$work/docs/index.html"
got=$(look index 1400)
echo "planted: $got"
echo "$got" | grep -q 'wide=true .*errors=1' || fail "a planted fault is not seen"
