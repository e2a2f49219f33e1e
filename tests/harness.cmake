# programs that print a line of the scorecard (docs/trust.md): quick in ctest, in full with --full
foreach(name poison bad_models oom)
  add_executable(${name} ${name}.c)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_link_libraries(${name} PRIVATE test_helpers)
  add_test(NAME ${name} COMMAND ${name})
endforeach()
add_executable(hot ${CMAKE_SOURCE_DIR}/bench/hot.c failing_malloc.c)
set_target_properties(hot PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
target_link_libraries(hot PRIVATE test_helpers ${CMAKE_DL_LIBS})
add_test(NAME hot COMMAND hot --score 20000)
# malloc that fails: in the test itself, and to be loaded before the program
add_library(failing_malloc MODULE failing_malloc.c)
set_target_properties(failing_malloc PROPERTIES C_VISIBILITY_PRESET default
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
target_compile_definitions(failing_malloc PRIVATE PRELOADED)
target_sources(oom PRIVATE failing_malloc.c)
target_compile_definitions(oom PRIVATE TEST_FAILING_MALLOC="$<TARGET_FILE:failing_malloc>")
add_dependencies(oom failing_malloc jounce)
