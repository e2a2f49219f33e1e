# jounce.wasm: the program and the direct calls of calls.c in one module; tools/wasm makes the package around it
if(JOUNCE_LOADERS)
  add_executable(jounce_wasm wasm/calls.c wasm/posix/posix.c $<TARGET_OBJECTS:jounce_cli> ${CMAKE_BINARY_DIR}/report_assets.c)
  set_target_properties(jounce_wasm PROPERTIES OUTPUT_NAME jounce SUFFIX .wasm EXCLUDE_FROM_ALL ON)
  target_include_directories(jounce_wasm PRIVATE cli src)
  target_link_libraries(jounce_wasm PRIVATE jounce_static jounce_flags PkgConfig::JANSSON)
  # an overflow of the stack is a trap; it is as large as that of a process
  target_link_options(jounce_wasm PRIVATE -mexec-model=reactor -Wl,--stack-first -Wl,-z,stack-size=8388608 -Wl,--strip-all -lwasi-emulated-getpid)
endif()

# a hash of strict results, to be compared with the native one; needs no loaders
add_executable(determinism_wasm tests/determinism.c tests/helpers/rng.c wasm/posix/posix.c)
set_target_properties(determinism_wasm PROPERTIES OUTPUT_NAME determinism SUFFIX .wasm EXCLUDE_FROM_ALL ON)
target_include_directories(determinism_wasm PRIVATE tests)
target_link_libraries(determinism_wasm PRIVATE jounce_static jounce_flags)
target_link_options(determinism_wasm PRIVATE -Wl,--stack-first -Wl,-z,stack-size=8388608 -lwasi-emulated-getpid)

# no -msimd128: with clang 14 the results of a batch differ from those of single calls
