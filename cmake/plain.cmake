# The pass that makes fast kernels of what nobody looks on at: a plugin of the clang that compiles
# them, and of no other version. Where that clang's headers of LLVM are missing, the machine does
# without. SIMT_PLAIN_PLUGIN: its file, or "".
include_guard(GLOBAL)
option(SIMT_PLAIN "Compile a second kernel of each, for launches that nobody looks on at" ON)
set_property(GLOBAL PROPERTY SIMT_PLAIN_PLUGIN "")
if(NOT SIMT_PLAIN)
  return()
endif()
string(REGEX MATCH "^[0-9]+" major "${CMAKE_CXX_COMPILER_VERSION}")
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  find_path(SIMT_LLVM_INCLUDE llvm/Passes/PassPlugin.h NO_DEFAULT_PATH
    PATHS /usr/lib/llvm-${major}/include /usr/include/llvm-${major})
endif()
if(NOT SIMT_LLVM_INCLUDE)
  message(STATUS "kernels run instrumented only: no llvm-${major}-dev for this clang")
  return()
endif()

add_library(simt_plain MODULE pass/ahead.cpp pass/context.cpp pass/cuts.cpp pass/flatten.cpp pass/hosts.cpp
  pass/lanes.cpp pass/levels.cpp pass/lockstep.cpp pass/loops.cpp pass/meetings.cpp pass/middle.cpp pass/parted.cpp
  pass/passing.cpp pass/pipelines.cpp pass/plugin.cpp
  pass/regions.cpp pass/rounds.cpp pass/scattered.cpp pass/strides.cpp pass/uniform.cpp pass/unrolling.cpp
  pass/warps.cpp)
set_target_properties(simt_plain PROPERTIES PREFIX "" OUTPUT_NAME simt-plain-${major}
  CXX_STANDARD 17 LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
target_include_directories(simt_plain SYSTEM PRIVATE ${SIMT_LLVM_INCLUDE})
target_include_directories(simt_plain PRIVATE ${PROJECT_SOURCE_DIR} include)
# Some versions of LLVM call deprecated what others have alone.
target_compile_options(simt_plain PRIVATE -fvisibility-inlines-hidden -Wno-deprecated-declarations)
set_property(GLOBAL PROPERTY SIMT_PLAIN_PLUGIN ${CMAKE_CURRENT_BINARY_DIR}/simt-plain-${major}.so)
