# cmake -Dmachine=<host, cpu or cuda> -Dcompiler=<compiler> -Dinclude=<directory> -Dheader=<path in it>
#   -Dwork=<directory> [-Dsimt=<the CPU machine's include directory>] [-Dsystem=<directories>]
#   -P headers.cmake
# The header compiles alone, included twice: on the host by a compiler that is not the build's, for
# the CPU machine by its own, and for CUDA by nvcc, which makes no code of it and stops before its host
# compiler.
set(source ${work}/${machine}/${header}.cpp)
list(TRANSFORM system PREPEND -isystem)
set(strict -std=c++20 -Wall -Wextra -Wpedantic -Wshadow -Werror)
set(object ${work}/${machine}/${header}.o)
set(cached ${CMAKE_CURRENT_LIST_DIR}/../../cmake/cached)
set(command_host ${cached} ${compiler} ${strict} -c -o ${object})
set(command_cpu ${cached} ${compiler} ${strict} -c -o ${object} -DSIMT_KERNELS=1 -fdeclspec
  -Wno-unknown-attributes -Wno-unknown-pragmas -isystem ${simt}/simt/cuda -isystem ${simt})
set(command_cuda ${compiler} -std=c++20 -arch=sm_90 -x cu -fdevice-syntax-only -Werror all-warnings
  -cuda -o ${object})
file(WRITE ${source} "#include \"${header}\"\n#include \"${header}\"\n")
execute_process(COMMAND ${command_${machine}} -I ${include} ${system} ${source} COMMAND_ERROR_IS_FATAL ANY)

# An older C++ is one error, whichever header comes first.
if(machine STREQUAL "host")
  execute_process(COMMAND ${compiler} -std=c++17 -fsyntax-only -I ${include} ${system} ${source}
    ERROR_VARIABLE said)
  string(REGEX MATCHALL "error: [^\n]*" errors "${said}")
  if(NOT errors MATCHES "^error: warpfold needs C\\+\\+20[^;]*$")
    message(FATAL_ERROR "before C++20 this should be one error, that warpfold needs C++20:\n${said}")
  endif()
endif()
