# warpfold_ladder(<name> RUNGS <stem>…)
#
# Called from ladder/<name>/CMakeLists.txt: the one list of that ladder's rungs, lowest first. Every
# NN_*.cuh of the directory must be in it. Makes the libraries
#   ladder_<name>_sources  each rung's source text: sources(); that of the files they share: helpers()
#   ladder_<name>_simt     the rungs for the CPU machine: rungs()
#   ladder_<name>_first    the same with nothing but what the ladder's table shows by default, where a
#                          first build shall be short (WARPFOLD_FIRST_APART)
#   ladder_<name>_cuda     the same for CUDA, when WARPFOLD_CUDA is ON
set(WARPFOLD_CMAKE_DIR ${CMAKE_CURRENT_LIST_DIR})

function(warpfold_ladder ladder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "RUNGS")
  file(GLOB found RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} [0-9][0-9]_*.cuh)
  list(TRANSFORM found REPLACE "\\.cuh$" "")
  set(listed ${arg_RUNGS})
  list(SORT listed)
  list(SORT found)
  if(NOT listed STREQUAL found)
    message(FATAL_ERROR "warpfold_ladder(${ladder}) lists\n  ${listed}\nbut its directory has\n  "
      "${found}")
  endif()

  list(LENGTH arg_RUNGS count)
  warpfold_ladder_files(all "")
  set(simt_files ${cpp_files})
  set(cuda_files ${cu_files})

  set(sources_cpp ${CMAKE_CURRENT_BINARY_DIR}/sources.cpp)
  list(TRANSFORM arg_RUNGS REPLACE "(.+)" "${CMAKE_CURRENT_SOURCE_DIR}/\\1.cuh" OUTPUT_VARIABLE rungs)
  file(GLOB helpers ${CMAKE_CURRENT_SOURCE_DIR}/*.cuh ${PROJECT_SOURCE_DIR}/ladder/*.cuh
    ${PROJECT_SOURCE_DIR}/include/warpfold/warp/*.cuh ${PROJECT_SOURCE_DIR}/include/warpfold/block/*.cuh)
  # How values become 32-bit words for a shuffle is no rung's lesson.
  list(REMOVE_ITEM helpers ${rungs} ${PROJECT_SOURCE_DIR}/include/warpfold/warp/shuffle.cuh)
  add_custom_command(OUTPUT ${sources_cpp}
    COMMAND ${CMAKE_COMMAND} -Dladder=${ladder} "-Dfiles=${rungs}" "-Dhelpers=${helpers}"
      -Doutput=${sources_cpp} -Dtemplate=${WARPFOLD_CMAKE_DIR}/sources.cpp.in
      -P ${WARPFOLD_CMAKE_DIR}/embed_sources.cmake
    DEPENDS ${rungs} ${helpers} ${WARPFOLD_CMAKE_DIR}/embed_sources.cmake
      ${WARPFOLD_CMAKE_DIR}/sources.cpp.in
    COMMENT "Embedding the sources of ladder/${ladder}" VERBATIM)
  add_library(ladder_${ladder}_sources STATIC ${sources_cpp})
  target_link_libraries(ladder_${ladder}_sources PUBLIC warpfold::warpfold)

  if(WARPFOLD_SIMT)
    add_library(ladder_${ladder}_simt STATIC)
    set(how)
    if(WARPFOLD_FIRST_APART)  # all but --scaling counts: half as much to compile
      set(how WATCHED)
    endif()
    set(head HEAD ${PROJECT_SOURCE_DIR}/ladder/kernels.hpp)
    if(WARPFOLD_PRECOMPILE)  # CMake has it parsed
      set(head)
    endif()
    simt_add_kernels(ladder_${ladder}_simt ${how} ${head} SOURCES ${simt_files})
    if(WARPFOLD_TESTS AND NOT WARPFOLD_BENCH)  # runs little, and counts the same
      target_compile_definitions(ladder_${ladder}_simt PRIVATE SIMT_QUICK_CODE=1)
    endif()
    target_link_libraries(ladder_${ladder}_simt PUBLIC warpfold::warpfold ladder_${ladder}_sources)
    if(WARPFOLD_FIRST_APART)
      warpfold_ladder_files(one "first_")
      warpfold_in_groups(first_files first_kernels cpp ${cpp_files})
      add_library(ladder_${ladder}_first STATIC EXCLUDE_FROM_ALL)
      simt_add_kernels(ladder_${ladder}_first WATCHED ${head} SOURCES ${first_files})
      target_link_libraries(ladder_${ladder}_first PUBLIC warpfold::warpfold ladder_${ladder}_sources)
    endif()
  endif()
  if(WARPFOLD_CUDA)
    warpfold_together(cuda_files ladder_${ladder}_cuda ${cuda_files})
    add_library(ladder_${ladder}_cuda STATIC ${cuda_files})
    target_link_libraries(ladder_${ladder}_cuda
      PUBLIC warpfold::warpfold ladder_${ladder}_sources CUDA::cudart_static)
  endif()
endfunction()

# Generates a source of each rung, with these instances, and the list of the rungs: <prefix>*.cpp, and
# a copy of each as .cu. Sets cpp_files and cu_files.
macro(warpfold_ladder_files which prefix)
  set(instances ${which})
  set(cpp_files)
  set(cu_files)
  set(declarations)
  set(addresses)
  foreach(stem IN LISTS arg_RUNGS)
    string(REGEX REPLACE "^[0-9]+_" "" identifier ${stem})
    warpfold_ladder_file(rung.cpp.in ${prefix}rung_${stem})
    string(APPEND declarations "extern const rung rung_${stem};\n")
    string(APPEND addresses "&rung_${stem},\n")
  endforeach()
  warpfold_ladder_file(registry.cpp.in ${prefix}registry)
endmacro()

macro(warpfold_ladder_file template name)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/${name})
  configure_file(${WARPFOLD_CMAKE_DIR}/${template} ${generated}.cpp @ONLY)
  configure_file(${WARPFOLD_CMAKE_DIR}/${template} ${generated}.cu @ONLY)
  list(APPEND cpp_files ${generated}.cpp)
  list(APPEND cu_files ${generated}.cu)
endmacro()
