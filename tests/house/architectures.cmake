# cmake -Dnvcc=<nvcc> -Dsource=<file> -Dinclude=<folder> -Dwork=<folder> [-Darchitectures=75,86,…]
#       -P architectures.cmake
# nvcc compiles the source for each architecture, or for all that it knows, and has no warning. What
# ptxas optimises has none: it does not.
file(MAKE_DIRECTORY ${work})
if(architectures)
  string(REPLACE "," ";" architectures "${architectures}")
else()
  execute_process(COMMAND ${nvcc} --list-gpu-arch OUTPUT_VARIABLE known COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[0-9]+" architectures "${known}")
endif()
set(codes)
foreach(architecture IN LISTS architectures)
  list(APPEND codes -gencode arch=compute_${architecture},code=sm_${architecture})
endforeach()
execute_process(
  COMMAND ${nvcc} -std=c++20 -O3 ${codes} -I${include} -Werror all-warnings -Xptxas -O0 -fatbin
    -o ${work}/architectures.fatbin ${source}
  ERROR_VARIABLE said OUTPUT_VARIABLE said_too RESULT_VARIABLE failed)
if(failed OR NOT "${said}${said_too}" STREQUAL "")
  message(FATAL_ERROR "nvcc has something to say of ${architectures}:\n${said}${said_too}")
endif()
message(STATUS "without a warning: ${architectures}")
