# PTX of the kernels for any robot (src/core/body/generic.h), compiled by clang: no CUDA is needed. Where clang is missing, or has
# no NVPTX, libjounce_gpu is built without them.
if(CMAKE_SCRIPT_MODE_FILE)
  include(${CMAKE_CURRENT_LIST_DIR}/bytes.cmake)
  # cmake -DOUTPUT=file.c "-DINPUT=a.ptx;b.ptx" -P generic_ptx.cmake
  set(text "/* made by cmake/generic_ptx.cmake */\nextern const char *const jn_generic_texts[];\n")
  set(table "")
  set(n 0)
  foreach(name ${INPUT})
    file(READ "${name}" bytes HEX)
    jounce_bytes(text${n} "${bytes}" array)
    string(APPEND text "static ${array}")
    string(APPEND table " text${n},")
    math(EXPR n "${n} + 1")
  endforeach()
  file(WRITE "${OUTPUT}" "${text}const char *const jn_generic_texts[] = {${table} 0};\n")
  return()
endif()

find_program(JOUNCE_PTX_CLANG NAMES clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14)
set(JOUNCE_GENERIC_PTX "")
if(JOUNCE_PTX_CLANG AND JOUNCE_LOADERS AND NOT CMAKE_CROSSCOMPILING AND NOT JOUNCE_WASM)
  execute_process(COMMAND ${JOUNCE_PTX_CLANG} --print-targets OUTPUT_VARIABLE targets ERROR_QUIET)
  if(targets MATCHES "nvptx64")
    add_executable(generic_text src/gpu/ptx/text.c)
    target_link_libraries(generic_text PRIVATE jounce_static jounce_flags)
    set(folder ${CMAKE_BINARY_DIR}/generic)
    set(prelude ${CMAKE_SOURCE_DIR}/src/gpu/ptx/prelude.h)
    file(MAKE_DIRECTORY ${folder})
    foreach(kernel id0 id1 id2 id3 id4 id5 fd0 fd1 fd2) # the order of jn_generic_texts
      add_custom_command(OUTPUT ${folder}/${kernel}.ptx
        COMMAND generic_text ${kernel} ${folder}/${kernel}.cu
        COMMAND ${JOUNCE_PTX_CLANG} -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_70 -std=c++17 -O2
          -fno-builtin -ffp-contract=off -w -include ${prelude} -S ${folder}/${kernel}.cu -o ${folder}/${kernel}.ptx
        DEPENDS generic_text ${prelude} VERBATIM)
      list(APPEND JOUNCE_GENERIC_PTX ${folder}/${kernel}.ptx)
    endforeach()
    add_custom_command(OUTPUT ${folder}/ptx.c
      COMMAND ${CMAKE_COMMAND} -DOUTPUT=${folder}/ptx.c "-DINPUT=${JOUNCE_GENERIC_PTX}"
        -P ${CMAKE_SOURCE_DIR}/cmake/generic_ptx.cmake
      DEPENDS ${JOUNCE_GENERIC_PTX} ${CMAKE_SOURCE_DIR}/cmake/generic_ptx.cmake VERBATIM)
    target_sources(jounce_gpu_objects PRIVATE ${folder}/ptx.c)
    target_compile_definitions(jounce_gpu_objects PRIVATE JN_GENERIC_PTX=1)
  endif()
endif()
