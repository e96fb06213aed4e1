// What the source step writes into a .cu file: simt/source_step/rewrite.hpp says in place of what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "simt/heap.hpp"
#include "simt/intrinsics.hpp"
#include "simt/launch.hpp"

struct CUstream_st;

namespace simt::detail {

/// What stood in <<<…>>>, for the kernel that this thread calls next.
void configure(dim3 grid, dim3 block, std::size_t shared_bytes = 0, CUstream_st* stream = nullptr);

/// Launches `body(closure)` as it was configured; in a kernel without a configuration: calls it.
[[gnu::noinline]] void run_kernel(entry body, void* closure, keeper keep, const char* signature);

template <class Body>
[[clang::annotate("simt.kernel")]] void enter_kernel(void* closure, const void*) {
  Body own = *static_cast<const Body*>(closure);  // a thread may change its parameters
  own();
}

/// The one statement of every kernel.
template <class Body>
[[gnu::always_inline]] inline void kernel_scope(Body&& body, const char* signature) {
  run_kernel(enter_kernel<Body>, &body, keep<Body>, signature);
}

/// The block's variable number `Index` of the declaration that `Group` stands for.
template <class Group, unsigned Index, class T>
[[gnu::always_inline]] inline T& shared_variable(const char* name) {
  static_assert(sizeof(T) <= std::size_t{48} * 1024,
                "a kernel has at most 48 KiB of __shared__ variables; take extern __shared__ and "
                "cudaFuncSetAttribute for more");
  static_assert(std::is_trivially_default_constructible_v<std::remove_all_extents_t<T>>,
                "nobody runs the constructor of a __shared__ variable; its type must have none");
  static constexpr char tag = 0;
  return *static_cast<T*>(shared_object(&tag, sizeof(T), alignof(Group), name));
}

/// The block's dynamic shared memory, declared as `extern __shared__ T name[];`.
template <class Array>
[[gnu::always_inline]] inline auto* dynamic_array() {
  return static_cast<std::remove_extent_t<Array>*>(dynamic_shared());
}

/// A __device__ or __constant__ variable. Accesses to those of the first kind are global ones.
class variable {
 public:
  enum kind : std::uint8_t { device, constant };
  variable(const volatile void* address, std::size_t bytes, const char* name, kind what);
};

}  // namespace simt::detail
