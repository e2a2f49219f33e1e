# uPlot for interactive figures: from web/node_modules, else npm fetches it once into the build folder. Without uPlot the
# figures of reports are drawn by gnuplot.
set(JOUNCE_UPLOT "")
if(JOUNCE_WEB)
  foreach(folder ${CMAKE_SOURCE_DIR}/web ${CMAKE_BINARY_DIR}/web)
    if(NOT JOUNCE_UPLOT AND EXISTS ${folder}/node_modules/uplot/dist/uPlot.iife.min.js)
      set(JOUNCE_UPLOT ${folder}/node_modules/uplot/dist)
    endif()
  endforeach()
  find_program(JOUNCE_NPM npm)
  if(NOT JOUNCE_UPLOT AND JOUNCE_NPM)
    file(COPY web/package.json web/package-lock.json web/.npmrc DESTINATION ${CMAKE_BINARY_DIR}/web)
    execute_process(COMMAND ${JOUNCE_NPM} ci --ignore-scripts --no-audit --no-fund
              --fetch-retries=0 --fetch-timeout=30000
      WORKING_DIRECTORY ${CMAKE_BINARY_DIR}/web RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(NOT failed)
      set(JOUNCE_UPLOT ${CMAKE_BINARY_DIR}/web/node_modules/uplot/dist)
    endif()
  endif()
  if(NOT JOUNCE_UPLOT)
    message(STATUS "no uPlot (npm cannot fetch it): figures of reports will be drawn by gnuplot")
  endif()
endif()
file(GLOB JOUNCE_WEB_FILES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/web/*.js ${CMAKE_SOURCE_DIR}/web/*.css
     ${CMAKE_SOURCE_DIR}/web/*.html ${CMAKE_SOURCE_DIR}/web/*.gp)
function(jounce_report_assets output uplot)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DUPLOT=${uplot} -DWEB=${CMAKE_SOURCE_DIR}/web
            -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${JOUNCE_WEB_FILES}
            ${CMAKE_SOURCE_DIR}/cmake/embed.cmake ${CMAKE_SOURCE_DIR}/cmake/web.cmake VERBATIM)
endfunction()
jounce_report_assets(${CMAKE_BINARY_DIR}/report_assets.c "${JOUNCE_UPLOT}")
