# uPlot for interactive figures and three for the 3D scene of reports: from web/node_modules, else npm fetches them once
# into the build folder; esbuild, from there as well, bundles web/replay with the parts of three that it uses. Without
# uPlot the figures of reports are drawn by gnuplot, without three there is no 3D scene.
set(JOUNCE_UPLOT "")
set(JOUNCE_REPLAY "")
file(GLOB JOUNCE_REPLAY_FILES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/web/replay/*.js)
if(JOUNCE_WEB)
  set(JOUNCE_MODULES "")
  foreach(folder ${CMAKE_SOURCE_DIR}/web ${CMAKE_BINARY_DIR}/web)
    if(NOT JOUNCE_MODULES AND EXISTS ${folder}/node_modules/uplot/dist/uPlot.iife.min.js AND EXISTS ${folder}/node_modules/three/build/three.module.js)
      set(JOUNCE_MODULES ${folder}/node_modules)
    endif()
  endforeach()
  find_program(JOUNCE_NPM npm)
  find_program(JOUNCE_NODE NAMES node nodejs)
  if(NOT JOUNCE_MODULES AND JOUNCE_NPM)
    file(COPY web/package.json web/package-lock.json web/.npmrc DESTINATION ${CMAKE_BINARY_DIR}/web)
    execute_process(COMMAND ${JOUNCE_NPM} ci --ignore-scripts --no-audit --no-fund
              --fetch-retries=0 --fetch-timeout=30000
      WORKING_DIRECTORY ${CMAKE_BINARY_DIR}/web RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(NOT failed)
      set(JOUNCE_MODULES ${CMAKE_BINARY_DIR}/web/node_modules)
    endif()
  endif()
  if(JOUNCE_MODULES)
    set(JOUNCE_UPLOT ${JOUNCE_MODULES}/uplot/dist)
    if(JOUNCE_NODE AND EXISTS ${JOUNCE_MODULES}/esbuild/bin/esbuild)
      set(JOUNCE_REPLAY ${CMAKE_BINARY_DIR}/replay.min.js)
      add_custom_command(OUTPUT ${JOUNCE_REPLAY}
        COMMAND ${CMAKE_COMMAND} -E env NODE_PATH=${JOUNCE_MODULES} ${JOUNCE_NODE} ${JOUNCE_MODULES}/esbuild/bin/esbuild
                ${CMAKE_SOURCE_DIR}/web/replay/main.js --bundle --minify --format=iife --target=es2020
                --legal-comments=inline --charset=ascii --log-level=warning --outfile=${JOUNCE_REPLAY}
        DEPENDS ${JOUNCE_REPLAY_FILES} ${JOUNCE_MODULES}/three/package.json VERBATIM)
    endif()
  else()
    message(STATUS "no uPlot and three (npm cannot fetch them): figures of reports will be drawn by gnuplot, without a 3D scene")
  endif()
endif()
file(GLOB JOUNCE_WEB_FILES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/web/*.js ${CMAKE_SOURCE_DIR}/web/*.css
     ${CMAKE_SOURCE_DIR}/web/*.html ${CMAKE_SOURCE_DIR}/web/*.gp)
function(jounce_report_assets output uplot replay)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DUPLOT=${uplot} -DREPLAY=${replay} -DWEB=${CMAKE_SOURCE_DIR}/web
            -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${JOUNCE_WEB_FILES} ${replay}
            ${CMAKE_SOURCE_DIR}/cmake/embed.cmake ${CMAKE_SOURCE_DIR}/cmake/web.cmake VERBATIM)
endfunction()
jounce_report_assets(${CMAKE_BINARY_DIR}/report_assets.c "${JOUNCE_UPLOT}" "${JOUNCE_REPLAY}")
