# head.sh: the head of a test, test_NAME.sh SOURCE_DIR BUILD_DIR. It sets source, build, jounce (the program) and
# work: a new folder, which is the current one and is removed at the end.
set -eu
source=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
jounce=$build/jounce
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
cd "$work"
fail() { echo "FAILED: $*" >&2; exit 1; }
