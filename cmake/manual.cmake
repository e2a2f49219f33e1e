# manual page and shell completions, written by the program itself; left out where it cannot be run
if(CMAKE_CROSSCOMPILING)
  return()
endif()
set(JOUNCE_MANUAL ${CMAKE_BINARY_DIR}/manual)
add_custom_command(
  OUTPUT ${JOUNCE_MANUAL}/jounce.1 ${JOUNCE_MANUAL}/jounce.bash ${JOUNCE_MANUAL}/_jounce ${JOUNCE_MANUAL}/jounce.fish
  COMMAND sh ${CMAKE_SOURCE_DIR}/tools/manual $<TARGET_FILE:jounce> ${JOUNCE_MANUAL}
  DEPENDS jounce ${CMAKE_SOURCE_DIR}/tools/manual VERBATIM)
add_custom_target(jounce_manual ALL DEPENDS ${JOUNCE_MANUAL}/jounce.1)
install(FILES ${JOUNCE_MANUAL}/jounce.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${JOUNCE_MANUAL}/jounce.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME jounce)
install(FILES ${JOUNCE_MANUAL}/_jounce DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${JOUNCE_MANUAL}/jounce.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
