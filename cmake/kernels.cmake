# simt_add_kernels(<target> [WATCHED] [QUICK] [HEAD <header>] SOURCES <file>…)
#
# Compiles CUDA C++ sources (.cu, .cuh, .cpp) into <target> for the CPU machine and links the
# machine to it. A .cu or .cuh is plain CUDA: it goes in through a generated .cpp that includes it
# (so that nvcc can compile the same file in the same directory), and what C++ has no word for is
# rewritten on the way to the compiler; its COMPILE_DEFINITIONS hold there too. All sources of
# <target> find <cuda_runtime.h>. They are C++20, or what the target's CXX_STANDARD says from 17 on.
# WATCHED: without a second kernel of each for launches that nobody looks on at; compiles faster.
# QUICK: no loop is unrolled, the compiler's back end does not optimise, and what is found has no lines;
# compiles in less than half of the time, and runs slower.
# HEAD: .cpp sources include this header before all else; it is parsed once and kept in the cache of
# parsed headers.
include_guard(GLOBAL)

# The machine sees memory and control flow through these callbacks. -O1 keeps one access of the
# source one access of the program; as an option of the source it comes after the build type's.
# An access to a constant null is to fail when it is made: the compiler would end the code there.
set(options
  -O1 -g1 -fdeclspec -fno-delete-null-pointer-checks -DSIMT_KERNELS=1
  -fno-strict-float-cast-overflow  # a conversion out of range gives the end of the range
  -fsanitize-coverage=trace-pc-guard,no-prune,trace-loads,trace-stores,pc-table
  -Wno-unknown-attributes -Wno-unknown-pragmas -Wno-pass-failed)
# What would make one access of two statements': the beginnings and the ends of several branches, in
# the compiler's middle and again in its back, and stores under two conditions in a row.
foreach(merger hoist-common-insts sink-common-insts enable-tail-merge simplifycfg-merge-cond-stores)
  list(APPEND options -mllvm -${merger}=false)
endforeach()
# A variable kept in a register over a loop is loaded in front of it by all threads, whatever
# conditions its accesses in the loop have.
list(APPEND options -mllvm -disable-licm-promotion)
set_property(GLOBAL PROPERTY SIMT_KERNEL_OPTIONS ${options})
unset(options)

