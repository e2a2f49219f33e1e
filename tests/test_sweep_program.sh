#!/bin/sh
# jounce sweep: equal files from one thread, two threads and parts, and after damage and --resume; a full disk and an
# unwritable folder say what is missing; a sample's row is that of the direct command.
# usage: sh test_sweep_program.sh SOURCE_DIR BUILD_DIR
. "$1/tests/helpers/head.sh"
# equal FOLDER...: the same names and bytes as in the first
equal() {
  first=$1
  for folder; do diff -r "$first" "$folder" || fail "$folder differs from $first"; done
}

# one process, two threads; its report
cp "$source/examples/data/payload.json" .
"$jounce" sweep tilthex payload.json --threads 2 --report payload.html --text >said
grep -q "1000 samples" said || fail "$(cat said)"
grep -q "^worst peak tau':q2" said || fail "no worst case"
for word in Histograms "Bands over time" "Worst case" "tau':q2"; do
  grep -q "$word" payload.html || fail "the report has no $word"
done
ls payload.sweep | grep -q tmp && fail "temporary files remain"
(cd payload.sweep && for f in shard-*.json; do
  want=$(sed -n 's/.*"sha256": "\([0-9a-f]*\)".*/\1/p' "$f" | head -1)
  echo "$want  ${f%.json}.npy"
done | sha256sum --check --quiet) || fail "checksums are not those of sha256sum"

# one thread; two parts in any order, the last of which reduces
"$jounce" sweep tilthex payload.json --threads 1 --folder one --text >/dev/null
"$jounce" sweep tilthex payload.json --shard 2/2 --folder parts >said
[ -s said ] && fail "the first part reduced"
[ -e parts/result.json ] && fail "the first part reduced"
"$jounce" sweep tilthex payload.json --merge --folder parts 2>said && fail "merged half of the shards"
grep -q "31 of 63\|32 of 63" said || fail "$(cat said)"
"$jounce" sweep tilthex payload.json --shard 1/2 --folder parts >said
grep -q '"worst"' said || fail "the last part did not reduce"
equal payload.sweep one parts

# a folder is not used by accident, nor by another job, robot or instruction set
"$jounce" sweep tilthex payload.json 2>said && fail "the folder was used again"
grep -q -- "--resume" said || fail "$(cat said)"
sed 's/"seed": 1/"seed": 2/' payload.json >other.json
"$jounce" sweep tilthex other.json --folder one --resume 2>said && fail "another job"
grep -q "another job" said || fail "$(cat said)"
"$jounce" convert tilthex --output t.json 2>/dev/null >/dev/null
sed 's/"mass": 0.25/"mass": 0.26/' t.json >u.json
"$jounce" sweep u.json payload.json --folder one --resume 2>said && fail "another robot"
grep -q "another robot" said || fail "$(cat said)"
if JOUNCE_ISA=plain "$jounce" sweep tilthex payload.json --folder one --resume >/dev/null 2>said; then
  "$jounce" info tilthex >/dev/null # this machine has nothing but plain C
else
  grep -q "another instruction set.*strict" said || fail "$(cat said)"
fi

