# cmake -Dbuild=<build directory> -Dwork=<directory> -Dcompiler=<c++> -Droot=<source> -P package.cmake
# Makes the Debian packages, installs them with dpkg in a root of their own, uses the programs there,
# and runs CI's commands on a project that finds the library there.
foreach(tool dpkg dpkg-deb dpkg-shlibdeps)
  find_program(${tool} ${tool})
  if(NOT ${tool})
    message("${tool} is not here")
    return()
  endif()
endforeach()

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${work})
# Not compressed: that would take a third of this test.
run(${CMAKE_CPACK_COMMAND} --config ${build}/CPackConfig.cmake -B ${work}/packages
  -D CPACK_DEBIAN_COMPRESSION_TYPE=none)
file(GLOB packages ${work}/packages/*.deb)
list(LENGTH packages count)
if(NOT count MATCHES "^[35]$")  # five where there is MPI
  message(FATAL_ERROR "expected three packages, or five: ${packages}")
endif()
set(installed ${work}/root)
file(MAKE_DIRECTORY ${installed}/var/lib/dpkg/info ${installed}/var/lib/dpkg/updates)
file(TOUCH ${installed}/var/lib/dpkg/status)
# Dependencies are this system's, which the new root does not have.
run(dpkg --root=${installed} --force-depends --force-not-root --force-script-chrootless
  --log=${work}/dpkg.log -i ${packages})

set(program ${installed}/usr/bin/warpfold)
run(${program} --help)
run(${program} ladder reduce --n 2^10 --rung 12)
run(${program} sort --help)
file(WRITE ${work}/letters.raw "warpfold")
execute_process(COMMAND ${program} reduce ${work}/letters.raw --type u8 OUTPUT_VARIABLE sum
  COMMAND_ERROR_IS_FATAL ANY)
if(NOT sum STREQUAL "863\n")
  message(FATAL_ERROR "warpfold reduce printed '${sum}'")
endif()
file(GLOB programs RELATIVE ${installed}/usr/bin ${installed}/usr/bin/warpfold*)
foreach(name IN LISTS programs)
  if(NOT EXISTS ${installed}/usr/share/man/man1/${name}.1 AND
     NOT EXISTS ${installed}/usr/share/man/man1/${name}.1.gz)
    message(FATAL_ERROR "${name} has no page in the manual")
  endif()
endforeach()
foreach(file bash-completion/completions/warpfold zsh/vendor-completions/_warpfold
    fish/vendor_completions.d/warpfold.fish)
  if(NOT EXISTS ${installed}/usr/share/${file})
    message(FATAL_ERROR "${file} is not installed")
  endif()
endforeach()
# What bash would offer behind `warpfold ladder scan --exc`.
execute_process(COMMAND bash -c "source ${installed}/usr/share/bash-completion/completions/warpfold
  PATH=${installed}/usr/bin:$PATH COMP_WORDS=(warpfold ladder scan --exc) COMP_CWORD=3
  _warpfold; echo \"\${COMPREPLY[@]}\"" OUTPUT_VARIABLE offered COMMAND_ERROR_IS_FATAL ANY)
if(NOT offered STREQUAL "--exclusive\n")
  message(FATAL_ERROR "bash would offer '${offered}'")
endif()

# The templates' commands, without those that install, each on a project.
set(ENV{CMAKE_PREFIX_PATH} ${installed}/usr)
foreach(template github gitlab)
  file(STRINGS ${root}/examples/ci/${template}.yml commands REGEX "- (run: )?(cmake|ctest) ")
  list(LENGTH commands count)
  if(NOT count EQUAL 3)
    message(FATAL_ERROR "${template}.yml: expected three commands: ${commands}")
  endif()
  file(COPY ${root}/examples/own_kernel DESTINATION ${work}/${template})
  foreach(command IN LISTS commands)
    string(REGEX REPLACE "^ *- (run: )?" "" command "${command}")
    string(REPLACE "CMAKE_CXX_COMPILER=clang++" "CMAKE_CXX_COMPILER=${compiler}" command "${command}")
    execute_process(COMMAND sh -c "${command}" WORKING_DIRECTORY ${work}/${template}/own_kernel
      COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endforeach()
