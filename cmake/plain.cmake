# The pass that makes fast kernels of what nobody looks on at: a plugin of the clang that compiles
# them, and of no other version. SIMT_PLAIN_PLUGIN: its file, or "".
include_guard(GLOBAL)
option(SIMT_PLAIN "Compile a second kernel of each, for launches that nobody looks on at" ON)
set_property(GLOBAL PROPERTY SIMT_PLAIN_PLUGIN "")
if(NOT SIMT_PLAIN OR NOT SIMT_LLVM_INCLUDE)
  return()
endif()

add_library(simt_plain MODULE pass/ahead.cpp pass/context.cpp pass/cuts.cpp pass/flatten.cpp pass/hosts.cpp
  pass/lanes.cpp pass/levels.cpp pass/lockstep.cpp pass/loops.cpp pass/meetings.cpp pass/middle.cpp pass/parted.cpp
  pass/passing.cpp pass/pipelines.cpp pass/plugin.cpp
  pass/regions.cpp pass/rounds.cpp pass/scattered.cpp pass/strides.cpp pass/uniform.cpp pass/unrolling.cpp
  pass/warps.cpp)
set_target_properties(simt_plain PROPERTIES OUTPUT_NAME simt-plain-${major} CXX_STANDARD 17)
simt_plugin_code(simt_plain)
set_property(GLOBAL PROPERTY SIMT_PLAIN_PLUGIN ${CMAKE_CURRENT_BINARY_DIR}/simt-plain-${major}.so)
