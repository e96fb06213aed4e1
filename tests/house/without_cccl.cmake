# cmake -Dnvcc=<nvcc> -Dsource=<header> -Dinclude=<directory> -P without_cccl.cmake
# Of the toolkit's libraries of C++ (CUB, Thrust, libcu++), the header reads none.
execute_process(
  COMMAND ${nvcc} -std=c++20 -arch=sm_90 -x cu -I${include} -M ${source}
  OUTPUT_VARIABLE headers COMMAND_ERROR_IS_FATAL ANY)
if(NOT headers MATCHES "/device/sort/radix_pass.cuh")
  message(FATAL_ERROR "this test looks at the wrong headers: ${headers}")
endif()
if(headers MATCHES "/(cub|thrust|cccl|cuda/std)/[^ ]*")
  message(FATAL_ERROR "${source} reads ${CMAKE_MATCH_0}")
endif()
