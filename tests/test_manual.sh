#!/bin/sh
# Manual page and completions are installed, contain every command and option, and work; the program accepts every
# option that a help text names.
# usage: sh test_manual.sh SOURCE_DIR BUILD_DIR
set -eu
build=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
fail() { echo "FAILED: $*" >&2; exit 1; }
cmake --install "$build" --prefix "$work/prefix" >/dev/null
share=$work/prefix/share
program=$work/prefix/bin/jounce
page=$(find "$work/prefix" -name jounce.1)
[ -n "$page" ] || fail "no manual page installed"

# --help names a documentation that is there: none, in the build folder, installed
mkdir -p "$work/only/bin" "$work/tree/docs" "$work/there/bin" "$work/there/share/doc/jounce/html"
cp "$program" "$work/only/bin/" && cp "$program" "$work/tree/" && cp "$program" "$work/there/bin/"
echo x >"$work/tree/docs/index.html" && echo x >"$work/there/share/doc/jounce/html/index.html"
"$work/only/bin/jounce" --help | grep -q '^Documentation: docs/index.md of the source' || fail "no documentation is named"
for folder in "$work/tree/docs" "$work/there/share/doc/jounce/html"; do
  case $folder in *tree*) at=$work/tree ;; *) at=$work/there/bin ;; esac
  [ "$("$at/jounce" --help | sed -n 's/^Documentation: //p')" = "$folder/index.html" ] || fail "--help names another folder than $folder"
  "$at/jounce" help retime | tail -n 1 | grep -qF "docs/NAME.md is $folder/NAME.html" || fail "help retime does not say where pages are"
done
[ -e "$work/prefix/share/doc/jounce/examples/lqr.py" ] || fail "examples are not installed"

commands=$("$program" --help | awk '/^commands:/ { on = 1; next } on && /^$/ { exit } on { print $1 }')
[ "$(echo "$commands" | wc -l)" -gt 10 ] || fail "commands are missing: $commands"
for command in $commands; do
  grep -q "^\.B $command\$" "$page" || fail "jounce.1 lacks $command"
  for option in $("$program" help "$command" | grep '^  --' | grep -o -- '--[a-z][a-z-]*'); do
    # with a value that no option takes: it may be refused, but not as unknown
    case $("$program" "$command" nowhere.urdf "$option" '?' 2>&1 </dev/null) in
    *"unknown option '$option'"*) fail "the help of $command names $option, which it does not know" ;;
    esac
    echo "$option"
  done >>"$work/options"
done
count=$(wc -l <"$work/options")
for option in $(sort -u "$work/options"); do
  for file in "$share/bash-completion/completions/jounce" "$share/zsh/site-functions/_jounce" \
    "$share/fish/vendor_completions.d/jounce.fish"; do
    grep -q -- "${option#--}" "$file" || fail "$(basename "$file") lacks $option"
  done
  grep -q -- "$(echo "$option" | sed 's/-/.-/g')" "$page" || fail "jounce.1 lacks $option"
done
echo "ok  $count options of $(echo "$commands" | wc -l) commands"

if command -v groff >/dev/null; then
  [ -z "$(groff -man -Tutf8 -ww -rLL=200n "$page" 2>&1 >"$work/man.txt")" ] || fail "groff warns about jounce.1"
  grep -q 'tau' "$work/man.txt" || fail "jounce.1 is empty"
  echo "ok  jounce.1: $(wc -l <"$work/man.txt") lines"
else
  echo "left out: no groff to read jounce.1 with"
fi

# complete SHELL WORDS WANTED: the completions of the last word
cat >"$work/try.bash" <<'EOF'
. "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_jounce
echo "${COMPREPLY[@]}"
EOF
if command -v bash >/dev/null; then
  offered() { bash "$work/try.bash" "$share/bash-completion/completions/jounce" "$@"; }
  [ "$(offered jounce sim)" = simulate ] || fail "bash: jounce sim"
  [ "$(offered jounce simulate tilthex --sch)" = --scheme ] || fail "bash: --sch"
  [ "$(offered jounce simulate tilthex --scheme var)" = variational ] || fail "bash: --scheme var"
  [ "$(offered jounce id tilt)" = tilthex ] || fail "bash: id tilt"
  echo "ok  bash"
fi
for shell in zsh fish; do
  command -v $shell >/dev/null || { echo "left out: no $shell"; continue; }
  [ $shell = zsh ] && file=$share/zsh/site-functions/_jounce || file=$share/fish/vendor_completions.d/jounce.fish
  $shell -n "$file" || fail "$shell does not read its completion"
  echo "ok  $shell"
done
