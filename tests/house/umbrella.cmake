# cmake -Dinclude=<directory> -P umbrella.cmake
# Who includes warpfold/warpfold.hpp has read every header of the library, or would have on another
# machine: the includes are followed as text, whatever #if they stand in. What needs MPI or NCCL has
# headers of its own, which lead to all of theirs.
cmake_minimum_required(VERSION 3.22)
set(read warpfold/warpfold.hpp warpfold/mpi.hpp warpfold/nccl.hpp)
set(open ${read})
while(open)
  list(POP_FRONT open header)
  file(STRINGS ${include}/${header} lines REGEX "^#include \"warpfold/")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^#include \"(.*)\".*" "\\1" named "${line}")
    if(NOT named IN_LIST read)
      list(APPEND read ${named})
      list(APPEND open ${named})
    endif()
  endforeach()
endwhile()

file(GLOB_RECURSE missing RELATIVE ${include} ${include}/warpfold/*.hpp ${include}/warpfold/*.cuh)
list(REMOVE_ITEM missing ${read})
if(missing)
  list(JOIN missing "\n  " missing)
  message(FATAL_ERROR "warpfold/warpfold.hpp, mpi.hpp and nccl.hpp lead to all headers but these; include them:\n  ${missing}")
endif()
