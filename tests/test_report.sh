#!/bin/sh
# Pages of --report contain the numbers of the table bit for bit, and no name becomes markup or code. test_browser.sh opens
# them.
# usage: sh test_report.sh SOURCE_DIR BUILD_DIR
. "$1/tests/helpers/head.sh"

# names that contain markup, scripts, the end of a script element, and commands of gnuplot and the shell
cat >hostile.json <<'EOF'
{"name": "</title><script>window.owned=1</script><img src=x onerror=window.owned=1>",
 "bodies": [
   {"name": "a", "joint": {"name": "</script><script>window.owned=1</script>", "type": "revolute", "axis": [0,1,0],
    "point": [0,0,0]}, "home": {"p": [1,0,0]}, "mass": 1},
   {"name": "b", "parent": "a", "joint": {"name": "q,\"2\"\n'; system \"touch owned\" # `touch owned` $x @y \\", "type": "prismatic",
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
    if grep -F '{{' "$page"; then fail "$page: a slot of the template is not filled"; fi
    if grep -E 'src="http|href="http|url\(http|@import|<link|src="//|href="//|<img|<script>window' "$page"; then
      fail "$page: unexpected content"
    fi
  done
  echo "ok  $name: numbers, names"
done
[ ! -e owned ] || fail "a name was run"
if command -v gnuplot >/dev/null; then
  grep -q '<svg' jounce_still-tilthex.html || fail "no still figures without uPlot"
  # names in a picture are not run
  "$build/jounce" simulate hostile.json --time 0.5 --samples 21 --plot hostile.svg >out.json
  grep -q 'system' hostile.svg || fail "the name is missing in the picture"
  [ ! -e owned ] || fail "a name was run by gnuplot"
  if grep -F '<script' hostile.svg; then fail "a name became markup of the picture"; fi
  # joints by limb, true extremes between the rows, limits in the colours of the joints, what is zero in words
  texts() { sed 's/<[^>]*>//g' "$1" | sed 's/^[ \t]*//'; }
  { # two legs; the right one hangs, the left one falls
    echo '<robot name="legs"><link name="hip"/>'
    for leg in left_leg right_leg; do
      parent=hip
      for i in 1 2 3 4 5; do
        x=0; [ $leg = right_leg ] || x=0.1
        echo "<link name='${leg}_link_$i'><inertial><origin xyz='$x 0 -0.1'/><mass value='1'/>
          <inertia ixx='0.1' iyy='0.1' izz='0.1' ixy='0' ixz='0' iyz='0'/></inertial></link>
          <joint name='${leg}_$i' type='continuous'><parent link='$parent'/><child link='${leg}_link_$i'/>
          <origin xyz='0 0 -0.2'/><axis xyz='0 1 0'/></joint>"
        parent=${leg}_link_$i
      done
    done
    echo '</robot>'
  } >legs.urdf
  "$build/jounce" simulate legs.urdf --time 0.2 --samples 21 --plot limbs.svg >out.json
  texts limbs.svg >limbs.txt
  grep -q '^joint angle: left_leg   \[' limbs.txt || fail "joints are not grouped by limb"
  grep -q '^zero or constant, not drawn: .*joint angle: right_leg' limbs.txt || fail "a panel of zeros is not folded"
  "$build/jounce" simulate legs.urdf --time 0.1 --joints 'left*_1,right_leg_5' --plot some.svg --format csv --output some.csv 2>/dev/null
  head=$(head -n 1 some.csv)
  [ "$head" = "t,left_leg_1,right_leg_5,left_leg_1',right_leg_5',energy" ] || fail "simulate --joints: $head"
  texts some.svg | grep -q left_leg_1 && ! texts some.svg | grep -q left_leg_2 || fail "joints in the picture: $(texts some.svg | grep leg)"
  "$build/jounce" traj "$source/examples/data/arm.urdf" "$source/examples/data/arm.csv" --samples 11 --plot arm.svg >out.json
  texts arm.svg >arm.txt
  grep -q '^joint torque   \[-13.49, 1.412\]' arm.txt || fail "extremes between the rows are missing in the picture"
  [ "$(grep -c "stroke='rgb(213,  94,   0)' stroke-dasharray" arm.svg)" = 4 ] || fail "limits of the shoulder are not drawn"
  echo "ok  pictures: limbs, limits, extremes"
  # a picture that cannot be drawn leaves the old one
  cp hostile.svg before.svg
  if PATH=/nowhere "$build/jounce" simulate pendulum --time 1 --plot hostile.svg >out.json 2>errors; then
    fail "a picture without gnuplot"
  fi
  grep -q 'apt-get install gnuplot-nox' errors || fail "no reason: $(cat errors)"
  cmp before.svg hostile.svg || fail "the old picture is lost"
fi
PATH=/nowhere "$build/tests/jounce_still" simulate pendulum --time 1 --drift --report none.html >out.json
grep -q 'No figures.*apt-get install gnuplot-nox' none.html || fail "no explanation of missing figures"
grep -q 'No 3D view: jounce was built without three' none.html || fail "no explanation of the missing scene"
echo "ok  without uPlot: gnuplot's figures, or an explanation"

if "$build/jounce" simulate pendulum --time 1 --report /nowhere/x.html 2>errors; then fail "wrote to nowhere"; fi
grep -q '/nowhere/x.html: cannot write: No such' errors || fail "no reason: $(cat errors)"
if "$build/jounce" simulate pendulum --time 1 --report /dev/full >/dev/null 2>errors; then fail "a full disk is no error"; fi
grep -q 'cannot write: No space' errors || fail "no reason: $(cat errors)"
[ -c /dev/full ] || fail "removed what is no file of its own"
if "$build/jounce" simulate pendulum --time 1 --report x.pdf 2>errors; then fail "a PDF"; fi
grep -q 'give x.html.*--print-to-pdf=x.pdf x.html' errors || fail "no advice: $(cat errors)"
[ ! -e x.pdf ] || fail "wrote a PDF"
echo "ok  refusals"

# commands on trajectories
echo '{"kind": "minimum", "derivative": 5, "times": [0, 0.8, 2], "joints": {"joint1": [0, 1, 0.5], "joint2": [0, -0.5, 1]}}' >reach.json
"$build/jounce" traj double_pendulum reach.json --order 2 --format csv --output want.csv --report traj.html
numbers traj.html >got.csv
cmp want.csv got.csv || fail "traj.html does not hold the numbers of the table"
"$build/jounce" limits double_pendulum reach.json --effort-rate 1e4 --velocity 10 --report limits.html >out.json
"$build/jounce" elastic double_pendulum reach.json --stiffness 500 --motor-inertia 0.1 --report elastic.html >out.json
if "$build/jounce" elastic double_pendulum reach.json --stiffness 1e12 --motor-inertia 0.1 >out.json 2>errors; then
  fail "simulated motors that vibrate at 3 MHz"
fi
grep -q 'units of --stiffness and --motor-inertia, or use --no-simulation' errors || fail "no remedy: $(cat errors)"
grep -q '<tr><th scope="row">tau:joint1</th>' traj.html || fail "traj.html has no table of extremes"
grep -q '<tr><th scope="row">tau_m:joint2</th>.*<td>N m</td>' elastic.html || fail "elastic.html has no table of extremes"
if "$build/jounce" limits double_pendulum reach.json --effort-rate 10 --report broken.html >out.json; then fail "no limit is broken"; fi
grep -q '<tr class="broken"><th scope="row">joint1</th><td>effort_rate</td><td>10</td>.*<td>N m/s</td>.*broken' broken.html ||
  fail "the table of limits does not say what is broken"
for page in traj limits elastic; do
  grep -q '<dt>Model</dt><dd>double_pendulum' $page.html || fail "$page.html does not name the model"
  grep -q '<dt>Motion</dt><dd>reach.json, 0 s to 2 s' $page.html || fail "$page.html does not name the motion"
  grep -q "<code>jounce $page double_pendulum reach.json" $page.html || fail "$page.html does not name the command"
done
echo "ok  traj, limits, elastic"

"$build/jounce" demo --quick --no-plots --output demo --report demo.html >demo.txt
for page in demo.html demo/index.html; do
  if grep -F '{{' $page; then fail "$page: a slot of the template is not filled"; fi
  [ "$(grep -c '<table>' $page)" = 5 ] || fail "$page: five tables expected"
done
# with --quick the page contains all rows of the files
sed -n 's/.*base64,\([A-Za-z0-9+\/=]*\)".*base64,\([A-Za-z0-9+\/=]*\)".*/\1 \2/p' demo.html | head -n 1 >links
for n in 1 2; do
  file=$(echo motion forward | cut -d' ' -f$n)
  cut -d' ' -f$n links | base64 -d | cmp - demo/data/"$file".csv || fail "demo.html does not hold $file.csv"
done
if "$build/jounce" demo integrators --quick --output demo 2>errors; then fail "a study that is not there"; fi
grep -q "known: 'study'\|known: study" errors || fail "no reason: $(cat errors)"
echo "ok  demo: $(wc -c <demo.html) bytes"
