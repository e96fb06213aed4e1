# cmake -Dnvcc=<nvcc> -Dsource=<file> -Dinclude=<directory> -P without_cub.cmake
# With WARPFOLD_WITHOUT_CUB, the file's sort reads no header of CCCL; without, it reads CUB's.
function(headers_of variable)
  execute_process(COMMAND ${nvcc} -std=c++20 -arch=sm_90 -I${include} -M ${ARGN} ${source}
    OUTPUT_VARIABLE headers COMMAND_ERROR_IS_FATAL ANY)
  set(${variable} "${headers}" PARENT_SCOPE)
endfunction()
headers_of(with)
headers_of(without -DWARPFOLD_WITHOUT_CUB)
if(NOT with MATCHES "/cub/device/device_radix_sort")
  message(FATAL_ERROR "this test looks for the wrong header: ${with}")
endif()
if(without MATCHES "/(cub|thrust|cccl|cuda/std)/[^ ]*")
  message(FATAL_ERROR "WARPFOLD_WITHOUT_CUB, and yet it reads ${CMAKE_MATCH_0}")
endif()
