# The passes by which the machine observes kernels: a plugin of the clang that compiles them, and of
# no other version. SIMT_OBSERVE_PLUGIN: its file, or "".
include_guard(GLOBAL)
set_property(GLOBAL PROPERTY SIMT_OBSERVE_PLUGIN "")
string(REGEX MATCH "^[0-9]+" major "${CMAKE_CXX_COMPILER_VERSION}")
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  find_path(SIMT_LLVM_INCLUDE llvm/Passes/PassPlugin.h NO_DEFAULT_PATH
    PATHS /usr/lib/llvm-${major}/include /usr/include/llvm-${major})
endif()
if(NOT SIMT_LLVM_INCLUDE)
  return()  # simt_add_kernels and simt++ say what is missing
endif()

# Code of a plugin of the compiler. It has no runtime of a sanitizer.
function(simt_plugin_code target)
  set_target_properties(${target} PROPERTIES PREFIX "" POSITION_INDEPENDENT_CODE ON
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  target_include_directories(${target} SYSTEM PRIVATE ${SIMT_LLVM_INCLUDE})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR} include)
  # Some versions of LLVM call deprecated what others have alone.
  target_compile_options(${target} PRIVATE -fvisibility-inlines-hidden -fno-sanitize=all
    -Wno-deprecated-declarations)
  target_link_options(${target} PRIVATE -fno-sanitize=all)
endfunction()

# Its tests have the passes without the plugin.
add_library(simt_observe_passes OBJECT observe/accesses.cpp observe/code.cpp
  observe/constructors.cpp observe/costs.cpp observe/flow.cpp observe/instruction_costs.cpp
  observe/kernel_sizes.cpp observe/lockstep.cpp observe/polling.cpp observe/positions.cpp
  observe/standard_library.cpp observe/varying.cpp observe/volatiles.cpp observe/wide_copies.cpp)
add_library(simt_observe MODULE observe/plugin.cpp $<TARGET_OBJECTS:simt_observe_passes>)
set_target_properties(simt_observe PROPERTIES OUTPUT_NAME simt-observe-${major})
foreach(target simt_observe_passes simt_observe)
  set_target_properties(${target} PROPERTIES CXX_STANDARD 20)
  simt_plugin_code(${target})
endforeach()
set_property(GLOBAL PROPERTY SIMT_OBSERVE_PLUGIN ${CMAKE_CURRENT_BINARY_DIR}/simt-observe-${major}.so)
