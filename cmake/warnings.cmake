# Warnings for everything in this tree. WARPFOLD_WERROR makes them errors, but only for the clang
# that the project is developed with: a newer compiler's new warning must not stop anybody's build.
option(WARPFOLD_WERROR "Warnings are errors (clang 14 and nvcc)" OFF)

set(warnings -Wall -Wextra -Wpedantic -Wshadow -Wcast-qual -Wnon-virtual-dtor -Woverloaded-virtual
  -Wimplicit-fallthrough
  -Wno-missing-field-initializers)  # designated initializers leave the rest at their defaults
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  list(APPEND warnings -Wshorten-64-to-32 -Wloop-analysis -Wextra-semi)
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 15)
    if(WARPFOLD_WERROR)
      list(APPEND warnings -Werror)
    endif()
  else()  # it finds in std::stable_sort of libstdc++ 12 a function that the same deprecates
    list(APPEND warnings -Wno-deprecated-declarations)
  endif()
endif()
add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:${warnings}>")

# No -Wpedantic for nvcc's host pass: it objects to the line markers of nvcc's own output.
add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>")
if(WARPFOLD_WERROR)
  add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:-Werror=cross-execution-space-call,reorder>")
endif()
