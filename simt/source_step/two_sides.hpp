// `__CUDA_ARCH__` is defined on the device alone, so a file is two texts. Both go into one: a
// function of both sides whose bodies differ asks at run time where it is.
//
//   __host__ __device__ int f() {      __host__ __device__ int f() {
//   #ifdef __CUDA_ARCH__                 if (in_kernel()) {
//     return 1;                            return 1;
//   #else                                } else {
//     return 2;                            return 2;
//   #endif                               }
//   }                                  }
//
// A function of the host has the host's body. What is in the host's text alone is added; what else
// differs, as a type, is the device's on both sides, with a warning.
#pragma once

#include <string>
#include <string_view>

namespace simt::source_step {

/// Whether a file that the text comes from asks for `__CUDA_ARCH__`, other than the system's
/// headers and the machine's.
bool asks_for_side(std::string_view preprocessed);

/// The text for both sides; `warnings` are for the user.
std::string for_two_sides(std::string_view device, std::string_view host, std::string& warnings);

}  // namespace simt::source_step
