# The text of src/inst once more for each instruction set; plain C is compiled with the rest of the library. Which one
# runs is decided on the machine it runs on (src/base/cpu.c). Fuzzing is after readers and checks: plain C will do.
set(JOUNCE_INST_OBJECTS "")
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$" OR JOUNCE_FUZZ)
  return()
endif()
set(JOUNCE_DEFINES JOUNCE_X86)
set(JOUNCE_AVX_LEVEL -O3 CACHE STRING "optimisation of the files of an instruction set")

# gcc 12 turns a condition around vector operations in a loop into a mask of one lane (AVX-512)
check_c_compiler_flag(-fno-tree-loop-if-convert JOUNCE_HAS_NO_IF_CONVERT)
if(JOUNCE_HAS_NO_IF_CONVERT)
  set(JOUNCE_NO_IF_CONVERT -fno-tree-loop-if-convert)
endif()

set(JOUNCE_AVX2 ${JOUNCE_AVX_LEVEL} ${JOUNCE_NO_IF_CONVERT} -mavx2 -mfma -ffp-contract=fast)
set(JOUNCE_AVX512 ${JOUNCE_AVX2} -mavx512f -mavx512vl -mavx512dq -mprefer-vector-width=256)
set(JOUNCE_PACK512 ${JOUNCE_AVX512} -mprefer-vector-width=512)
# one state: a load from two registers' stores is forwarded, a load from one wider store waits
set(JOUNCE_BODY512 ${JOUNCE_AVX512})
check_c_compiler_flag(-mmove-max=256 JOUNCE_HAS_MOVE_MAX)
if(JOUNCE_HAS_MOVE_MAX)
  list(APPEND JOUNCE_BODY512 -mmove-max=256 -mstore-max=256)
endif()
# batches: unrolled orders are not merged again, jumps cost more than copies
set(JOUNCE_BATCH512 ${JOUNCE_PACK512})
check_c_compiler_flag("-fno-crossjumping -freorder-blocks-algorithm=simple" JOUNCE_HAS_NO_CROSSJUMPING)
if(JOUNCE_HAS_NO_CROSSJUMPING)
  list(APPEND JOUNCE_BATCH512 -fno-crossjumping -freorder-blocks-algorithm=simple)
endif()

# jounce_compile_for(UNIT ISA STATES FREEDOMS flags...): src/inst/UNIT.c; see src/inst/entry.h
function(jounce_compile_for unit isa states freedoms)
  set(name jounce_${unit}_${isa})
  add_library(${name} OBJECT src/inst/${unit}.c)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
  target_compile_definitions(${name} PRIVATE JN_BUILDING ${JOUNCE_DEFINES} JN_ISA=${isa} JN_STATES=${states}
    JN_FREEDOMS=${freedoms} $<TARGET_PROPERTY:jounce_flags,INTERFACE_COMPILE_DEFINITIONS>)
  # the flags of the instruction set come last
  target_compile_options(${name} PRIVATE $<TARGET_PROPERTY:jounce_flags,INTERFACE_COMPILE_OPTIONS>
    -Wdouble-promotion ${ARGN})
  set(JOUNCE_INST_OBJECTS ${JOUNCE_INST_OBJECTS} $<TARGET_OBJECTS:${name}> PARENT_SCOPE)
endfunction()

#                  unit       name          states freedoms flags
jounce_compile_for(body       avx2          4 4 ${JOUNCE_AVX2})
jounce_compile_for(directions avx2          4 4 ${JOUNCE_AVX2})
jounce_compile_for(motion     avx2          4 4 ${JOUNCE_AVX2})
jounce_compile_for(freedoms   avx2          4 4 ${JOUNCE_AVX2})
jounce_compile_for(batch      avx2          4 4 ${JOUNCE_AVX2})
jounce_compile_for(body       avx512        8 4 ${JOUNCE_BODY512})
jounce_compile_for(directions avx512        8 4 ${JOUNCE_PACK512})
jounce_compile_for(motion     avx512        8 4 ${JOUNCE_AVX512})
jounce_compile_for(freedoms   avx512        8 4 ${JOUNCE_AVX512})
jounce_compile_for(batch      avx512        8 4 ${JOUNCE_BATCH512})
# strict: no fused multiply-add, the bits of plain C (clang's -mavx512f defines __FMA__ all the same)
jounce_compile_for(batch      avx2_strict   4 4 ${JOUNCE_AVX_LEVEL} -DSTRICT ${JOUNCE_NO_IF_CONVERT} -mavx2)
jounce_compile_for(batch      avx512_strict 8 4 ${JOUNCE_AVX_LEVEL} -DSTRICT ${JOUNCE_NO_IF_CONVERT} -mavx512f -mavx512vl -mavx512dq -mprefer-vector-width=512)
# the clock solver: the same bits everywhere
jounce_compile_for(clock      avx2          4 4 ${JOUNCE_AVX_LEVEL} ${JOUNCE_NO_IF_CONVERT} -mavx2)
jounce_compile_for(clock      avx512        8 4 ${JOUNCE_AVX_LEVEL} ${JOUNCE_NO_IF_CONVERT} -mavx512f -mavx512vl -mavx512dq -mprefer-vector-width=512)
