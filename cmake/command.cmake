# warpfold_command(<word>… ABOUT <what it is for> SOURCES <file>… LINK <target>…
#                  [LINK_ALL <target>…] [LINK_ALONE <target>… LINK_RANKS <target>…])
#
# One command of the command line, as a program of its own: `ladder reduce` is warpfold-ladder-reduce,
# beside `warpfold`, which becomes it. SOURCES define describe() of cli/command.hpp. LINK_ALL makes a
# second program, <name>-all, that the first one may become (other_program); then the first one serves
# ./dev run alone, and what is installed is the second. LINK_RANKS makes <name>-mpi of the same objects
# where there is MPI: what the first one, which has LINK_ALONE instead, runs under mpirun, and waits
# for. The target `warpfold_cli` builds all of them; warpfold_front_table() writes the list that
# `warpfold` has.
add_custom_target(warpfold_cli)

# Installs the program under this name, and the page of the manual that it prints of itself.
add_custom_target(warpfold_pages ALL)
function(warpfold_program target name)
  set(page ${CMAKE_CURRENT_BINARY_DIR}/man/${name}.1)
  add_custom_command(OUTPUT ${page}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/man
    COMMAND ${target} --man > ${page} DEPENDS ${target} VERBATIM)
  add_custom_target(${name}_page DEPENDS ${page})
  add_dependencies(warpfold_pages ${name}_page)
  install(PROGRAMS $<TARGET_FILE:${target}> RENAME ${name}
    DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
endfunction()

function(warpfold_command)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "ABOUT" "SOURCES;LINK;LINK_ALL;LINK_ALONE;LINK_RANKS")
  list(JOIN arg_UNPARSED_ARGUMENTS " " words)
  list(JOIN arg_UNPARSED_ARGUMENTS "-" name)
  set(name warpfold-${name})
  set(about ${arg_ABOUT})
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/command.cpp.in ${file} @ONLY)
  add_executable(${name} ${arg_SOURCES} ${file})
  target_link_libraries(${name} PRIVATE ${arg_LINK} ${arg_LINK_ALONE} warpfold_command_line)
  add_dependencies(warpfold_cli ${name})
  set(installed ${name})
  if(arg_LINK_ALL)
    set(installed ${name}-all)
    add_executable(${installed} ${arg_SOURCES} ${file})
    target_link_libraries(${installed} PRIVATE ${arg_LINK_ALL} warpfold_command_line)
    add_dependencies(warpfold_cli ${installed})
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  if(arg_LINK_RANKS AND TARGET warpfold::mpi)
    add_executable(${name}-mpi $<TARGET_OBJECTS:${name}>)
    target_link_libraries(${name}-mpi PRIVATE ${arg_LINK} ${arg_LINK_RANKS} warpfold_command_line)
    add_dependencies(warpfold_cli ${name}-mpi)
    install(TARGETS ${name}-mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT mpi)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/man/${name}.1 RENAME ${name}-mpi.1
      DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT mpi)
  endif()
  warpfold_program(${installed} ${name})
  set_property(GLOBAL APPEND PROPERTY WARPFOLD_COMMANDS "${words}=${about}")
endfunction()

function(warpfold_front_table output)
  get_property(commands GLOBAL PROPERTY WARPFOLD_COMMANDS)
  list(LENGTH commands count)
  set(entries)
  foreach(command IN LISTS commands)
    string(REGEX REPLACE "^([^=]*)=(.*)$" "    {\"\\1\", \"\\2\"},\n" entry "${command}")
    string(APPEND entries "${entry}")
  endforeach()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/commands.cpp.in ${output} @ONLY)
endfunction()
