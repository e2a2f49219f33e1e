#!/bin/sh
# Runs every code block of README.md, docs/*.md and docs/tutorials/*.md, or of the pages named. The blocks of a page share a folder and run in order:
#   `NAME`: before a block     the block is saved as NAME (a model, a state, a table, a program)
#   sh                         run by sh -e with the built program on PATH; must succeed
#   console                    lines "$ command", then what it prints
#   c                          a program, or statements put where docs_block.c says BLOCK; compiled, linked, run
#   python                     run with the built module; skipped with a message without it
#   js                         run by node with the npm package, where make wasm has built it
#   output                     the expected output of the block before it
#   json csv xml cmake         must have a name, for use by a later block
#   text                       nothing to run
# Blocks indented by four spaces are formulas.
# usage: sh test_docs.sh SOURCE_DIR BUILD_DIR [PAGE...]
set -eu
source=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
shift 2
# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $(cd "$source" && echo README.md docs/*.md docs/tutorials/*.md)
cache=$build/CMakeCache.txt
if grep -q '^JOUNCE_SANITIZE:BOOL=\(ON\|1\|TRUE\)$' "$cache"; then
  echo "skipped: a sanitizer build needs its own flags and runtime"
  exit 0
fi
cc=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$cache")
cc=${CC:-${cc:-cc}}
private=$(sed -n 's/^Libs.private: *//p' "$build/jounce.pc")
libs="-lexpat -ljansson -lyaml ${private:--lm}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
failed=0
ran=0

# commands after 'make install', and 'make' itself: its targets must exist; 'install' counts as done
cmake --install "$build" --prefix "$work/prefix" >/dev/null
libdir=$(dirname "$(find "$work/prefix" -name libjounce.a)")
mkdir "$work/bin"
cat >"$work/bin/make" <<EOF
#!/bin/sh
mkdir -p build && ln -sf "$build/jounce" build/jounce
exec "$(command -v make)" -n -C "$source" "\$@" >/dev/null
EOF
chmod +x "$work/bin/make"
PATH=$work/bin:$build:$PATH
PKG_CONFIG_PATH=$libdir/pkgconfig
LD_LIBRARY_PATH=$libdir
CMAKE_PREFIX_PATH=$work/prefix
PYTHONPATH=$build/python
export PATH PKG_CONFIG_PATH LD_LIBRARY_PATH CMAKE_PREFIX_PATH PYTHONPATH
python=
for candidate in /usr/bin/python3 python3; do
  if [ -z "$python" ] && $candidate -c 'import jounce' 2>/dev/null; then python=$candidate; fi
done
[ -n "$python" ] || echo "left out: python blocks (no built module)"

node=
if command -v node >/dev/null && [ -e "$build/wasm/package/jounce.wasm" ]; then
  node=node
  mkdir "$work/node_modules" && ln -s "$build/wasm/package" "$work/node_modules/jounce"
else
  echo "left out: js blocks (make wasm builds the package)"
fi

bad() {
  echo "FAILED: $*"
  failed=1
}

# run_c BLOCK: a program, or statements for docs_block.c
run_c() {
  flags="-Wall -Wextra -Wshadow -Werror"
  if grep -q 'int main(' "$1"; then
    cp "$1" "$1.c"
  else
    flags="$flags -Wno-unused"
    awk -v block="$1" '/^ *BLOCK$/ { while ((getline line < block) > 0) print line; next } { print }' \
      "$source/tests/docs_block.c" >"$1.c"
  fi
  # shellcheck disable=SC2086
  "$cc" -std=c11 $flags -O1 -I"$source/include" "$1.c" -o "$1.exe" "$build/libjounce.a" $libs && "$1.exe"
}

# run_console BLOCK: every command must print what the page shows
run_console() {
  awk '/^\$ / { sub(/^\$ /, ""); on = 1 } on { print; on = /\\$/ }' "$1" >"$1.sh"
  awk '/^\$ / { on = 1 } on { on = /\\$/; next } { print }' "$1" >"$1.want"
  sh -e "$1.sh" >"$1.got" 2>&1 && diff "$1.want" "$1.got"
}

# run_block PLACE FILE KIND NAME
run_block() {
  place=$1 file=$2 kind=$3 name=$4
  [ -z "$name" ] || { mkdir -p "$(dirname "$name")" && cp "$file" "$name"; }
  case $kind in
  text) return 0 ;;
  output)
    [ -n "$last" ] || return 0
    diff "$file" "$last" || bad "$place: prints something else"
    return 0
    ;;
  json | csv | xml | cmake)
    [ -n "$name" ] || bad "$place: a block of $kind that nothing uses: give it a \`NAME\`: before it"
    return 0
    ;;
  esac
  last=$file.out
  case $kind in
  sh) sh -e "$file" >"$last" 2>&1 || { cat "$last"; bad "$place: failed"; } ;;
  console) run_console "$file" || bad "$place: prints something else" ;;
  c) run_c "$file" >"$last" 2>&1 || { cat "$last"; bad "$place: does not compile or fails"; } ;;
  python)
    [ -n "$python" ] || { last=; return 0; }
    $python -W error "$file" >"$last" 2>&1 || { cat "$last"; bad "$place: failed"; }
    ;;
  js)
    [ -n "$node" ] || { last=; return 0; }
    cp "$file" "$file.mjs"
    $node "$file.mjs" >"$last" 2>&1 || { cat "$last"; bad "$place: failed"; }
    ;;
  *) bad "$place: a block of kind '$kind'; mark what cannot be run as text" ;;
  esac
  ran=$((ran + 1))
}

for page in "$@"; do
  page=$source/$page
  folder=$work/$(basename "$page" .md)
  mkdir "$folder"
  cp -r "$source/examples" "$folder/examples"
  # blocks to files; a list of: number of line, file, kind, name
  awk -v at="$folder/.block" '
    /^ *```/ {
      if (file) { close(file); file = ""; before = "" }
      else {
        kind = $0; sub(/^ *```/, "", kind); sub(/ .*/, "", kind)
        n++; file = at n; name = "-"
        if (match(before, /`[^`]+`:$/)) name = substr(before, RSTART + 1, RLENGTH - 3)
        print NR, file, kind == "" ? "none" : kind, name
        printf "" > file
      }
      next
    }
    file { print > file; next }
    /^    +((jounce|make|cmake|cc|\$|python3) |jn_|#include|static )/ && blank { print NR, "-", "indented", "-" }
    { blank = /^ *$/; if (!blank) before = $0 }' "$page" >"$folder/.list"
  cd "$folder"
  while read -r line file kind name; do
    [ "$name" != - ] || name=
    if [ "$kind" = none ] || [ "$kind" = indented ]; then
      bad "$(basename "$page"):$line: a block without a kind"
    else
      run_block "$(basename "$page"):$line" "$file" "$kind" "$name" </dev/null
    fi
  done <.list
  echo "$(basename "$page"): $(wc -l <.list) blocks"
done
echo "$ran blocks run"
exit $failed
