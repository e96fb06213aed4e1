# cmake -Dladder=<name> -Drungs=<files> -Doutput=<file> -P embed_sources.cmake
# Writes the source text of each rung into a C++ table of {stem, text}.
list(LENGTH rungs count)
set(entries)
foreach(path IN LISTS rungs)
  get_filename_component(stem ${path} NAME_WE)
  file(READ ${path} text)
  string(APPEND entries "{\"${stem}\", R\"warpfold(${text})warpfold\"},\n")
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/sources.cpp.in ${output} @ONLY)
