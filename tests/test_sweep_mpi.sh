#!/bin/sh
# mpirun -n 2 jounce sweep: the files of one process with two threads, bit for bit; so they are after kill -9 of a rank
# in the middle, and --resume.
# usage: sh test_sweep_mpi.sh SOURCE_DIR BUILD_DIR
. "$1/tests/helpers/head.sh"
if ! command -v mpirun >/dev/null; then
  echo "SKIP: no mpirun (Debian: openmpi-bin)"
  exit 77
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
ranks="mpirun --oversubscribe -n 2"
cp "$source/examples/data/payload.json" .
$ranks "$jounce" sweep tilthex payload.json --folder ranks --text >said 2>ranks.err || fail "$(cat ranks.err)"
[ "$(grep -c "^worst peak" said)" = 1 ] || fail "not one of the processes wrote the result"
"$jounce" sweep tilthex payload.json --folder threads --threads 2 >/dev/null
diff -r threads ranks || fail "two processes and two threads differ"
# rank 1 and its program are killed when two shards of its own are there
sed 's/"samples": 1000/"samples": 3000/' payload.json >kill.json
cat >rank.sh <<'EOF'
"$1" sweep tilthex kill.json --folder killed --threads 1 &
if [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then
  while [ ! -e killed/shard-000003.json ]; do sleep 0.05; done
  kill -9 $!
  kill -9 $$
fi
wait $!
EOF
$ranks sh rank.sh "$jounce" >said 2>&1 && fail "mpirun did not see the kill"
[ -e killed/result.json ] && fail "a result without all shards"
[ -e killed/shard-000003.json ] || fail "no shard of the killed process"
$ranks "$jounce" sweep tilthex kill.json --folder killed --resume >said 2>ranks.err || fail "$(cat ranks.err)"
"$jounce" sweep tilthex kill.json --folder whole --threads 2 >/dev/null
diff -r whole killed || fail "the resumed job differs"
