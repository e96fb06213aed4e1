# cmake -Dbuild=<build directory> -Dwork=<directory> -Dcompiler=<c++> [-Dnvcc=<nvcc>]
#   -P consumer.cmake
# Installs warpfold, moves the installation, and builds and runs outside projects against it; and one
# against the tree. With nvcc, where there is NCCL, one that calls across GPUs.
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${work})
foreach(component warpfold simt)
  run(${CMAKE_COMMAND} --install ${build} --prefix ${work}/installed --component ${component})
endforeach()
file(RENAME ${work}/installed ${work}/moved)
foreach(project IN ITEMS tests/house/consumer examples/library)
  set(own ${work}/${project})
  run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/../../${project} -B ${own} -G Ninja
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${compiler}
    -DCMAKE_PREFIX_PATH=${work}/moved)
  run(${CMAKE_COMMAND} --build ${own})
  execute_process(COMMAND ninja -C ${own} -t commands OUTPUT_VARIABLE commands
    COMMAND_ERROR_IS_FATAL ANY)
  if(commands MATCHES "[^\n]*(-rdynamic|export-dynamic)[^\n]*")
    message(FATAL_ERROR "warpfold adds a flag to how ${project} is linked: ${CMAKE_MATCH_0}")
  endif()
  run(${CMAKE_CTEST_COMMAND} --test-dir ${own} --output-on-failure --no-tests=error)
endforeach()

if(nvcc)
  set(own ${work}/tests/house/consumer/gpus)
  run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/consumer/gpus -B ${own} -G Ninja
    -DCMAKE_CUDA_COMPILER=${nvcc} -DCMAKE_CUDA_ARCHITECTURES=90 -DCMAKE_CUDA_FLAGS=-std=c++20
    -DCMAKE_PREFIX_PATH=${work}/moved)
  run(${CMAKE_COMMAND} --build ${own})
  execute_process(COMMAND ${own}/across_gpus RESULT_VARIABLE code COMMAND_ECHO STDOUT)
  if(NOT code MATCHES "^[03]$")  # right, or no GPU to be right on
    message(FATAL_ERROR "across_gpus ended with ${code}")
  endif()
endif()

# Where the plugin for plain kernels is installed, that project uses it.
file(GLOB plugin ${work}/moved/*/simt-plain-*.so)
if(plugin)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env SIMT_ENGINES=1
    ${work}/tests/house/consumer/own_kernel ERROR_VARIABLE engines COMMAND_ERROR_IS_FATAL ANY)
  if(NOT engines MATCHES "^simt: kernel [^\n]*: blocks\n")
    message(FATAL_ERROR "expected a plain kernel: ${engines}")
  endif()
endif()

run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/consumer/within -B ${work}/within -G Ninja
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${compiler}
  -Dtree=${CMAKE_CURRENT_LIST_DIR}/../..)
run(${CMAKE_COMMAND} --build ${work}/within)
run(${CMAKE_CTEST_COMMAND} --test-dir ${work}/within --output-on-failure --no-tests=error)
