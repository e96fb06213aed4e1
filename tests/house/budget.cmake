# cmake -Dnvcc=<nvcc> -Dsource=<file> -Dinclude=<folder> -Dwork=<folder> -P budget.cmake
# Compiles for 9.0; no kernel may spill, or take more registers than it has been measured with.
set(budget
  "reduce_few_kernel 32" "reduce_kernel 128" "reduce_short_rows_kernel 72"
  "reduce_long_rows_kernel 64" "scan_pipelined_kernel 128" "scan_single_wave_kernel 64"
  "cluster_sort_kernel 64" "tile_sort_kernel 64" "merge_kernel 64" "partition_kernel 32"
  "exact_kernel 255")
file(MAKE_DIRECTORY ${work})
execute_process(
  COMMAND ${nvcc} -std=c++20 -O3 -arch=sm_90 -I${include} -Xptxas -v -cubin -o ${work}/budget.cubin
    ${source}
  ERROR_VARIABLE said OUTPUT_VARIABLE said_too RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${said}")
endif()
string(REPLACE ";" "," said "${said}")
string(REGEX REPLACE "ptxas info *: Compiling entry function" ";" kernels "${said}")
list(REMOVE_AT kernels 0)
set(seen 0)
foreach(kernel IN LISTS kernels)
  if(NOT kernel MATCHES "'([^']*)'.* ([0-9]+) bytes spill stores.*Used ([0-9]+) registers")
    message(FATAL_ERROR "ptxas speaks otherwise: ${kernel}")
  endif()
  set(name ${CMAKE_MATCH_1})
  if(name MATCHES "^_ZN3cub")  # an empty kernel that CUB's headers bring along
    continue()
  endif()
  set(spilled ${CMAKE_MATCH_2})
  set(registers ${CMAKE_MATCH_3})
  set(most)
  foreach(line IN LISTS budget)
    string(REGEX MATCH "^([a-z_]+) ([0-9]+)$" matched "${line}")
    if(name MATCHES "[0-9]${CMAKE_MATCH_1}I")
      string(REGEX REPLACE ".* " "" most "${line}")
      break()
    endif()
  endforeach()
  if(NOT most)
    message(FATAL_ERROR "no budget for ${name}: give it a line in budget.cmake")
  endif()
  message(STATUS "${registers} of ${most} registers, ${spilled} bytes spilled: ${name}")
  if(spilled GREATER 0)
    message(SEND_ERROR "${name} spills ${spilled} bytes")
  endif()
  if(registers GREATER most)
    message(SEND_ERROR "${name} takes ${registers} registers of ${most}")
  endif()
  math(EXPR seen "${seen} + 1")
endforeach()
if(seen LESS 20)
  message(FATAL_ERROR "only ${seen} kernels were seen")
endif()
