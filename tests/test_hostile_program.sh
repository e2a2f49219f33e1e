#!/bin/sh
# Hostile files and unlucky users of the program: an old file survives a full disk, kill -9 and Ctrl-C; inputs are never
# overwritten; long tables are written row by row; names cannot command terminals or spreadsheets; make asks first.
# usage: sh test_hostile_program.sh SOURCE_DIR BUILD_DIR
. "$1/tests/helpers/head.sh"
nothing_beside() { # no temporary file is left
  [ -z "$(find . -name '*.tmp')" ] || fail "$1: left behind: $(find . -name '*.tmp')"
}
old() { # FILE is still what it was
  [ "$(cat "$1")" = "as it was" ] || fail "$2: the old file is lost"
}
refused() { # STATUS WORDS COMMAND...: exits so, and says so
  want=$1 words=$2
  shift 2
  got=0
  "$@" >out 2>errors || got=$?
  [ $got = "$want" ] || fail "$*: exit status $got, not $want: $(cat errors)"
  grep -q -- "$words" errors || fail "$*: says $(cat errors)"
}

# ---- a full disk: no file may grow beyond a few kB. Every kind of output, and those of the library
has_gnuplot=$(command -v gnuplot || true)
cat >swing.json <<'EOF'
{"kind": "minimum", "times": [0, 1, 2], "joints": {"joint1": [0, 9, 0]}}
EOF
echo '{"joint1": {"velocity": 1}}' >limits.json
small() { # COMMAND...: with files of at most 4 kB
  (ulimit -f 8 && "$@")
}
for option in --output --report --plot --apply; do
  file=result.html
  [ $option = --plot ] && file=result.png && [ -z "$has_gnuplot" ] && continue
  [ $option = --output ] && file=result.csv
  [ $option = --apply ] && file=result.csv
  echo "as it was" >$file
  set -- simulate pendulum --time 1 --samples 2000
  [ $option = --apply ] && set -- limits pendulum swing.json --limits limits.json --samples 2000
  if small "$jounce" "$@" $option $file >/dev/null 2>errors; then fail "$option: a full disk is no error"; fi
  grep -Eq 'cannot write|incomplete|temporary file' errors || fail "$option on a full disk says: $(cat errors)"
  old $file "$option on a full disk"
  nothing_beside "$option on a full disk"
  "$jounce" "$@" $option $file >/dev/null 2>errors || [ $? = 3 ] || fail "$option: $(cat errors)"
  [ "$(head -c 9 $file)" != "as it was" ] || fail "$option does not replace the file"
  nothing_beside "$option"
done

# models, which the library writes
for file in result.urdf result.json; do
  echo "as it was" >$file
  if small "$jounce" convert quadruped --output $file >/dev/null 2>errors; then fail "convert: a full disk is no error"; fi
  grep -q 'cannot write' errors || fail "convert on a full disk says: $(cat errors)"
  old $file "convert on a full disk"
  nothing_beside "convert on a full disk"
done

# ---- killed while it writes: 15 and 2 remove what was begun, 9 cannot
writing() { # the temporary file of $1 has rows
  for _ in $(seq 600); do
    [ -n "$(find . -name "$1.*.tmp" -size +1)" ] && return 0
    sleep 0.1
  done
  fail "$1 is not written row by row"
}
for signal in INT TERM KILL; do
  echo "as it was" >result.csv
  # python3 starts it: the shell ignores SIGINT for what it starts in the background
  python3 -c 'import signal, os, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])' \
    "$jounce" simulate double_pendulum --time 1e8 --samples 100000000 --output result.csv 2>/dev/null &
  process=$!
  writing result.csv
  kill -$signal $process
  if wait $process 2>/dev/null; then fail "$signal: exit status 0"; fi
  old result.csv "$signal"
  [ $signal = KILL ] || nothing_beside "$signal"
  rm -f result.csv.*
done

# ---- long tables: the first rows come at once, and memory does not grow with the rows; AddressSanitizer reserves more than any limit
bounded() { grep -q __asan_init "$jounce" || ulimit -v "$1"; }
for format in csv json npy; do
  got=$( (bounded 400000 && exec "$jounce" simulate pendulum --time 1e8 --samples 100000000 --format $format 2>errors) |
    head -c 20000 | wc -c)
  [ "$got" = 20000 ] || fail "simulate --format $format: $got bytes: $(cat errors)"
  got=$( (bounded 400000 && exec "$jounce" traj pendulum swing.json --order 30 --samples 1000000 --format $format 2>errors) |
    head -c 20000 | wc -c)
  [ "$got" = 20000 ] || fail "traj --format $format: $got bytes: $(cat errors)"
