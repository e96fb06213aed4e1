# cmake -Ddev=<script> -P format.cmake: the sources are laid out as .clang-format says.
find_program(clang_format clang-format-16)
if(NOT clang_format)
  message("clang-format-16 is not here")
  return()
endif()
execute_process(COMMAND ${dev} format --check COMMAND_ERROR_IS_FATAL ANY)
