# cmake -Droot=<sources> -Dcompiler=<clang++> -Dwork=<directory> -P presets.cmake
# Each preset of the tests configures, with precompiled headers and without.
cmake_minimum_required(VERSION 3.22)
foreach(preset test sanitize tsan)
  set(cuda OFF)
  if(preset STREQUAL test)
    set(cuda ON)  # and code is made, where nvcc is there
  endif()
  foreach(precompile ON OFF)
    file(REMOVE_RECURSE ${work})
    execute_process(COMMAND ${CMAKE_COMMAND} --preset ${preset} -B ${work} -DWARPFOLD_CUDA=${cuda}
      -DCMAKE_CXX_COMPILER=${compiler} -DWARPFOLD_SHARED_OBJECTS=ON
      -DWARPFOLD_PRECOMPILE=${precompile}
      WORKING_DIRECTORY ${root} RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
    if(NOT status EQUAL 0)
      message(SEND_ERROR "${preset}, WARPFOLD_PRECOMPILE=${precompile}:\n${said}")
    endif()
  endforeach()
endforeach()
file(REMOVE_RECURSE ${work})
