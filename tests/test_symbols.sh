#!/bin/sh
# The symbols of the library: no writable globals, only names jn_*, no calls that print or end the
# program.
# usage: test_symbols.sh SOURCE_DIR BUILD_DIR
set -eu
build=$2
archive=$build/libjounce.a
shared=$build/libjounce.so
failed=0

complain() {
  echo "$1:" >&2
  echo "$2" | sed 's/^/  /' >&2
  failed=1
}

if grep -q '^JOUNCE_SANITIZE:BOOL=\(ON\|1\|TRUE\)' "$build/CMakeCache.txt" 2>/dev/null; then
  echo "skipped: sanitizers add symbols of their own"
  exit 0
fi
for file in "$archive" "$shared"; do
  if [ ! -e "$file" ]; then
    echo "$file is missing: build it first" >&2
    exit 1
  fi
done

# sections that can be written after loading (.data.rel.ro cannot)
globals=$(size -A "$archive" | awk '
  / *:$/ || /:  *$/ { object = $1 }
  $1 ~ /^\.(data|bss|tdata|tbss)/ && $1 !~ /^\.data\.rel\.ro/ && $2 > 0 { print object, $1, $2, "bytes" }')
[ -z "$globals" ] || complain "writable globals" "$globals"
common=$(nm "$archive" 2>/dev/null | awk '$2 == "C" { print $3 }')
[ -z "$common" ] || complain "common symbols" "$common"

# all names that a program can link to, statically or dynamically
names=$(nm -D --defined-only "$shared" | awk '{ print $NF }' | sed 's/@.*//' | grep -v '^jn_' || true)
[ -z "$names" ] || complain "names in $(basename "$shared") that do not start with jn_" "$names"
names=$(nm -g --defined-only "$archive" 2>/dev/null | awk 'NF == 3 { print $3 }' | grep -v '^jn_' || true)
[ -z "$names" ] || complain "names in $(basename "$archive") that do not start with jn_" "$names"
exported=$(nm -D --defined-only "$shared" | grep -c ' T jn_' || true)
if [ "$exported" -lt 20 ]; then complain "hardly anything is exported" "$exported functions"; fi

# snprintf writes to memory and fprintf to a file of the caller; these functions write to the terminal, end
# the program or change its locale
for name in printf vprintf puts putchar putc fputc_stdout perror stdout stderr __printf_chk __vprintf_chk \
            exit _exit _Exit quick_exit abort __assert_fail raise signal setlocale system popen fork; do
  users=$(nm -A -u "$archive" 2>/dev/null | awk -v name="$name" '$NF == name { print $1 }' | sort -u)
  [ -z "$users" ] || complain "'$name' is used by" "$users"
done

# a vectorised loop may need the position of the floating-point unit, never its settings
for name in fesetround fesetenv feenableexcept; do
  users=$(nm -A -u "$archive" 2>/dev/null | awk -v name="$name" '$NF == name { print $1 }' | sort -u)
  [ -z "$users" ] || complain "'$name' is used by" "$users"
done

[ "$failed" = 0 ] && echo "$exported functions exported, all jn_; no writable globals; nothing prints"
exit $failed