# Takes the plugins that lie in <directory>, as far as the C++ compiler can load them.
function(simt_find_plugins directory)
  string(REGEX MATCH "^[0-9]+" major "${CMAKE_CXX_COMPILER_VERSION}")
  foreach(name observe plain)
    string(TOUPPER SIMT_${name}_PLUGIN property)
    set(plugin ${directory}/simt-${name}-${major}.so)
    set(status missing)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND EXISTS ${plugin})
      execute_process(COMMAND ${CMAKE_CXX_COMPILER} -fpass-plugin=${plugin} -x c++ -c -o /dev/null
        /dev/null RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
    endif()
    if(NOT status EQUAL 0)
      set(plugin)
    endif()
    set_property(GLOBAL PROPERTY ${property} ${plugin})
  endforeach()
endfunction()

function(simt_add_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "WATCHED;QUICK" "HEAD" "SOURCES")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "simt_add_kernels(${target}): expected SOURCES and at least one file")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "simt_add_kernels(${target}): there is no such target yet")
  endif()
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
    message(FATAL_ERROR "simt_add_kernels(${target}): kernels for the CPU machine need clang 14 or "
      "newer, and this is ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}; "
      "configure with -DCMAKE_CXX_COMPILER=clang++")
  endif()

  get_property(options GLOBAL PROPERTY SIMT_KERNEL_OPTIONS)
  get_target_property(standard ${target} CXX_STANDARD)
  if(NOT standard)
    set(standard 20)
  endif()
  list(PREPEND options -std=c++${standard})
  if(arg_QUICK)
    list(APPEND options -DSIMT_QUICK_CODE=1 -g0 -fno-unroll-loops
      -mllvm -pragma-unroll-threshold=1 -mllvm -unroll-full-max-count=1)
  endif()
  get_property(plugins GLOBAL PROPERTY SIMT_OBSERVE_PLUGIN)
  if(NOT plugins)
    string(REGEX MATCH "^[0-9]+" major "${CMAKE_CXX_COMPILER_VERSION}")
    message(FATAL_ERROR "simt_add_kernels(${target}): there is no plugin simt-observe-${major}.so "
      "for ${CMAKE_CXX_COMPILER}; install llvm-${major}-dev and build warpfold with this compiler")
  endif()
  if(NOT arg_WATCHED)
    get_property(plain GLOBAL PROPERTY SIMT_PLAIN_PLUGIN)
    list(APPEND plugins ${plain})
  endif()
  foreach(plugin IN LISTS plugins)
    # A name that is the same in each clone, where commands run in one known folder.
    set(loaded ${plugin})
    if(CMAKE_GENERATOR MATCHES "Ninja")
      file(RELATIVE_PATH relative ${CMAKE_BINARY_DIR} ${plugin})
      if(NOT relative MATCHES "^\\.\\./")
        set(loaded ./${relative})
      endif()
    endif()
    # Twice: by the first, a compiler cache knows that it is part of what is compiled.
    list(APPEND options -fplugin=${loaded} -fpass-plugin=${loaded})
  endforeach()
  # A lane may hand on a value that it has not got, as `if (lane == 0) at = atomicAdd(…);` before a
  # shuffle leaves it. C++ would take it from there that all lanes are lane 0.
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 15)
    list(APPEND options -Xclang -disable-noundef-analysis)
  else()
    list(APPEND options -Xclang -no-enable-noundef-analysis)
    list(APPEND options -Wno-gnu-line-marker)  # -Wpedantic means the preprocessor's own lines
  endif()
  get_property(source_step GLOBAL PROPERTY SIMT_SOURCE_STEP)
  get_property(cuda_headers GLOBAL PROPERTY SIMT_CUDA_HEADERS)
  foreach(source IN LISTS arg_SOURCES)
    get_filename_component(path ${source} ABSOLUTE)
    set(kernel_path)
    if(path MATCHES "\\.cuh?$")
      file(RELATIVE_PATH relative ${CMAKE_CURRENT_SOURCE_DIR} ${path})
      string(REPLACE "../" "up/" relative ${relative})
      set(kernel_path ${path})
      set(path ${CMAKE_CURRENT_BINARY_DIR}/simt_kernels/${target}/${relative}.cpp)
      file(CONFIGURE OUTPUT ${path} @ONLY
        CONTENT "#include <cuda_runtime.h>\n#include \"@kernel_path@\"\n")
      set_property(SOURCE ${path} TARGET_DIRECTORY ${target}
        APPEND PROPERTY COMPILE_OPTIONS -DSIMT_CUDA_SOURCE)
      if(WARPFOLD_SHARED_OBJECTS)  # __FILE__ is the same in each clone, too
        set_property(SOURCE ${path} TARGET_DIRECTORY ${target}
          APPEND PROPERTY COMPILE_OPTIONS -ffile-prefix-map=${PROJECT_SOURCE_DIR}=/warpfold)
      endif()
      get_property(definitions SOURCE ${kernel_path} PROPERTY COMPILE_DEFINITIONS)
      set_property(SOURCE ${path} TARGET_DIRECTORY ${target}
        APPEND PROPERTY COMPILE_DEFINITIONS ${definitions})
      # The source step hands on what it has preprocessed, headers and all.
      set_property(SOURCE ${path} TARGET_DIRECTORY ${target}
        PROPERTY SKIP_PRECOMPILE_HEADERS ON)
    endif()
    if(arg_HEAD AND NOT kernel_path)
      set_property(SOURCE ${path} TARGET_DIRECTORY ${target}
        APPEND PROPERTY COMPILE_OPTIONS -include ${arg_HEAD})
    endif()
    set_property(SOURCE ${path} TARGET_DIRECTORY ${target}
      APPEND PROPERTY OBJECT_DEPENDS ${source_step})
    target_sources(${target} PRIVATE ${path})
    set_property(SOURCE ${path} TARGET_DIRECTORY ${target}
      APPEND PROPERTY OBJECT_DEPENDS ${plugins})
    set_property(SOURCE ${path} TARGET_DIRECTORY ${target}
      APPEND PROPERTY COMPILE_OPTIONS ${options})
  endforeach()
  get_target_property(launcher ${target} CXX_COMPILER_LAUNCHER)
  if(NOT source_step IN_LIST launcher)
    list(REMOVE_ITEM launcher launcher-NOTFOUND)
    set_property(TARGET ${target} PROPERTY CXX_COMPILER_LAUNCHER ${source_step} ${launcher})
    if(TARGET warpfold_source_step)
      add_dependencies(${target} warpfold_source_step)
    endif()
  endif()
  foreach(plugin simt_observe simt_plain)
    if(TARGET ${plugin} AND (NOT arg_WATCHED OR plugin STREQUAL "simt_observe"))
      add_dependencies(${target} ${plugin})
    endif()
  endforeach()
  target_include_directories(${target} BEFORE PRIVATE ${cuda_headers})
  target_link_libraries(${target} PRIVATE warpfold::simt)
endfunction()
