#!/bin/sh
# jounce in WebAssembly gives the bits of the native program. A sample: the dynamics without loaders, compiled without
# optimisation. JOUNCE_WASM=full (make test-wasm): the npm package in node and Chromium, and the playground.
# usage: sh test_wasm.sh SOURCE_DIR BUILD_DIR
set -eu
source=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
fail() { echo "FAILED: $*" >&2; exit 1; }
skip() { echo "SKIP: $*"; exit 77; }
for tool in node clang wasm-ld llvm-ar; do
  command -v $tool >/dev/null || skip "$tool is missing ('make test-wasm' installs it)"
done
[ -e /usr/include/wasm32-wasi/stdio.h ] || skip "wasi-libc is missing ('make test-wasm' installs it)"
[ -e "$(clang --target=wasm32-wasi -print-libgcc-file-name)" ] || skip "compiler-rt for wasm32 is missing"
[ -x "$build/tests/determinism" ] || skip "tests/determinism is not built"

# hash MODULE CASES
same_bits() {
  want=$("$build/tests/determinism" --cases "$2" | tail -n 1)
  got=$(node "$source/tests/wasm/determinism.mjs" "$source/wasm/wasi.js" "$1" "$2" | tail -n 1)
  [ -n "$want" ] && [ "$got" = "$want" ] || fail "WebAssembly gives the hash $got, this machine $want"
  echo "ok  $2 cases in WebAssembly have the hash of this machine, $want"
}

if [ "${JOUNCE_WASM:-}" = full ]; then
  package=$build/wasm/package
  [ -e "$package/jounce.wasm" ] || fail "make wasm first"
  same_bits "$build/wasm/cmake/determinism.wasm" 2000
  node "$source/tests/wasm/compare.mjs" "$package" "$build/jounce" "$source/examples/data"
  # what npm would publish holds what it needs
  if command -v npm >/dev/null; then
    (cd "$package" && npm pack --dry-run --json --ignore-scripts 2>/dev/null) >"$build/wasm/pack.json"
    for file in index.js index.d.ts wasi.js jounce.wasm README.md LICENSE licenses/expat; do
      grep -q "\"$file\"" "$build/wasm/pack.json" || fail "the package lacks $file"
    done
    echo "ok  the files of the package"
  fi
  chromium=$(command -v chromium || command -v chromium-browser) || fail "Chromium is missing"
  mkdir -p "$build/wasm/pictures"
  node "$source/tests/wasm/browser.mjs" "$build/wasm" "$build/jounce" "$source/examples/data" "$chromium" "$build/wasm/pictures"
  exit 0
fi

sample=$build/wasm-sample
cmake -S "$source" -B "$sample" -DCMAKE_TOOLCHAIN_FILE="$source/wasm/toolchain.cmake" -DJOUNCE_LOADERS=OFF -DJOUNCE_CLI=OFF \
  -DJOUNCE_OPENMP=OFF -DCMAKE_C_FLAGS_RELEASE="-O0 -DNDEBUG -DJN_SMALL" -Wno-dev >"$sample.log" 2>&1 &&
  cmake --build "$sample" -j 2 --target determinism_wasm >>"$sample.log" 2>&1 || { tail -n 20 "$sample.log" >&2; fail "the build"; }
rm -f "$sample.log"
same_bits "$sample/determinism.wasm" 40
# the control: another number of cases has another hash
other=$("$build/tests/determinism" --cases 41 | tail -n 1)
[ "$other" != "$want" ] || fail "the hash does not depend on the cases"
# with the package there, the program itself
if [ -e "$build/wasm/package/jounce.wasm" ] && [ "$build/wasm/package/jounce.wasm" -nt "$build/jounce" ]; then
  node "$source/tests/wasm/compare.mjs" "$build/wasm/package" "$build/jounce" "$source/examples/data" --quick
fi