done
# figures of a long table are of every n-th row, and say so
(bounded 800000 && "$jounce" simulate pendulum --time 1 --samples 1000000 --report long.html --format npy --output long.npy 2>errors) ||
  fail "$(cat errors)"
grep -q 'every 9-th of 1000000 rows' long.html || fail "$(grep 'This page' long.html)"
[ "$(wc -c <long.npy)" = $((1000000 * 4 * 8 + 128)) ] || fail "long.npy: $(wc -c <long.npy) bytes"

# ---- an output is never an input, under any name
cp swing.json kept.json
"$jounce" info pendulum --text >/dev/null
echo '{}' >state.json
printf 't,joint1\n0,0\n1,1\n2,0\n3,1\n' >samples.csv
echo '{"samples": "samples.csv", "degree": 3, "tolerance": 0}' >recorded.json
ln -s swing.json link.json
ln swing.json hard.json
cat >arm.json <<'EOF'
{"name": "arm", "bodies": [{"name": "a", "joint": {"name": "joint1", "type": "revolute", "axis": [0,1,0], "point": [0,0,0]},
 "home": {"p": [1,0,0]}, "mass": 1}]}
EOF
cp arm.json arm.was
refused 2 "TRAJ, which is read" "$jounce" traj pendulum swing.json --output swing.json
refused 2 "TRAJ, which is read" "$jounce" traj pendulum swing.json --output ./link.json
refused 2 "TRAJ, which is read" "$jounce" traj pendulum link.json --report hard.json
refused 2 "MODEL, which is read" "$jounce" traj arm.json swing.json --output arm.json
refused 2 "MODEL, which is read" "$jounce" info arm.json --output arm.json
refused 2 "the file of --state" "$jounce" id pendulum --state state.json --output state.json
refused 2 "the file of --limits" "$jounce" limits pendulum swing.json --limits limits.json --apply limits.json
refused 2 "'samples' of TRAJ" "$jounce" traj pendulum recorded.json --output samples.csv
refused 2 "are both 'x.html'" "$jounce" simulate pendulum --time 1 --output x.html --report x.html
cmp -s swing.json kept.json && cmp -s arm.json arm.was || fail "an input has changed"
[ ! -e x.html ] || fail "x.html was begun"
# a directory that does not exist, and one where nothing can be created
refused 1 "none/x.csv: cannot write: No such file" "$jounce" simulate pendulum --time 1 --output none/x.csv
# devices and pipes are written to directly; a link keeps pointing to its file, which is replaced
"$jounce" simulate pendulum --time 1 --samples 3 --output /dev/null
mkfifo pipe
"$jounce" simulate pendulum --time 1 --samples 3 --format csv --output pipe &
[ "$(wc -l <pipe)" = 4 ] || fail "a pipe is not written to"
wait $!
echo "as it was" >real.csv
chmod 640 real.csv
ln -s real.csv soft.csv
"$jounce" simulate pendulum --time 1 --samples 3 --output soft.csv 2>/dev/null
[ -L soft.csv ] && [ "$(wc -l <real.csv)" = 4 ] || fail "a link was replaced"
[ "$(stat -c %a real.csv)" = 640 ] || fail "the mode of a file has changed"

