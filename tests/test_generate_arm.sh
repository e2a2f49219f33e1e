#!/bin/sh
# Generated code on emulated microcontrollers: Cortex-M4 (single precision) and Cortex-M7 (double precision), with the
# instructions of a call.
# usage: sh test_generate_arm.sh SOURCE_DIR BUILD_DIR
. "$1/tests/helpers/head.sh"
[ -n "${JOUNCE_ARM_LEVEL:-}" ] || { echo "SKIP: make test-arm runs it (a minute)"; exit 77; }
for tool in arm-none-eabi-gcc qemu-system-arm; do
  command -v $tool >/dev/null || { echo "SKIP: no $tool (make test-arm installs it)"; exit 77; }
done

# try NAME PROCESSOR UNIT BOARD
try() {
  arm-none-eabi-gcc "$JOUNCE_ARM_LEVEL" -mthumb -mcpu="$2" -mfpu="$3" -mfloat-abi=hard -Wall -Wextra -Werror -Wno-psabi -DCOUNT=instructions \
    --specs=rdimon.specs -nostartfiles -T "$source/tests/arm/mps2.ld" -o "$1.elf" "$1/$1.c" "$1/$1_test.c" \
    "$source/tests/arm/start.c" -lm || fail "$1: $2"
  qemu-system-arm -machine "$4" -icount shift=0 -display none -monitor none -serial none -semihosting -kernel "$1.elf" \
    </dev/null >"$1.out" 2>&1 || { cat "$1.out"; fail "$1: $2"; }
  echo "$1, $2"
  cat "$1.out"
  grep -q 'id0  *[1-9][0-9]* a call' "$1.out" || fail "$1: $2: instructions are not counted"
}
for scalar in float double; do
  "$build/jounce" generate tilthex --id 0-2 --fd 0 --mass --kinematics 0 --representation body --scalar $scalar \
    --name hex_$scalar --output hex_$scalar -q
  "$build/jounce" generate "$source/tests/data/odd/all_joint_types.json" --id 0 --fd 0 --mass --kinematics 1 --scalar $scalar \
    --name all_$scalar --output all_$scalar -q
done
for robot in hex all; do
  try ${robot}_float cortex-m4 fpv4-sp-d16 mps2-an386
  try ${robot}_double cortex-m7 fpv5-d16 mps2-an500
done
try hex_double cortex-m4 fpv4-sp-d16 mps2-an386
# a wrong number fails: the emulator passes the exit status on
sed -i 's/v3_times(l->m,/v3_times(2 * l->m,/' hex_float/hex_float.c
if (try hex_float cortex-m4 fpv4-sp-d16 mps2-an386) >/dev/null 2>&1; then fail "a fault does not appear"; fi
echo "ok  a fault appears"
