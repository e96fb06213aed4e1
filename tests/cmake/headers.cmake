# cmake -Dcompiler=<g++> -Dinclude=<directory> -Dheader=<path in it> -Dwork=<directory>
#   -P headers.cmake
# The header compiles alone, included twice, by a compiler that is not the one of the build.
set(source ${work}/${header}.cpp)
file(WRITE ${source} "#include \"${header}\"\n#include \"${header}\"\n")
execute_process(COMMAND ${compiler} -std=c++20 -Wall -Wextra -Wpedantic -Wshadow -Werror
  -fsyntax-only -I ${include} ${source} COMMAND_ERROR_IS_FATAL ANY)
