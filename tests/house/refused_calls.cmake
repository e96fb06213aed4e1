# cmake [-Dsource=<file>] -Dwork=<directory> -Dinclude=<directory> -Dsimt=<include directory>
#   -Dclang=<clang++> [-Dnvcc=<nvcc>] [-Dnccl=<include directory>] [-Dmpi=<the same>] -P refused_calls.cmake
# A wrong call of the library is one error, which says what the file's first line does, and nothing
# behind it; by both compilers, or by the one that the line names. Without a file: so is any use before
# C++20.
cmake_minimum_required(VERSION 3.22)
set(clang_command ${clang} -std=c++20 -fsyntax-only -DSIMT_KERNELS=1 -fdeclspec
  -Wno-unknown-attributes -Wno-unknown-pragmas -I${simt}/simt/cuda -I${simt} -x c++)
set(nvcc_command ${nvcc} -std=c++20 -arch=sm_90 -fdevice-syntax-only -c -o ${work}/nothing.o)
set(compilers clang)
if(nvcc)
  list(APPEND compilers nvcc)
endif()
set(includes -I${include})
if(nccl)
  list(APPEND includes -I${nccl})
endif()
if(mpi)
  list(APPEND includes -I${mpi})
endif()
file(MAKE_DIRECTORY ${work})

function(refuse who source expected)
  execute_process(COMMAND ${ARGN} ${includes} ${source} RESULT_VARIABLE status
    OUTPUT_VARIABLE said ERROR_VARIABLE said)
  string(REPLACE ";" "," said "${said}")  # or one line would be two
  string(REGEX MATCHALL "[^\n]*error( #[0-9]+[-D]*)?: [^\n]*" errors "${said}")
  list(LENGTH errors count)
  string(FIND "${said}" "${expected}" at)
  if(status EQUAL 0 OR at EQUAL -1 OR NOT count EQUAL 1)
    message(SEND_ERROR "${source} should be refused by ${who} with '${expected}' and no more; "
      "status ${status}, ${count} errors:\n${said}")
  else()
    message(STATUS "${who}: ${errors}")
  endif()
endfunction()

if(source)
  file(STRINGS ${source} first LIMIT_COUNT 1)
  if(NOT first MATCHES "^// refused( by ([a-z]+))?: (.*)$")
    message(FATAL_ERROR "${source}: the first line must be `// refused: ` and what is said")
  endif()
  set(only "${CMAKE_MATCH_2}")
  set(expected "${CMAKE_MATCH_3}")
  foreach(compiler IN LISTS compilers)
    if(only STREQUAL "" OR only STREQUAL compiler)
      refuse(${compiler} ${source} "${expected}" ${${compiler}_command})
    endif()
  endforeach()
  return()
endif()

file(WRITE ${work}/before_20.cu "#include <warpfold/warpfold.hpp>\n")
foreach(compiler IN LISTS compilers)
  list(TRANSFORM ${compiler}_command REPLACE "c\\+\\+20" "c++17")
  refuse(${compiler} ${work}/before_20.cu "warpfold needs C++20" ${${compiler}_command})
endforeach()
