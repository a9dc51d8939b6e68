# What the program says about itself, installed for other programs: its manual page, the scripts of the shells, and the
# JSON Schema of experiments. `cmake --install` runs the program to write them, so they are those of its tables. A
# program for another machine is run by CMAKE_CROSSCOMPILING_EMULATOR; without one, nothing of this is installed.
set(PPS_ZSH_FOLDER ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING "Folder of the completion of zsh")
set(pps_described ${CMAKE_BINARY_DIR}/described)
if(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR)
  install(CODE "
    function(describe file)
      execute_process(COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:ppsweep> \${ARGN}
        OUTPUT_FILE ${pps_described}/\${file} COMMAND_ERROR_IS_FATAL ANY)
    endfunction()
    file(MAKE_DIRECTORY ${pps_described})
    describe(ppsweep.1 manual)
    describe(ppsweep completion bash)
    describe(_ppsweep completion zsh)
    describe(ppsweep.fish completion fish)
    describe(experiment.schema.json schema)
    execute_process(COMMAND gzip -9nf ${pps_described}/ppsweep.1 COMMAND_ERROR_IS_FATAL ANY)" COMPONENT program)
  install(FILES ${pps_described}/ppsweep.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
  install(FILES ${pps_described}/ppsweep DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    COMPONENT program)
  install(FILES ${pps_described}/_ppsweep DESTINATION ${PPS_ZSH_FOLDER} COMPONENT program)
  install(FILES ${pps_described}/ppsweep.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
    COMPONENT program)
  install(FILES ${pps_described}/experiment.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/ppsweep
    COMPONENT program)
endif()
