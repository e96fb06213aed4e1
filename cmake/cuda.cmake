# Enables CUDA where WARPFOLD_CUDA asks for it and nvcc works; where it does not, says why and goes
# on without it. Afterwards WARPFOLD_CUDA tells which.
if(NOT WARPFOLD_CUDA)
  return()
endif()

if(NOT DEFINED ENV{CUDACXX} AND NOT CMAKE_CUDA_COMPILER)
  find_program(WARPFOLD_NVCC nvcc HINTS /usr/local/cuda/bin)
  if(WARPFOLD_NVCC)
    set(ENV{CUDACXX} ${WARPFOLD_NVCC})
  endif()
endif()
if(NOT DEFINED ENV{CUDAHOSTCXX} AND NOT CMAKE_CUDA_HOST_COMPILER)
  find_program(WARPFOLD_GXX g++)
  if(NOT WARPFOLD_GXX)
    set(ENV{CUDAHOSTCXX} ${CMAKE_CXX_COMPILER})
  endif()
endif()

# `native` fails where there is no GPU to ask.
if(NOT CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE capabilities ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    set(CMAKE_CUDA_ARCHITECTURES 90)
  else()
    string(REGEX MATCHALL "[0-9]+\\.[0-9]+" CMAKE_CUDA_ARCHITECTURES "${capabilities}")
    list(REMOVE_DUPLICATES CMAKE_CUDA_ARCHITECTURES)
    list(TRANSFORM CMAKE_CUDA_ARCHITECTURES REPLACE "\\." "")
  endif()
  set(CMAKE_CUDA_ARCHITECTURES ${CMAKE_CUDA_ARCHITECTURES} CACHE STRING "Compute capabilities")
endif()

include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  message(WARNING "WARPFOLD_CUDA is ON, but no nvcc works here (see CMakeFiles/CMakeError.log or "
    "CMakeConfigureLog.yaml in the build directory); the build goes on without CUDA")
  set(WARPFOLD_CUDA OFF)
  return()
endif()
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)

# CMake 3.25 does not know that nvcc 12 and newer take C++20.
if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)
set(CMAKE_CUDA_RUNTIME_LIBRARY Static)

# Where there is no GPU to run kernels on: the compiler's front end reads them all, which takes a
# third of the time, and makes no code of them; what would launch them is not optimised, which takes
# another third of what is left. The test `budget` compiles the library's kernels in earnest.
option(WARPFOLD_CUDA_SYNTAX_ONLY "Check CUDA kernels without generating code" OFF)
if(WARPFOLD_CUDA_SYNTAX_ONLY)
  add_compile_options($<$<COMPILE_LANGUAGE:CUDA>:-fdevice-syntax-only>)
  set(CMAKE_CUDA_FLAGS_RELEASE -O0)
endif()

# warpfold_together(<variable> <name> <file>…): where no code is made, sets the variable to sources that
# include eight of the files each, since nearly all of a small file's time is its headers', three
# times; else to the files.
function(warpfold_together variable name)
  set(together ${ARGN})
  if(WARPFOLD_CUDA_SYNTAX_ONLY)
    warpfold_in_groups(together ${name} cu ${ARGN})
  endif()
  set(${variable} ${together} PARENT_SCOPE)
endfunction()
