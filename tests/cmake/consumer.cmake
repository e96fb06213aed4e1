# cmake -Dbuild=<build directory> -Dwork=<directory> -Dcompiler=<c++> -P consumer.cmake
# Installs warpfold, moves the installation, and builds and runs an outside project against it.
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${work})
run(${CMAKE_COMMAND} --install ${build} --prefix ${work}/installed)
file(RENAME ${work}/installed ${work}/moved)
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/../consumer -B ${work}/build -G Ninja
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${compiler} -DCMAKE_PREFIX_PATH=${work}/moved)
run(${CMAKE_COMMAND} --build ${work}/build)
run(${CMAKE_CTEST_COMMAND} --test-dir ${work}/build --output-on-failure --no-tests=error)
