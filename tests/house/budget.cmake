# cmake -Dnvcc=<nvcc> -Dsource=<file> -Dinclude=<folder> -Dwork=<folder> -P budget.cmake
# Compiles for 9.0; no kernel may take more registers, or spill more bytes, than here: its line is the
# first whose expression is found in its name.
set(budget
  "reduce_few_kernelI 32 0" "reduce_kernelI 128 0" "reduce_short_rows_kernelI 72 0"
  "reduce_long_rows_kernelI 64 0" "scan_pipelined_(sized_)?kernelI 128 0"
  "scan_single_wave_(sized_)?kernelI 64 0"
  "cluster_sort_kernelI 64 0" "partition_kernelI 32 0" "exact_kernelI 255 0"
  "radix_pass_kernelI 72 56" "radix_count_kernelI 40 0" "radix_clear_kernelI 32 0"
  # Items that need not lie as words, and don't: a byte is a register.
  "merge_(four_)?kernelI.*pixel 80 670" "tile_sort_kernelI.*pixel 80 2208"
  "merge_(four_)?kernelI 80 48" "tile_sort_kernelI 64 72" "partition_four_kernelI 40 0")
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
  set(spilled ${CMAKE_MATCH_2})
  set(registers ${CMAKE_MATCH_3})
  if(name MATCHES "^_ZN3cub")  # that CUB's headers bring along
    continue()
  endif()
  set(most)
  foreach(line IN LISTS budget)
    string(REGEX MATCH "^(.*) ([0-9]+) ([0-9]+)$" matched "${line}")
    set(most ${CMAKE_MATCH_2})
    set(most_spilled ${CMAKE_MATCH_3})
    if(name MATCHES "[0-9]${CMAKE_MATCH_1}")
      break()
    endif()
    set(most)
  endforeach()
  if(NOT most)
    message(FATAL_ERROR "no budget for ${name}: give it a line in budget.cmake")
  endif()
  message(STATUS
    "${registers} of ${most} registers, ${spilled} of ${most_spilled} bytes spilled: ${name}")
  if(spilled GREATER most_spilled)
    message(SEND_ERROR "${name} spills ${spilled} bytes of ${most_spilled}")
  endif()
  if(registers GREATER most)
    message(SEND_ERROR "${name} takes ${registers} registers of ${most}")
  endif()
  math(EXPR seen "${seen} + 1")
endforeach()
if(seen LESS 20)
  message(FATAL_ERROR "only ${seen} kernels were seen")
endif()
