// CUDA's additions to C++, written as C++ that clang compiles for the CPU machine. The text comes
// out of the preprocessor, so that headers and macros are in it; lines and columns stay as they
// were.
//
//   k<<<g, b, s>>>(args)        (::simt::detail::configure(g, b, s), k(args))
//   __global__ void k(…) {…}    the body becomes a closure over the parameters: called outside of a
//                               kernel, k launches it
//   __shared__ T x[N], y;       x and y are references to storage of the block; outside of
//   functions
//                               each one that runs on the device and uses them has them
//   __device__ T x;             a variable that is registered as device memory
//   asm("popc.b32 %0, %1;" …)   calls of functions in simt/ptx.hpp
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace simt::source_step {

/// Something that can't be rewritten; the message has the place and says what to do.
class refusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What nvcc calls relocatable device code and whole program mode: whether files share functions
/// and variables of the device, or each has its own.
enum class device_code { shared, of_file };

std::string rewrite(std::string_view text, device_code links = device_code::shared);

}  // namespace simt::source_step
