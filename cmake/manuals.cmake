# Pages of the manual and completions of shells, asked from the program that was just built.
#   cmake -DPROGRAM=... -DFOLDER=... -P manuals.cmake
execute_process(COMMAND ${PROGRAM} help --json OUTPUT_VARIABLE table COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${PROGRAM} help --man OUTPUT_FILE ${FOLDER}/cortenforge.1 COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${PROGRAM} completion bash OUTPUT_FILE ${FOLDER}/cortenforge COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${PROGRAM} completion zsh OUTPUT_FILE ${FOLDER}/_cortenforge COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${PROGRAM} completion fish OUTPUT_FILE ${FOLDER}/cortenforge.fish COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "\"command\": \"[a-z]+\"" commands "${table}")
foreach(command ${commands})
  string(REGEX REPLACE ".*\"([a-z]+)\"$" "\\1" name ${command})
  execute_process(COMMAND ${PROGRAM} help --man ${name} OUTPUT_FILE ${FOLDER}/cortenforge-${name}.1 COMMAND_ERROR_IS_FATAL ANY)
endforeach()
