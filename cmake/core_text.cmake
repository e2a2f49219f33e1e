# The headers of the core as text, for generated code (src/generate): in the order of their use.
set(JOUNCE_CORE_TEXT scalar/preamble.h model/link.h scalar/lanes.h scalar/double.h scalar/dual.h scalar/pack.h
    scalar/plain.h
    core/algebra/algebra.h core/algebra/inertia.h core/algebra/inertia10.h model/arrays.h core/work.h
    core/algebra/representation.h base/sincos.h core/body/joint.h
    core/body/base.h core/body/link.h core/body/link_view.h core/body/rnea.h core/body/classical.h core/body/aba.h core/body/crba.h core/body/free_joint.h
    core/body/checked.h core/body/baked_dual.h core/body/baked.h core/body/coupled_factor.h core/body/baked_coupled.h ../include/jounce/rotation.h ../include/jounce/spatial.h base/arctangent.h base/vec.h core/group_joint.h
    integrate/joint_jet.h integrate/rollout.h model/generic_robot.h core/body/generic.h
    core/boundary.h core/poses.h core/spatial/spatial.h core/spatial/composite.h core/derivatives/partials.h
    core/derivatives/variation.h core/derivatives/motion.h core/derivatives/mass_factor.h
    core/derivatives/freedoms.h core/derivatives/forward_matrices.h)
if(CMAKE_SCRIPT_MODE_FILE)
  include(${CMAKE_CURRENT_LIST_DIR}/bytes.cmake)
  # cmake -DOUTPUT=... -DSOURCE=folder src [-DFAULT=file -DFROM=text -DTO=text: for tests] -P core_text.cmake
  set(text "/* made by cmake/core_text.cmake */\n#include \"generate/generate.h\"\n")
  set(table "")
  set(n 0)
  foreach(name ${JOUNCE_CORE_TEXT})
    file(READ "${SOURCE}/${name}" bytes HEX)
    if(name STREQUAL "${FAULT}")
      string(HEX "${FROM}" from)
      string(HEX "${TO}" to)
      string(REPLACE "${from}" "${to}" faulty "${bytes}")
      if(faulty STREQUAL bytes)
        message(FATAL_ERROR "${FAULT}: the text of the fault is gone: plant it in the new text")
      endif()
      set(bytes "${faulty}")
    endif()
    jounce_bytes(text${n} "${bytes}" array)
    string(APPEND text "static ${array}")
    string(APPEND table "    {\"${name}\", text${n}},\n")
    math(EXPR n "${n} + 1")
  endforeach()
  file(WRITE "${OUTPUT}" "${text}const jn_core_file jn_core_files[] = {\n${table}    {0, 0}};\n")
  return()
endif()

function(jounce_core_text output source)
  set(files "")
  foreach(name ${JOUNCE_CORE_TEXT})
    list(APPEND files ${source}/${name})
  endforeach()
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DSOURCE=${source} -P ${CMAKE_SOURCE_DIR}/cmake/core_text.cmake
    DEPENDS ${files} ${CMAKE_SOURCE_DIR}/cmake/core_text.cmake ${CMAKE_SOURCE_DIR}/cmake/bytes.cmake VERBATIM)
endfunction()
