// Arrays of the host's memory, and calls on them: what the sources of the module share.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
#include <thread>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include "c/warpfold.h"
#include "warpfold/host/detail/threads.hpp"

namespace warpfold::python {

namespace nb = nanobind;

using input = nb::ndarray<nb::ro, nb::device::cpu, nb::c_contig>;
using output = nb::ndarray<nb::device::cpu, nb::c_contig>;

template <class Array>
std::size_t bytes_of(const Array& x) {
  return x.size() * x.itemsize();
}

/// bool is u8 here.
template <class Array>
wf_type type_of(const Array& x) {
  const auto [code, bits, lanes] = x.dtype();
  const unsigned power = bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : bits == 64 ? 3 : 9;
  if (lanes == 1 && power < 4) {
    switch (static_cast<nb::dlpack::dtype_code>(code)) {
      case nb::dlpack::dtype_code::Int: return static_cast<wf_type>(WF_I8 + power);
      case nb::dlpack::dtype_code::UInt: return static_cast<wf_type>(WF_U8 + power);
      case nb::dlpack::dtype_code::Float:
        if (power >= 2) return power == 2 ? WF_F32 : WF_F64;
        break;
      case nb::dlpack::dtype_code::Bool: return WF_U8;
      default: break;
    }
  }
  throw nb::type_error("warpfold takes integers and floats of 32 and 64 bits; convert with astype");
}

/// Of the same kind, with 64 bits.
constexpr wf_type wide_type(wf_type type) {
  return type >= WF_F32 ? WF_F64 : type >= WF_U8 ? WF_U64 : WF_I64;
}

inline void require(bool right, const char* what) {
  if (!right) throw nb::value_error(what);
}

inline wf_place at(bool gpu_to_gpu) {
  return {WF_HOST, 0, nullptr, gpu_to_gpu ? WF_GPU_TO_GPU : WF_RUN_TO_RUN};
}

constexpr wf_order order_of(bool descending) { return descending ? WF_DESCENDING : WF_ASCENDING; }

inline const void* init_of(const std::optional<input>& init, wf_type type) {
  if (!init) return nullptr;
  require(init->size() == 1 && type_of(*init) == type, "init has another type than the result");
  return init->data();
}

struct interrupted {};

/// Calls f, which takes `bytes` of values: short work at once, other work without the interpreter's
/// lock, and stopped by a signal whose handler raises, as Ctrl-C's does. The error is the thread's
/// own until the lock is held again.
template <class F>
void run(std::size_t bytes, const F& f) {
  if (bytes < 4096) return f();
  using clock = std::chrono::steady_clock;
  const auto caller = std::this_thread::get_id();
  auto next = clock::now() + std::chrono::milliseconds(20);
  std::atomic<bool> stopped = false;
  const auto check = [&](std::size_t) {
    if (stopped.load(std::memory_order_relaxed)) throw interrupted{};
    if (std::this_thread::get_id() != caller || clock::now() < next) return;
    next = clock::now() + std::chrono::milliseconds(20);
    const nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() == 0) return;
    stopped = true;
    throw interrupted{};
  };
  try {
    const nb::gil_scoped_release unlock;
    const warpfold::host_detail::index_call call(check);
    const warpfold::host_detail::check_scope scope(call);
    f();
  } catch (const interrupted&) {
    throw nb::python_error();
  }
}

void define_bin_calls(nb::module_& m);
void define_order_calls(nb::module_& m);
void define_run_calls(nb::module_& m);
void define_segment_calls(nb::module_& m);
void define_sorted_calls(nb::module_& m);

}  // namespace warpfold::python
