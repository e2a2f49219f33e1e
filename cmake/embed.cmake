# cmake -DOUTPUT=... -DUPLOT=folder or empty -DREPLAY=file or empty -DWEB=folder -P embed.cmake
# Writes the files of reports as C arrays; without uPlot or three their arrays are empty.
include(${CMAKE_CURRENT_LIST_DIR}/bytes.cmake)
set(text "/* made by cmake/embed.cmake */\n#include \"output/report.h\"\n")
foreach(item "report_js;${WEB}/report.js" "report_css;${WEB}/report.css"
        "report_page_html;${WEB}/page.html" "report_study_html;${WEB}/study.html" "report_plot_gp;${WEB}/plot.gp"
        "report_uplot_js;${UPLOT}/uPlot.iife.min.js" "report_uplot_css;${UPLOT}/uPlot.min.css"
        "report_replay_js;${REPLAY}.")
  list(GET item 0 name)
  list(GET item 1 file)
  string(REGEX REPLACE "[.]$" "" file "${file}") # so that an empty name is an item as well
  set(bytes "")
  if(EXISTS "${file}")
    file(READ "${file}" bytes HEX)
  endif()
  jounce_bytes(${name} "${bytes}" array)
  string(APPEND text "${array}")
endforeach()
file(WRITE "${OUTPUT}" "${text}")
