# warpfold::mpi, for programs that call across the ranks of an MPI communicator: warpfold::host and
# MPI. warpfold::nccl, for those that call across GPUs: the headers and NCCL. Each where its library
# is. This file serves the source tree and the installed package.
if(NOT TARGET warpfold::mpi AND TARGET warpfold::host)
  if(NOT MPI_CXX_FOUND)  # FindMPI makes its target also where it finds no MPI
    set(MPI_CXX_SKIP_MPICXX TRUE)  # the C++ bindings that MPI 3 has given up
    find_package(MPI QUIET COMPONENTS CXX)
    if(MPI_CXX_FOUND)
      set_target_properties(MPI::MPI_CXX PROPERTIES IMPORTED_GLOBAL TRUE)
    endif()
  endif()
  if(MPI_CXX_FOUND)
    add_library(warpfold::mpi INTERFACE IMPORTED GLOBAL)
    target_link_libraries(warpfold::mpi INTERFACE warpfold::host MPI::MPI_CXX)
  endif()
endif()

if(NOT TARGET warpfold::nccl)
  find_path(WARPFOLD_NCCL_INCLUDE nccl.h HINTS /usr/local/cuda/include)
  find_library(WARPFOLD_NCCL_LIBRARY NAMES nccl HINTS /usr/local/cuda/lib64)
  if(WARPFOLD_NCCL_INCLUDE AND WARPFOLD_NCCL_LIBRARY)
    add_library(warpfold::nccl INTERFACE IMPORTED GLOBAL)
    target_include_directories(warpfold::nccl SYSTEM INTERFACE ${WARPFOLD_NCCL_INCLUDE})
    target_link_libraries(warpfold::nccl INTERFACE warpfold::warpfold ${WARPFOLD_NCCL_LIBRARY})
  endif()
endif()
