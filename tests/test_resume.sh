#!/bin/sh
# traj and simulate with --resume: a run that is killed continues, and gives the table of one that is not.
# usage: sh test_resume.sh SOURCE_DIR BUILD_DIR
. "$1/tests/helpers/head.sh"
refused() { # WORDS COMMAND...
  words=$1
  shift
  if "$@" >out 2>errors; then fail "$*: accepted"; fi
  grep -q -- "$words" errors || fail "$*: says $(cat errors)"
}
cat >swing.json <<'EOF'
{"kind": "minimum", "times": [0, 1, 2], "joints": {"joint1": [0, 9, 0]}}
EOF

# ---- traj: rows are independent; the table is that of a run without --resume
traj() { "$jounce" traj pendulum swing.json --samples 3000 --order 3 "$@"; }
traj --output plain.csv
traj --output whole.csv --resume
cmp plain.csv whole.csv || fail "traj: --resume changes the table"
[ ! -e whole.csv.part ] || fail "traj: whole.csv.part is left"
# cut off anywhere: within the heading, a row, between rows, behind the last one
size=$(wc -c <plain.csv)
for bytes in 0 5 1000 20000 $((size / 2)) $((size - 1)) "$size"; do
  head -c "$bytes" plain.csv >cut.csv.part
  traj --output cut.csv --resume || fail "traj: not continued after $bytes bytes"
  cmp plain.csv cut.csv || fail "traj: another table after $bytes bytes"
  rm cut.csv
done
# the rows that are there are not computed again: a changed one stays, but the last one is compared
head -n 100 plain.csv | sed '50s/^[^,]*/7/' >cut.csv.part
traj --output cut.csv --resume
[ "$(sed -n 50p cut.csv | cut -d, -f1)" = 7 ] || fail "traj: rows are computed again"
head -n 100 plain.csv | sed '100s/^[^,]*/7/' >cut.csv.part
cp cut.csv.part before
refused "was not written by this command" traj --output cut.csv --resume
head -n 100 plain.csv >cut.csv.part
refused "was not written by this command" traj --output cut.csv --resume --gravity 0,0,-1
head -n 100 plain.csv >cut.csv.part
refused "was not written by this command" traj --output cut.csv --resume --link link1
[ -e cut.csv.part ] || fail "traj: the rows are gone"
printf '%s\n' "$(head -n 1 plain.csv)" "1,2,x" "3" >cut.csv.part
refused "was not written by this command" traj --output cut.csv --resume
rm cut.csv.part

# ---- simulate: killed twice, at any moment
echo '{"joints": {"joint1": [2, 0.5], "joint2": [1, 0]}}' >state.json
swing() { "$jounce" simulate double_pendulum --state state.json --time 1500 --samples 30001 "$@"; }
run() { "$jounce" simulate double_pendulum --state state.json --time 1500 --samples 30001 --output "$1" --resume 2>"$1.log"; }
run whole.csv || fail "simulate: $(cat whole.csv.log)"
cat >cut_off.py <<'EOF'
"""Starts a run and kills it (9) when its table has grown to so many bytes; once more if it was faster than that."""
import os, subprocess, sys
size, command = int(sys.argv[1]), sys.argv[2:]
before = os.path.exists("cut.csv.part") and open("cut.csv.part", "rb").read()
for _ in range(50):
    run = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    while run.poll() is None and not (os.path.exists("cut.csv.part") and os.path.getsize("cut.csv.part") >= size):
        pass
    run.kill()
    run.wait()
    if not os.path.exists("cut.csv"):
        sys.exit(not os.path.getsize("cut.csv.part") >= size)
    os.remove("cut.csv")
    if before: open("cut.csv.part", "wb").write(before)
sys.exit("the run cannot be caught")
EOF
cut_off() {
  python3 cut_off.py "$1" "$jounce" simulate double_pendulum --state state.json --time 1500 --samples 30001 \
    --output cut.csv --resume || fail "simulate: nothing is left of a killed run"
  [ ! -e cut.csv ] || fail "simulate: the killed run has a result"
}
size=$(wc -c <whole.csv)
cut_off 1000
cut_off $((size / 3))
run cut.csv || fail "simulate: not continued: $(cat cut.csv.log)"
cmp whole.csv cut.csv || fail "simulate: another table after two kills"
[ ! -e cut.csv.part.run ] || fail "simulate: cut.csv.part.run is left"
# a file that has changed in between, though the table goes on from its own rows
rm cut.csv
cut_off 1000
cp state.json kept.json
echo '{"joints": {"joint1": [1, 0.5], "joint2": [1, 0]}}' >state.json
refused "was not written by this command" swing --output cut.csv --resume
cp kept.json state.json
run cut.csv || fail "simulate: not continued with the file it began with: $(cat cut.csv.log)"
cmp whole.csv cut.csv || fail "simulate: another table after a refusal"
# the summary is of all rows
[ "$(grep ^energy whole.csv.log)" = "$(grep ^energy cut.csv.log)" ] || fail "simulate: another summary: $(cat cut.csv.log)"
head -n 5000 whole.csv >cut.csv.part
refused "was not written by this command" swing --output cut.csv --resume --gravity 0,0,-9

# ---- one process at a time, and only where it can be done
python3 - cut.csv.part <<'EOF' &
import fcntl, sys, time
f = open(sys.argv[1], "r+b")
fcntl.lockf(f, fcntl.LOCK_EX)
open("locked", "w").close()
time.sleep(600)
EOF
holder=$!
while [ ! -e locked ]; do sleep 0.05; done
refused "another process" swing --output cut.csv --resume
kill $holder
rm -f cut.csv.part
mkfifo cut.csv.part
refused "not a regular file" swing --output cut.csv --resume
rm cut.csv.part
refused "only with --output" "$jounce" simulate tilthex --time 1 --resume
refused "only with --output" "$jounce" simulate tilthex --time 1 --resume --output x.json
refused "only with --output" "$jounce" simulate tilthex --time 1 --resume --output x.csv --precision 5
refused "cannot be combined with --plot" "$jounce" simulate tilthex --time 1 --resume --output x.csv --drift
refused "cannot be combined with --plot" "$jounce" simulate tilthex --time 1 --resume --output x.csv --joints q1
refused "cannot be combined with --plot" "$jounce" traj pendulum swing.json --resume --output x.csv --report x.html
refused "cannot be combined with --tool" "$jounce" traj fourbar swing.json --resume --output x.csv
echo "resume: ok"
