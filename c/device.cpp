// The tables of a device, where the library is built for CUDA.
#include "c/calls.hpp"

namespace warpfold::erased {

const calls& device_calls_i32();
const calls& device_calls_i64();
const calls& device_calls_u32();
const calls& device_calls_u64();
const calls& device_calls_f32();
const calls& device_calls_f64();

const calls* device_calls(wf_type type) {
  switch (type) {
    case WF_I32: return &device_calls_i32();
    case WF_I64: return &device_calls_i64();
    case WF_U32: return &device_calls_u32();
    case WF_U64: return &device_calls_u64();
    case WF_F32: return &device_calls_f32();
    case WF_F64: return &device_calls_f64();
    default: return nullptr;
  }
}

}  // namespace warpfold::erased
