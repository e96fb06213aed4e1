# Headers that nearly every source reads, read once: that saves 0.7 s of 1.5 s a file in a first
# build, and more of a test. ./dev asks for it where there is no compiler cache, through which clones
# could not share what includes them. The files of libraries are then compiled together, too, a
# folder's at a time: half of what they take is the compiler's start and their own headers. And what
# runs for moments (the property RUNS_BRIEFLY of a target or a folder) is not optimised: that takes two
# thirds of such a file's time.
option(WARPFOLD_PRECOMPILE "Precompile headers, for a first build without a compiler cache" OFF)
if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang" OR NOT WARPFOLD_TOOLS)
  set(WARPFOLD_PRECOMPILE OFF)
endif()
if(NOT WARPFOLD_PRECOMPILE)
  return()
endif()

set(none ${PROJECT_BINARY_DIR}/precompiled.cpp)
file(CONFIGURE OUTPUT ${none} CONTENT "")
foreach(target warpfold_precompiled warpfold_precompiled_briefly warpfold_precompiled_shared)
  add_library(${target} STATIC ${none})
  target_precompile_headers(${target} PRIVATE <algorithm> <array> <atomic> <charconv>
    <chrono> <cmath> <condition_variable> <filesystem> <fstream> <functional> <map> <memory> <mutex>
    <optional> <set> <span> <string> <thread> <unordered_map> <vector> <fmt/format.h>
    <nlohmann/json.hpp>)
endforeach()
target_compile_options(warpfold_precompiled_briefly PRIVATE -O0)
set_target_properties(warpfold_precompiled_shared PROPERTIES POSITION_INDEPENDENT_CODE ON)
# Kernels for the CPU machine have options and words of their own.
set(none ${PROJECT_BINARY_DIR}/precompiled_kernels.cpp)
file(CONFIGURE OUTPUT ${none} CONTENT "")
add_library(warpfold_precompiled_kernels STATIC)
simt_add_kernels(warpfold_precompiled_kernels WATCHED SOURCES ${none})
get_property(options SOURCE ${none} TARGET_DIRECTORY warpfold_precompiled_kernels
  PROPERTY COMPILE_OPTIONS)
# LLVM takes its options once, and the sources have them; headers make no code.
string(REGEX REPLACE "-mllvm;[^;]+;?" "" options "${options}")
list(FILTER options EXCLUDE REGEX "^-f(pass-)?plugin=")
target_compile_options(warpfold_precompiled_kernels PRIVATE ${options})
if(WARPFOLD_TESTS AND NOT WARPFOLD_BENCH)  # as the ladders are: cmake/ladder.cmake
  target_compile_definitions(warpfold_precompiled_kernels PRIVATE SIMT_QUICK_CODE=1)
endif()
target_link_libraries(warpfold_precompiled_kernels PRIVATE warpfold::warpfold)
target_precompile_headers(warpfold_precompiled_kernels PRIVATE
  ${PROJECT_SOURCE_DIR}/ladder/kernels.hpp)

function(warpfold_precompile directory)
  get_property(targets DIRECTORY ${directory} PROPERTY BUILDSYSTEM_TARGETS)
  get_property(below DIRECTORY ${directory} PROPERTY SUBDIRECTORIES)
  get_property(all_briefly DIRECTORY ${directory} PROPERTY RUNS_BRIEFLY)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(together ${target} UNITY_BUILD)
    if(type MATCHES "^(STATIC|OBJECT|MODULE)_LIBRARY$" AND NOT together STREQUAL "OFF")
      warpfold_group_by_folder(${target})
    endif()
    if(NOT type MATCHES "^((STATIC|OBJECT)_LIBRARY|EXECUTABLE)$"
        OR target STREQUAL "warpfold_precompiled_tests")
      continue()
    elseif(target MATCHES "^ladder_.*_(simt|first)$")
      target_precompile_headers(${target} REUSE_FROM warpfold_precompiled_kernels)
      continue()
    endif()
    get_target_property(shared ${target} POSITION_INDEPENDENT_CODE)
    get_target_property(briefly ${target} RUNS_BRIEFLY)
    if(briefly OR all_briefly)
      target_compile_options(${target} PRIVATE -O0)
      if(NOT shared)  # two files are: their headers would take as long
        target_precompile_headers(${target} REUSE_FROM warpfold_precompiled_briefly)
      endif()
      continue()
    endif()
    get_target_property(options ${target} COMPILE_OPTIONS)
    if(options MATCHES "(^|;)-O")  # optimised otherwise than these headers
      continue()
    endif()
    get_target_property(sources ${target} SOURCES)
    if(sources MATCHES "\\.c(;|$)")  # these headers are C++
      continue()
    endif()
    get_target_property(folder ${target} SOURCE_DIR)
    list(FILTER sources EXCLUDE REGEX "^\\$<")
    foreach(source IN LISTS sources)  # kernels, and what is optimised otherwise
      get_filename_component(source ${source} ABSOLUTE BASE_DIR ${folder})
      get_property(options SOURCE ${source} TARGET_DIRECTORY ${target} PROPERTY COMPILE_OPTIONS)
      if("-DSIMT_KERNELS=1" IN_LIST options OR options MATCHES "(^|;)-O")
        set_property(SOURCE ${source} TARGET_DIRECTORY ${target}
          PROPERTY SKIP_PRECOMPILE_HEADERS ON)
      endif()
    endforeach()
    get_target_property(linked ${target} LINK_LIBRARIES)
    if(shared)
      target_precompile_headers(${target} REUSE_FROM warpfold_precompiled_shared)
    elseif("rapidcheck" IN_LIST linked)
      target_precompile_headers(${target} REUSE_FROM warpfold_precompiled_tests)
    else()
      target_precompile_headers(${target} REUSE_FROM warpfold_precompiled)
    endif()
  endforeach()
  foreach(part IN LISTS below)
    warpfold_precompile(${part})
  endforeach()
endfunction()
foreach(part IN LISTS parts)
  warpfold_precompile(${PROJECT_SOURCE_DIR}/${part})
endforeach()