# ---- files that an input names are inputs as well
mkdir named
echo '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="in"/></robot>' >named/part.xacro
echo '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:include filename="part.xacro"/></robot>' >named/inc.xacro
echo '<mujoco><worldbody><body><joint/><geom size="0.1"/></body></worldbody></mujoco>' >named/part.xml
echo '<mujoco><include file="part.xml"/></mujoco>' >named/inc.xml
printf 'solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid s\n' >named/m.stl
echo '<robot name="r"><link name="a"><visual><geometry><mesh filename="m.stl"/></geometry></visual></link></robot>' >named/tiny.urdf
for case in "expand inc.xacro:part.xacro" "info inc.xacro:part.xacro" "info inc.xml:part.xml" \
  "show inc.xacro:part.xacro" "show tiny.urdf:m.stl" "show tiny.urdf:./m.stl"; do
  file=${case#*:}
  cp "named/$file" kept
  (cd named && refused 2 "choose another name" "$jounce" ${case%:*} --output "$file")
  cmp -s kept "named/$file" || fail "$case: an input is lost"
done
(cd named && sed "s|part|$work/named/part|" inc.xacro | refused 2 "choose another name" "$jounce" expand - --package-path . --output part.xacro)
nothing_beside "inputs that are named"

# ---- names: a terminal sees no control, a spreadsheet no formula
python3 - <<'EOF'
names = ["=cmd|' /C calc'!A0", "+1+1", "-2", "@SUM(1)", "a\u009b31m\u202eb\u2066c\u001b[2Jd\u2028e"]
hidden = "\u00ad\u200b\u2060\u2064\ufeff\U000e0001\U000e0041\U000e007f"
names.append("f" + hidden + "g")
names.append("h" + "\u00e9" * 60)  # longer than a column: cut between characters
import json
bodies = []
for i, n in enumerate(names):
    bodies.append({"name": n, "parent": bodies[-1]["name"] if bodies else None, "mass": 1, "home": {"p": [1, 0, 0]},
                   "joint": {"name": "j" + n if i >= 4 else n, "type": "revolute", "axis": [0, 1, 0], "point": [0, 0, 0]}})
del bodies[0]["parent"]
json.dump({"name": names[4], "bodies": bodies}, open("names.json", "w"))
json.dump({"name": "x", "bodies": [{"name": "a", "parent": names[4]}]}, open("wrong.json", "w"))
EOF
"$jounce" info names.json --text >terminal 2>&1
"$jounce" simulate names.json --time 0.1 --samples 3 --text >>terminal 2>&1
"$jounce" lint names.json --text >>terminal 2>&1 || true
"$jounce" state names.json >of_names.json
for command in loops fk id eom assemble partials "fd --pad" "linearise --pad"; do
  "$jounce" $command names.json --state of_names.json --text >>terminal 2>&1 || fail "$command: $(tail -1 terminal)"
done
file=$(printf 'n\302\2331m\342\200\256.json')
cp names.json "$file"
"$jounce" lint "$file" --text >>terminal 2>&1 || true
"$jounce" info wrong.json --text >>terminal 2>&1 && fail "wrong.json is accepted"
"$jounce" info "$(printf 'no\302\2331m')" >>terminal 2>&1 && fail "no such file"
"$jounce" info "$(printf 'no\342\200\256')" >>terminal 2>&1 && fail "no such file"
"$jounce" simulate names.json --time 0.1 --samples 3 --format csv --output names.csv 2>/dev/null
"$jounce" traj names.json names.csv --tolerance 0 --degree 2 --samples 2 --order 0 --format csv --output traj.csv
"$jounce" info names.json --format csv --output info.csv
"$jounce" traj names.json names.csv --tolerance 0 --degree 2 --samples 2 --order 0 --format json --output traj.json
python3 - <<'EOF'
import csv, json, unicodedata
text = open("terminal", encoding="utf-8").read()
bad = {c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")}
assert not bad, "a terminal gets %r" % bad
assert "a?31m?b?c?[2Jd?e" in text, text
assert "f????????g" in text, text
assert text.count("mobility") == 1, text  # of loops
for name in "names.csv", "traj.csv", "info.csv":
    rows = list(csv.reader(open(name, encoding="utf-8", newline="")))
    formulas = 0
    for row in rows:
        for cell in row:
            try:
                float(cell)
            except ValueError:
                assert cell[:1] not in "=+-@\t\r" or not cell, "%s: %r" % (name, cell)
                formulas += cell[:1] == "'"
    assert formulas >= 4, "%s: %d names" % (name, formulas)
assert "=cmd|' /C calc'!A0" in json.load(open("traj.json"))["columns"]  # the table reads back as it was
EOF

# ---- pictures: no name reaches gnuplot as anything but text. In its place a script that keeps what it is given
mkdir fake
printf '#!/bin/sh\ncat >%s/script.gp\nexit 1\n' "$work" >fake/gnuplot
chmod +x fake/gnuplot
python3 - <<'EOF'
bad = ["a&quot;; system(&quot;touch hacked&quot;); #", "b`touch hacked`", "c\\touch&quot;; !touch hacked", "d@touch$PATH%d{x}*|~"]
text = '<robot name="m&quot;`touch hacked`"><link name="l0"/>'
for i, name in enumerate(bad):
    text += ('<link name="l%d"><inertial><origin xyz="0 0.1 0.2"/><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
             '</inertial></link><joint name="%s" type="continuous"><parent link="l%d"/><child link="l%d"/><axis xyz="1 0 0"/></joint>'
             % (i + 1, name, i, i + 1))
open("evil.urdf", "w").write(text + "</robot>")
EOF
echo '{"kind": "minimum", "times": [0, 1], "joints": {"b`touch hacked`": [0, 1]}}' >evil.json
for command in "simulate evil.urdf --time 0.1 --samples 5" "traj evil.urdf evil.json --samples 5"; do
  rm -f script.gp
  PATH=$work/fake:$PATH "$jounce" $command --plot x.svg >/dev/null 2>errors || true
  [ -s script.gp ] || fail "$command: no script for gnuplot: $(cat errors)"
  python3 - "$command" <<'EOF'
import re, sys
plain = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:.=^()/+-', []?⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁽⁾")
seen = 0
for line in open("script.gp", encoding="utf-8").read().split("\n"):
    texts = re.findall(r'"([^"]*)"', line)
    outside = re.sub(r'"[^"]*"', "", line)
    assert line.startswith("#") or "touch" not in outside, "%s: a name is a command: %s" % (sys.argv[1], line)
    for text in texts:
        if "touch" not in text: continue
        assert not set(text) - plain, "%s: %r in %s" % (sys.argv[1], set(text) - plain, line)
        seen += 1
assert seen >= 4, "%s: %d names in the script" % (sys.argv[1], seen)
EOF
  grep -q 'set autoscale xfix' script.gp || fail "$command: the axis of time does not end with the data"
done

# ---- file names: a file lands under exactly the name that was asked for, or is refused; nothing of it is a command of gnuplot or a shell
printf '#!/bin/sh\ncat >>%s/given; echo "$@" >>%s/given\nprintf "<svg>%%80s</svg>" " "\n' "$work" "$work" >fake/gnuplot
mkdir files
PATH=$work/fake:$PATH python3 - "$jounce" <<'EOF'
import os, subprocess, sys
os.chdir("files")
names = [b'a"b', b"a'b", b"`touch hacked`", b"$(touch hacked)", b"|touch hacked", b";touch hacked;", b"a\nset output 'hacked'\n",
         b"a\tb", b"\x1b[2Jb", b"\x01", b"\x80\xff", "\u202e\u009b".encode(), b"-x", b"-", b"a b", b"\\x", b"%s%n", b"*", b"~", b"#x", b"&"]
simulate = [sys.argv[1], "simulate", "pendulum", "--time", "0.1", "--samples", "3"]
for option, end in ((b"--plot", b".svg"), (b"--output", b".csv"), (b"--report", b".html")):
    for name in names:
        for words in ([option, name + end], [option + b"=" + name + end]):
            done = subprocess.run(simulate + words, capture_output=True)
            files = os.listdir(b".")
            assert done.returncode == 0 and files == [name + end], (words, done.returncode, files, done.stderr)
            assert os.path.getsize(name + end) > 64
            os.remove(name + end)
    # refused: too long, empty, a folder, below a file, an option
    open("file", "w").close()
    for name in b"x" * 300 + end, b"", b".", b"file/x" + end, b"--text" + end:
        done = subprocess.run(simulate + [option, name], capture_output=True)
        assert done.returncode in (1, 2) and done.stderr.startswith(b"jounce: "), (option, name, done.returncode, done.stderr)
        assert os.listdir(".") == ["file"] and os.path.getsize("file") == 0, (option, name, os.listdir("."))
    os.remove("file")
EOF
if grep -q hacked given; then fail "the name of a file reaches gnuplot"; fi

# ---- lost digits: a light gimbal whose outer and inner axis coincide turns by a difference of torques; a slide far from its base
python3 - <<'EOF'
def robot(name, links):
    text = '<robot name="%s"><link name="base"/>' % name
    for i, (mass, inertia, kind, axis) in enumerate(links):
        text += ('<link name="l%d"><inertial><mass value="%s"/><inertia ixx="%s" iyy="%s" izz="%s" ixy="0" ixz="0" iyz="0"/></inertial></link>'
                 '<joint name="j%d" type="%s"><parent link="%s"/><child link="l%d"/><axis xyz="%s"/><limit lower="-1e9" upper="1e9" effort="1" velocity="1"/></joint>'
                 % ((i, mass) + inertia + (i, kind, "l%d" % (i - 1) if i else "base", i, axis)))
    open(name + ".urdf", "w").write(text + "</robot>")
ring = ("1e-10", ("1e-10",) * 3)
robot("gimbal", [ring + ("continuous", "0 0 1"), ring + ("continuous", "0 1 0"), ("1", ("1", "2", "3"), "continuous", "0 0 1")])
robot("slide", [("1", ("1",) * 3, "prismatic", "1 0 0"), ("1", ("1",) * 3, "continuous", "0 1 0")])
EOF
echo '{"joints": {"j0": [0.3, 0.1], "j1": [0, 0], "j2": [0.5, 0.3]}, "tau": {"j0": [0.2], "j1": [0.1], "j2": [0.2]}}' >turned.json
"$jounce" fd gimbal.urdf --state turned.json --text >lost.txt
grep -q 'only about 5 digits of v^(1) are left' lost.txt || fail "lost digits: $(cat lost.txt)"
"$jounce" fd gimbal.urdf --state turned.json --format csv >/dev/null 2>errors
grep -q 'jounce: fd: only about 5 digits' errors || fail "lost digits, csv: $(cat errors)"
"$jounce" fd gimbal.urdf --state turned.json --json | python3 -c '
import json, sys
e = json.load(sys.stdin)["relative_error"]
assert len(e) == 1 and 1e-7 < e[0] < 1e-4, e'
for command in hybrid linearise "partials --forward" "simulate --time 0.01 --samples 2"; do
  "$jounce" $command gimbal.urdf --state turned.json -q --format csv >/dev/null 2>errors || fail "$command: $(cat errors)"
  grep -q 'only about 5 digits of the accelerations are left' errors || fail "lost digits, $command: $(cat errors)"
done
echo '{"joints": {"j0": [0.3, 0.1], "j1": [1, 0]}, "tau": {"j0": [0.2], "j1": [0.1]}}' >turned.json
"$jounce" fd slide.urdf --state turned.json --text >kept.txt
! grep -q digits kept.txt || fail "digits are not lost: $(cat kept.txt)"
echo '{"joints": {"j0": [3e6, 0.1], "j1": [1, 0]}, "tau": {"j0": [0.2], "j1": [0.1]}}' >turned.json
"$jounce" fd slide.urdf --state turned.json >/dev/null
refused 1 "fewer than two digits" "$jounce" fd slide.urdf --state turned.json --formulation spatial

# ---- the instruction set: a name that is not one is reported
"$jounce" id pendulum --pad --state state.json >good.json
JOUNCE_ISA=plain "$jounce" id pendulum --pad --state state.json >plain.json 2>errors
[ ! -s errors ] || fail "JOUNCE_ISA=plain: $(cat errors)"
JOUNCE_ISA="" "$jounce" id pendulum --pad --state state.json >same.json 2>errors
cmp -s same.json good.json && [ ! -s errors ] || fail "an empty JOUNCE_ISA: $(cat errors)"
JOUNCE_ISA=avx3 "$jounce" id pendulum --pad --state state.json >garbage.json 2>errors
cmp -s garbage.json plain.json || fail "JOUNCE_ISA=avx3 does not compute as plain"
grep -q "JOUNCE_ISA=avx3 is not an instruction set of this machine: plain is used" errors || fail "$(cat errors)"

# ---- other variables of the environment that have no such value
cp "$source/examples/data/arm.urdf" env.urdf
says() { # WORDS VARIABLE=VALUE: the program says so; "": nothing
  env "$2" "$jounce" info env.urdf --text >out 2>errors || fail "$2: $(cat errors)"
  if [ -z "$1" ]; then [ ! -s errors ] || fail "$2: $(cat errors)"; fi
  grep -q -- "$1" errors || [ -z "$1" ] || fail "$2 says $(cat errors)"
}
says "JOUNCE_MAX_FILE=abc is not a number of MiB from 1 to 1024: 64 is used" JOUNCE_MAX_FILE=abc
says "JOUNCE_MAX_FILE=0 is not a number of MiB from 1 to 1024: 64 is used" JOUNCE_MAX_FILE=0
says "JOUNCE_MAX_FILE=4096 is not a number of MiB from 1 to 1024: 1024 is used" JOUNCE_MAX_FILE=4096
says "JOUNCE_STRICT=garbage is neither 0 nor 1: settings are strict" JOUNCE_STRICT=garbage
for good in JOUNCE_MAX_FILE= JOUNCE_MAX_FILE=8 JOUNCE_STRICT= JOUNCE_STRICT=0 JOUNCE_STRICT=1; do says "" $good; done

# ---- messages name what the command has
ln -s "$source/examples/data/arm.csv" link.csv
echo '{"samples": "link.csv"}' >link.json
refused 1 "outside the folder of the description" "$jounce" traj env.urdf link.json
if grep -q package-path errors; then fail "a description has no package path: $(cat errors)"; fi
echo '{}' >job.json
refused 2 "is the file of JOB, which is read" "$jounce" sweep env.urdf job.json --output job.json

# ---- make: asks on a terminal, and only there
mkdir bin
alone=$(command -v setsid) # a process without a terminal
for name in apt-get sudo; do
  printf '#!/bin/sh\necho "%s $*" >>%s/calls\n[ %s = apt-get ] || exec "$@"\n' $name "$work" $name >bin/$name
done
printf '#!/bin/sh\necho 1000\n' >bin/id
chmod +x bin/*
for name in sh env printf echo cat tty; do ln -s "$(command -v $name)" bin/$name 2>/dev/null || true; done
cat >ask.py <<'EOF'
import os, pty, sys
answer, command, env = sys.argv[1], sys.argv[2:], dict(os.environ, PATH=os.path.abspath("bin"))
if os.environ.get("TRY_CI"): env["CI"] = "1"
else: env.pop("CI", None)
pid, fd = pty.fork()
if pid == 0:
    os.execve("/bin/sh", ["sh"] + command, env)
os.write(fd, answer.encode() + b"\n")
text = b""
while True:
    try: part = os.read(fd, 4096)
    except OSError: break
    if not part: break
    text += part
print(text.decode())
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
EOF
for answer in n "" maybe; do
  if python3 ask.py "$answer" "$source/tools/setup" plot >asked; then fail "answer '$answer': $(cat asked)"; fi
  grep -q 'install them now (sudo apt-get install)?' asked || fail "does not ask: $(cat asked)"
  grep -q 'by hand: sudo apt-get install gnuplot-nox' asked || fail "no remedy: $(cat asked)"
  [ ! -e calls ] || fail "answer '$answer': $(cat calls)"
done
# messages that go to a file, and an input that is not the terminal, do not answer
for where in "2>log" ">log" ">log 2>&1" "</dev/null"; do
  if python3 ask.py n -c "exec sh '$source/tools/setup' plot $where" >asked; then fail "$where: $(cat asked)"; fi
  grep -q 'install them now (sudo apt-get install)?' asked || fail "does not ask, $where: $(cat asked)"
  [ ! -e calls ] || fail "$where: $(cat calls)"
done
python3 ask.py y "$source/tools/setup" plot >asked || fail "$(cat asked)"
grep -q 'sudo apt-get -o DPkg::Lock::Timeout=600 install .*gnuplot-nox' calls || fail "answer y: $(cat calls)"
rm calls
TRY_CI=1 python3 ask.py n "$source/tools/setup" plot >asked || fail "CI: $(cat asked)"
grep -q 'apt-get .*install .*gnuplot-nox' calls || fail "CI: $(cat calls)"
rm calls
PATH=$work/bin "$alone" -w /bin/sh "$source/tools/setup" plot </dev/null >asked 2>&1 || fail "no terminal: $(cat asked)"
/bin/grep -q 'apt-get .*install .*gnuplot-nox' calls || fail "no terminal: $(cat calls)"
# another apt at work is waited for
cat >bin/apt-get <<EOF
#!/bin/sh
case "\$*" in
*update*) [ -e $work/waited ] || { : >$work/waited; echo "E: Could not get lock /var/lib/apt/lists/lock" >&2; exit 100; } ;;
esac
EOF
printf '#!/bin/sh\n' >bin/sleep && chmod +x bin/sleep
PATH=$work/bin "$alone" -w /bin/sh "$source/tools/setup" plot </dev/null >asked 2>&1 || fail "locked: $(cat asked)"
/bin/grep -q 'another apt is at work; waiting' asked || fail "locked: $(cat asked)"
if /bin/grep -q 'update failed' asked; then fail "locked: $(cat asked)"; fi
echo "ok  files, inputs, rows, names, instruction sets, packages"
