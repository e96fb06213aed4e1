#pragma once
#include "simt/half_arithmetic.hpp"
#include "simt/half_conversions.hpp"
#if __has_declspec_attribute(property)  // compiled by simt_add_kernels
#include "simt/half_atomics.hpp"
#endif
