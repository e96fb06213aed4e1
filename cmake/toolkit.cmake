# simt_toolkit(<directory> <nvcc> <include> <archive>): what a Makefile takes for CUDA's toolkit, as
# links: bin/nvcc is simt++, include has CUDA's headers, and lib64 has libcudart and libcuda for
# those who link with a host compiler. `make CUDA_PATH=<directory>` needs no other change.
function(simt_toolkit directory nvcc include archive)
  file(REMOVE_RECURSE ${directory})
  file(MAKE_DIRECTORY ${directory}/bin ${directory}/include ${directory}/lib64)
  file(CREATE_LINK ${nvcc} ${directory}/bin/nvcc SYMBOLIC)
  file(CREATE_LINK ${include}/simt ${directory}/include/simt SYMBOLIC)
  file(GLOB headers RELATIVE ${PROJECT_SOURCE_DIR}/simt/include/simt/cuda
    ${PROJECT_SOURCE_DIR}/simt/include/simt/cuda/*)
  foreach(header IN LISTS headers)
    file(CREATE_LINK ${include}/simt/cuda/${header} ${directory}/include/${header} SYMBOLIC)
  endforeach()
  file(CREATE_LINK ${archive} ${directory}/lib64/libwarpfold_simt.a SYMBOLIC)
  # A C source that declares CUDA's functions itself, or not at all, finds the machine's.
  set(names ${PROJECT_SOURCE_DIR}/simt/include/simt/runtime_names.hpp)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${names})
  file(STRINGS ${names} provided REGEX "redefine_extname")
  list(TRANSFORM provided REPLACE ".*redefine_extname ([^ ]+) ([^ ]+).*" "PROVIDE(\\1 = \\2)")
  list(JOIN provided ";\n" provided)
  # The archive is named as a file: for one, linkers look in the script's own directory, too, and who
  # names the script whole, as CMake does, gives no other.
  foreach(library cudart cudart_static cuda cudadevrt)
    set(name ${directory}/lib64/lib${library})
    file(WRITE ${name}.so
      "${provided};\nINPUT(libwarpfold_simt.a -lstdc++ -lpthread -ldl -lm)\n")
    file(CREATE_LINK lib${library}.so ${name}.a SYMBOLIC)
  endforeach()
  file(CREATE_LINK lib64 ${directory}/lib SYMBOLIC)
endfunction()
