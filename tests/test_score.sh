#!/bin/sh
# The scorecard: a program that reports success but ends with an error does not pass; nor does one whose result cannot be
# read, and the other lines are still measured; a missing one is reported as not measured.
# usage: sh test_score.sh SOURCE_DIR BUILD_DIR
set -eu
source=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tools" "$work/docs" "$work/build"
cp "$source/tools/score" "$work/tools/score"
cat >"$work/tools/good" <<'X'
#!/bin/sh
echo 'order 0   1.5   2.5   3.5'
echo 'score {"line": 1, "measured": "1 u", "target": "2 u", "pass": true}'
X
cat >"$work/tools/liar" <<'X'
#!/bin/sh
echo 'score {"line": 2, "measured": "1 u", "target": "2 u", "pass": true}'
exit 1
X
echo 'echo nothing to see' >"$work/tools/mute"
# cut off within its result; bytes that are no text; "pass" is no truth value
echo 'printf "\377\n"; echo "score {\"line\": 5, \"measured\"}"' >"$work/tools/torn"
echo 'echo "score {\"line\": 6, \"measured\": \"1\", \"target\": \"2\", \"pass\": \"false\"}"' >"$work/tools/vague"
chmod +x "$work"/tools/*
cat >"$work/tools/scorecard.py" <<'X'
LINES = [dict(line=i + 1, what="line " + name, means="It.", quick=["tools/" + name], full=["tools/" + name])
         for i, name in enumerate(["good", "liar", "mute", "absent", "torn", "vague"])]
PROMISES = [("Word", "kept.")]
X
failed=0
want() { # TEXT FILE
  grep -q -- "$1" "$2" || { echo "missing: $1"; cat "$2"; failed=1; }
}
status=0
(cd "$work" && python3 tools/score) >"$work/out" 2>&1 || status=$?
[ $status = 3 ] || { echo "exit status $status, 3 expected"; cat "$work/out"; failed=1; }
want "line good  *pass" "$work/out"
want "line liar  *falls short" "$work/out"
want "line mute  *falls short" "$work/out"
want "line absent  *not measured" "$work/out"
want "line torn  *falls short" "$work/out"
want "line vague  *falls short" "$work/out"
want "there is no tools/absent" "$work/out"
want "1 of 6 lines at target" "$work/docs/trust.md"
want "| 0 | 1.5 | 2.5 | 3.5 |" "$work/docs/trust.md"
want "not measured" "$work/docs/trust.md"
# a quick run does not change the stored results
cp "$work/docs/trust.md" "$work/before"
(cd "$work" && python3 tools/score --quick) >/dev/null 2>&1 || true
cmp "$work/before" "$work/docs/trust.md" || failed=1
# one line; one that cannot be measured; one that does not exist
expect() { # STATUS ARGUMENT...
  wanted=$1
  shift
  status=0
  (cd "$work" && python3 tools/score "$@") >"$work/out" 2>&1 || status=$?
  [ $status = "$wanted" ] || { echo "$*: exit status $status, $wanted expected"; cat "$work/out"; failed=1; }
}
expect 0 --line 1
want "1 of 1 lines" "$work/out"
expect 3 --line 4
want "there is no tools/absent" "$work/out"
expect 0 --quick --build nosuch --line 4
expect 2 --line 7
want "invalid choice: 7" "$work/out"
[ $failed = 0 ] && echo "ok"
exit $failed
