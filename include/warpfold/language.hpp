// The language that the headers are written in. Every header comes here before anything that an
// older one lacks, and the compiler stops here: what it would say of the rest explains nothing.
#pragma once

#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) < 202002L
#if defined(__CUDACC__) && !defined(__clang__)  // nvcc stops at an #error
#error "warpfold needs C++20: compile with nvcc -std=c++20"
#else  // other compilers stop at a header that is not there, and its name is the message
#include "warpfold needs C++20: compile with -std=c++20"
#endif
#endif
