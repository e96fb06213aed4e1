# cmake -Dfiles=<files> -Dtemplate=<file> -Doutput=<file> [-Dladder=<name>] [-Dhelpers=<files>]
#       -P embed_sources.cmake
# Writes the text of each file into a C++ table of {stem, text}, and that of the helpers, which files
# share, into another of {file name, text}.
function(warpfold_source_table from component count entries)
  list(LENGTH ${from} length)
  set(text)
  foreach(path IN LISTS ${from})
    get_filename_component(name ${path} ${component})
    file(READ ${path} content)
    string(APPEND text "{\"${name}\", R\"warpfold(${content})warpfold\"},\n")
  endforeach()
  set(${count} ${length} PARENT_SCOPE)
  set(${entries} "${text}" PARENT_SCOPE)
endfunction()

warpfold_source_table(files NAME_WE count entries)
warpfold_source_table(helpers NAME helper_count helper_entries)
configure_file(${template} ${output} @ONLY)
