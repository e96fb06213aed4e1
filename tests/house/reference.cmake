# cmake -Ddev=<dev> -P reference.cmake
# Whatever programs can call is described: the reference is written without a warning.
find_program(doxygen doxygen)
if(NOT doxygen)
  message("doxygen is not here")
  return()
endif()
execute_process(COMMAND ${dev} reference RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "the reference has gaps, see above")
endif()