# --resume does a damaged and a missing shard again, and nothing else
printf 'x' | dd of=one/shard-000007.npy bs=1 seek=900 conv=notrunc 2>/dev/null
rm one/shard-000009.json one/bands-000011.npy
touch -d 2001-01-01 one/*.npy
"$jounce" sweep tilthex payload.json --folder one --resume >/dev/null
equal payload.sweep one
[ "$(find one -name 'shard-*.npy' -newermt 2002-01-01 | wc -l)" = 3 ] || fail "other shards were written"

# a full disk: the shards that fit are kept, the message says what is missing
(ulimit -f 8; "$jounce" sweep tilthex payload.json --folder full --threads 2 2>said) && fail "files above the limit"
grep -q "shards are missing in full: continue with --resume" said || fail "$(cat said)"
ls full | grep -q tmp && fail "temporary files remain on a full disk"
"$jounce" sweep tilthex payload.json --folder full --resume >/dev/null
equal payload.sweep full
"$jounce" sweep tilthex payload.json --folder /proc/sweep 2>said && fail "a folder in /proc"
grep -q "/proc/sweep: cannot make the folder" said || fail "$(cat said)"
: >file
"$jounce" sweep tilthex payload.json --folder file 2>said && fail "a file as a folder"

# an interrupt completes files and says how to go on
sed 's/"samples": 1000/"samples": 200000/' payload.json >long.json
"$jounce" sweep tilthex long.json --folder long 2>said &
while [ ! -e long/shard-000000.json ] && kill -0 $!; do sleep 0.1; done
kill -INT $! && wait $! && fail "an interrupt that does not end the program"
grep -q "interrupted.*--resume" said || fail "$(cat said)"
ls long | grep -q tmp && fail "temporary files remain"

# samples that fail are counted, in every format, and the statistics are those of the others; the robot of one says why
echo '{"run": "simulate", "time": 1, "samples": 8, "vary": {"mass:link1": {"uniform": [-1, 2]}}}' >negative.json
"$jounce" sweep pendulum negative.json --text >text 2>said || fail "some samples fail: $(cat said)"
grep -q "of 8 samples, [1-7] of them failed" text || fail "$(cat text)"
grep -q "[1-7] of 8 samples failed, the first is [0-7]: the model is invalid.*--sample [0-7] --robot FILE" said || fail "$(cat said)"
python3 - negative.sweep/result.json <<'EOF' || fail "failed samples are in the statistics"
import json, sys
r = json.load(open(sys.argv[1]))
assert 0 < r["failed"] < 8 and r["columns"]["mass:link1"]["least"] >= 0, r
EOF
first=$(sed -n 's/.*the first is \([0-9]*\).*/\1/p' said)
"$jounce" sweep pendulum negative.json --sample "$first" --robot wrong.json 2>said && fail "a sample that fails has a row"
grep -q "sample $first fails: the model is invalid" said || fail "$(cat said)"
"$jounce" simulate wrong.json --time 1 2>said && fail "a negative mass"
grep -q "negative mass" said || fail "$(cat said)"
sed 's/\[-1, 2\]/[-2, -1]/' negative.json >none.json
"$jounce" sweep pendulum none.json 2>said && fail "no sample succeeds, and all is well"
grep -q "no sample succeeded; see none.sweep/result.json" said || fail "$(cat said)"

# a sample's row is what the direct command says of the robot edited by hand
cat >swing.json <<'EOF'
{"kind": "minimum", "times": [0, 0.7, 2], "joints": {"joint1": [0, 1.2, 0.3], "joint2": [0, -0.8, 0.5]}}
EOF
cat >fall.json <<'EOF'
{"run": "simulate", "time": 1, "scheme": "rkmk4", "step": 0.01, "samples": 9, "vary":
 {"payload:link2": {"uniform": [0, 0.5]}, "q:joint1": {"normal": [1, 0.1]}, "tau:joint2": {"uniform": [-1, 1]}}}
EOF
"$jounce" sweep double_pendulum fall.json --sample 4 --robot edited.json >row.json
python3 - >state.json <<'EOF'
import json
row = json.load(open("row.json"))
print(json.dumps({"joints": {"joint1": [row["q:joint1"], 0], "joint2": [0, 0]}, "tau": {"joint1": [0], "joint2": [row["tau:joint2"]]}}))
EOF
"$jounce" simulate edited.json --state state.json --time 1 --scheme rkmk4 --step 0.01 --format json >direct.json
python3 - <<'EOF' || fail "the row is not that of jounce simulate"
import json, math, sys
row, direct = json.load(open("row.json")), json.load(open("direct.json"))
at = {name: i for i, name in enumerate(direct["columns"])}
want = [direct["rows"][-1][at[n]] for n in ("joint1", "joint2", "joint1'", "joint2'")]
got = [row[n] for n in ("final q:joint1", "final q:joint2", "final v:joint1", "final v:joint2")]
sys.exit(any(a != b for a, b in zip(want, got)))
EOF
cat >move.json <<'EOF'
{"run": "traj", "trajectory": "swing.json", "samples": 9, "instants": 51, "vary":
 {"mass:link1": {"uniform": [0.5, 2]}, "time_scale": {"uniform": [0.5, 2]}}}
EOF
"$jounce" sweep double_pendulum move.json --sample 7 --robot edited.json >row.json
scale=$(sed -n 's/.*"time_scale": \([0-9.e+-]*\).*/\1/p' row.json)
"$jounce" traj edited.json swing.json --order 1 --samples 51 --time-scale "$scale" --format json >direct.json
python3 - <<'EOF' || fail "the row is not that of jounce traj"
import json, sys
row, direct = json.load(open("row.json")), json.load(open("direct.json"))
bad = 0
for name, column in (("peak tau:joint1", "tau:joint1"), ("peak tau':joint2", "tau:joint2'")):
    i = direct["columns"].index(column)
    want = max(abs(r[i]) for r in direct["rows"])
    bad |= abs(row[name] - want) > 1e-14 * want
sys.exit(bad)
EOF
