#!/bin/sh
# Pages of --report have the numbers of the table bit for bit, escape all names, and fetch nothing; in headless
# Chromium they draw without an error. Without Chromium that half is skipped with a message ('make test-browser'
# installs it).
# usage: sh test_report.sh SOURCE_DIR BUILD_DIR
set -eu
build=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
cd "$work"
fail() { echo "FAILED: $*" >&2; exit 1; }

# a robot whose names contain markup, a script, and the end of the page's own script
cat >hostile.json <<'EOF'
{"name": "</title><script>window.owned=1</script><img src=x onerror=window.owned=1>",
 "bodies": [
   {"name": "a", "joint": {"name": "</script><script>window.owned=1</script>", "type": "revolute", "axis": [0,1,0],
    "point": [0,0,0]}, "home": {"p": [1,0,0]}, "mass": 1},
   {"name": "b", "parent": "a", "joint": {"name": "q,\"2\"\n'; system \"touch owned\" #", "type": "prismatic",
    "axis": [1,0,0], "point": [0,0,0]}, "home": {"p": [2,0,0]}, "mass": 1}]}
EOF

numbers() { # the CSV inside a page
  sed -n 's/.*base64,\([A-Za-z0-9+\/=]*\)".*/\1/p' "$1" | head -n 1 | base64 -d
}

for program in jounce tests/jounce_still; do
  name=$(basename $program)
  for robot in double_pendulum tilthex humanoid hostile.json; do
    page=$name-$(basename $robot .json).html
    "$build/$program" simulate $robot --time 0.5 --samples 21 --format csv --report "$page" >want.csv 2>/dev/null
    numbers "$page" >got.csv
    cmp want.csv got.csv || fail "$page does not hold the numbers of the table"
    if grep -E 'src="http|href="http|url\(http|@import|<link|src="//|href="//|<img|<script>window' "$page"; then
      fail "$page: something that does not belong there"
    fi
  done
  echo "ok  $name: numbers, names"
done
[ ! -e owned ] || fail "a name was run"
if command -v gnuplot >/dev/null; then
  grep -q '<svg' jounce_still-tilthex.html || fail "no still figures without uPlot"
fi
PATH=/nowhere "$build/tests/jounce_still" simulate pendulum --time 1 --drift --report none.html >out.json
grep -q 'No figures.*apt-get install gnuplot-nox' none.html || fail "no sentence instead of figures"
echo "ok  without uPlot: still figures, or a sentence"

if "$build/jounce" simulate pendulum --time 1 --report /nowhere/x.html 2>errors; then fail "wrote to nowhere"; fi
grep -q '/nowhere/x.html: cannot be written' errors || fail "no reason: $(cat errors)"
if "$build/jounce" simulate pendulum --time 1 --report /dev/full >/dev/null 2>errors; then fail "a full disk is no error"; fi
grep -q 'writing failed' errors || fail "no reason: $(cat errors)"
[ -c /dev/full ] || fail "removed what is no file of its own"
echo "ok  refusals"

# pages of trajectories
echo '{"kind": "minimum", "derivative": 5, "times": [0, 0.8, 2], "joints": {"joint1": [0, 1, 0.5], "joint2": [0, -0.5, 1]}}' >reach.json
"$build/jounce" traj double_pendulum reach.json --order 2 --format csv --output want.csv --report traj.html
numbers traj.html >got.csv
cmp want.csv got.csv || fail "traj.html does not hold the numbers of the table"
"$build/jounce" limits double_pendulum reach.json --effort-rate 1e4 --velocity 10 --report limits.html >out.json
"$build/jounce" elastic double_pendulum reach.json --stiffness 500 --motor-inertia 0.1 --report elastic.html >out.json
echo "ok  traj, limits, elastic"

"$build/jounce" demo --quick --no-plots --output demo --report demo.html >demo.txt
"$build/jounce" demo linearization --quick --no-plots --output demo --report linear.html >demo.txt
cmp demo/linearization.html linear.html || fail "demo linearization --report"
if "$build/jounce" demo integrators --quick --output demo --report none.html 2>errors; then fail "a report of nothing"; fi
grep -q 'no page' errors || fail "no reason: $(cat errors)"
echo "ok  demo: $(wc -c <demo.html) bytes"

if ! grep -q 'uPlot' jounce-tilthex.html; then
  echo "left out: built without uPlot (npm could not fetch it)"
  exit 0
fi
browser=$(command -v chromium || command -v chromium-browser || true)
if [ -z "$browser" ]; then
  echo "left out: no Chromium here to open the pages with ('make test-browser' installs it)"
  exit 0
fi

# probe FILE CHARTS: opens the page with a script at its end that reports its state
cat >probe.html <<'EOF'
<script>
addEventListener("load", () => setTimeout(() => {
  const painted = [...document.querySelectorAll("canvas")].filter((c) =>
    c.getContext("2d").getImageData(0, 0, c.width, c.height).data.some((x) => x !== 0)).length;
  const panel = document.querySelector(".panel"), row = panel.querySelectorAll(".u-series")[1];
  row.querySelector("th").click();
  const links = [...document.querySelectorAll("a[download]")];
  document.body.innerHTML = "PROBE panels=" + probe.panels() + " painted=" + painted +
    " hidden=" + row.classList.contains("u-off") + " blobs=" + links.every((a) => a.href.startsWith("blob:")) +
    " wide=" + probe.wide + " owned=" + Boolean(window.owned) + " errors=" + probe.errors.length + " END";
}, 300));
</script>
EOF
cat >first.html <<'EOF'
<script>
const probe = { errors: [], panels: () => document.querySelectorAll(".panel").length, wide: false };
addEventListener("error", (e) => probe.errors.push(e.message));
addEventListener("load", () => { probe.count = probe.panels(); probe.panels = () => probe.count;
  probe.wide = document.documentElement.scrollWidth > innerWidth + 1; });
</script>
EOF
# look PAGE WIDTH: the report of the probe in $seen; the console in log
look() {
  sed -e '/<\/title>/r first.html' "$1.html" | sed -e '/<\/main>/r probe.html' >probed.html
  "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$work/profile" \
    --window-size="$2",900 --virtual-time-budget=3000 --enable-logging=stderr --dump-dom \
    "file://$work/probed.html" >dom 2>log || { tail -n 5 log; fail "$1: Chromium does not open it"; }
  seen=$(sed -n 's/.*PROBE \(.*\) END.*/\1/p' dom)
}
for page in jounce-tilthex jounce-humanoid jounce-hostile traj limits elastic demo; do
  width=1200
  [ $page = jounce-tilthex ] && width=390
  look $page $width
  echo "$page: $seen"
  if grep 'CONSOLE' log; then fail "$page: messages on the console"; fi
  panels=$(expr "$seen" : 'panels=\([0-9]*\)')
  [ "${panels:-0}" -gt 0 ] || fail "$page: no figures"
  [ "$seen" = "panels=$panels painted=$panels hidden=true blobs=true wide=false owned=false errors=0" ] ||
    fail "$page: not as it should be"
done

# negative control: a page that throws, runs a name as a script, and fetches
sed 's|</main>|<script>window.owned=1; new Image().src="http://nowhere.invalid/x.png"; throw new Error("planted")</script>&|' \
  traj.html >planted.html
look planted 1200
echo "planted: $seen"
echo "$seen" | grep -q 'owned=true errors=1' || fail "a planted fault is not seen"
grep -q 'CONSOLE.*Content Security Policy' log || fail "the page would fetch from elsewhere"
