# warpfold::host, for programs that call the host's algorithms: the headers and oneTBB.
# warpfold::highway, for those whose keys Highway shall sort: the same and Highway.
# Each where its library is. This file serves the source tree and the installed package.
if(NOT TARGET TBB::tbb)
  find_package(TBB QUIET)
  if(TARGET TBB::tbb)
    set_target_properties(TBB::tbb PROPERTIES IMPORTED_GLOBAL TRUE)  # for those who add_subdirectory
  endif()
endif()
if(TARGET TBB::tbb AND NOT TARGET warpfold::host)
  add_library(warpfold::host INTERFACE IMPORTED GLOBAL)
  target_link_libraries(warpfold::host INTERFACE warpfold::warpfold TBB::tbb)
endif()

if(NOT TARGET hwy::hwy_contrib)
  find_package(hwy QUIET)
  if(TARGET hwy::hwy_contrib)
    set_target_properties(hwy::hwy_contrib PROPERTIES IMPORTED_GLOBAL TRUE)
  endif()
endif()
if(TARGET hwy::hwy_contrib AND TARGET warpfold::host AND NOT TARGET warpfold::highway)
  add_library(warpfold::highway INTERFACE IMPORTED GLOBAL)
  target_link_libraries(warpfold::highway INTERFACE warpfold::host hwy::hwy_contrib)
  target_compile_definitions(warpfold::highway INTERFACE WARPFOLD_HIGHWAY)
endif()
