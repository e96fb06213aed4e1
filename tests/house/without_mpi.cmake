# cmake -Dfile=<mpi.cmake> -Dcompiler=<clang++> -Dwork=<directory> -P without_mpi.cmake
# Where there is no MPI there is no warpfold::mpi, though FindMPI makes a target of its own.
cmake_minimum_required(VERSION 3.22)
file(REMOVE_RECURSE ${work})
find_program(ninja NAMES ninja ninja-build REQUIRED)
file(WRITE ${work}/CMakeLists.txt "cmake_minimum_required(VERSION 3.22)
project(without_mpi LANGUAGES CXX)
add_library(warpfold::host INTERFACE IMPORTED)
add_library(warpfold::warpfold INTERFACE IMPORTED)
include(${file})
if(MPI_CXX_FOUND)
  message(FATAL_ERROR \"this test hides MPI, and it was found: \${MPI_CXX_COMPILER}\")
endif()
if(TARGET warpfold::mpi)
  message(FATAL_ERROR \"warpfold::mpi is made of an MPI that is not there\")
endif()
")
find_program(false false REQUIRED)  # a wrapper that knows of no MPI
execute_process(COMMAND ${CMAKE_COMMAND} -S ${work} -B ${work}/build -G Ninja
  -DCMAKE_MAKE_PROGRAM=${ninja} -DCMAKE_CXX_COMPILER=${compiler} -DMPI_CXX_COMPILER=${false}
  RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${said}")
endif()
