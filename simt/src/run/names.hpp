// What kernels, intrinsics and numbers are called in messages.
#pragma once

#include <cstdint>
#include <string>

#include "simt/intrinsics.hpp"

namespace simt::detail {

std::string kernel_name(const void* kernel);
/// Takes it from __PRETTY_FUNCTION__, which knows also what no symbol tells.
void name_kernel(const void* kernel, const char* signature);
const char* name_of(intrinsic what);
/// "0x0000ffff"
std::string hex(std::uint32_t mask);
/// "(0,0,0)"
std::string triple(const uint3& v);

}  // namespace simt::detail
