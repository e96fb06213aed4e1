# cmake -Dfiles=<directory> -Dwork=<directory> -Dcompiler=<c++> -Dstep=<source step>
#       -Dheaders=<include directory> [-Dlibrary=<include directory>] -P refusals.cmake
# Each file must not compile as a kernel file, and the first error must say what its first line does.
file(GLOB sources ${files}/*.cu ${files}/*.cpp)
file(MAKE_DIRECTORY ${work})
foreach(source IN LISTS sources)
  file(STRINGS ${source} first LIMIT_COUNT 1)
  string(REGEX REPLACE "^// refused: " "" expected "${first}")
  set(mark)
  if(source MATCHES "\\.cu$")
    set(mark -DSIMT_CUDA_SOURCE)
  endif()
  if(library)
    list(APPEND mark -DSIMT_KERNELS=1 -I${library})
  endif()
  get_filename_component(name ${source} NAME)
  file(WRITE ${work}/${name}.cpp "#include <cuda_runtime.h>\n#include \"${source}\"\n")
  execute_process(
    COMMAND ${step} ${compiler} ${mark} -std=c++20 -O1 -fdeclspec -Werror=deprecated-declarations
      -I${headers}/simt/cuda -I${headers} -o ${work}/${name}.o -c ${work}/${name}.cpp
    RESULT_VARIABLE status ERROR_VARIABLE said)
  string(REGEX MATCH "[^\n]*error: [^\n]*" error "${said}")
  string(FIND "${error}" "${expected}" at)
  if(status EQUAL 0 OR at EQUAL -1)
    message(SEND_ERROR "${name} should be refused with '${expected}'; status ${status}, and it says\n"
      "${said}")
  else()
    message(STATUS "${name}: ${error}")
  endif()
endforeach()
