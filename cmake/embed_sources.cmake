# cmake -Dfiles=<files> -Dtemplate=<file> -Doutput=<file> [-Dladder=<name>] -P embed_sources.cmake
# Writes the text of each file into a C++ table of {stem, text}.
list(LENGTH files count)
set(entries)
foreach(path IN LISTS files)
  get_filename_component(stem ${path} NAME_WE)
  file(READ ${path} text)
  string(APPEND entries "{\"${stem}\", R\"warpfold(${text})warpfold\"},\n")
endforeach()
configure_file(${template} ${output} @ONLY)
