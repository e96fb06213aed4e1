// What the source step writes into a .cu file: simt/source_step/rewrite.hpp says in place of what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

#include "simt/heap.hpp"
#include "simt/intrinsics.hpp"
#include "simt/launch.hpp"

struct CUstream_st;

namespace simt::detail {

/// What stood in <<<…>>>, for the kernel that this thread calls next.
void configure(dim3 grid, dim3 block = 1, std::size_t shared_bytes = 0,
               CUstream_st* stream = nullptr);

/// Up to three numbers of a kernel's attribute.
constexpr std::uint64_t three(std::uint64_t x = 0, std::uint64_t y = 0, std::uint64_t z = 0) {
  return x | y << 16 | z << 32;
}

/// Launches `body(closure)` as it was configured; in a kernel without a configuration: calls it.
/// `bounds` are those of __launch_bounds__, `cluster` is __cluster_dims__, `block` and `counted`
/// are the two parts of __block_size__: the source step reads them from here, for launches by
/// address, too.
[[gnu::noinline]] void run_kernel(entry body, void* closure, keeper keep, const char* signature,
                                  std::uint64_t bounds, std::uint64_t cluster, std::uint64_t block,
                                  std::uint64_t counted);

template <class Body>
[[clang::annotate("simt.kernel")]] void enter_kernel(void* closure, const void*) {
  Body own = *static_cast<const Body*>(closure);  // a thread may change its parameters
  own();
}

/// The one statement of every kernel.
template <std::uint64_t Bounds = 0, std::uint64_t Cluster = 0, std::uint64_t Block = 0,
          std::uint64_t Counted = 0, class Body>
[[gnu::always_inline]] inline void kernel_scope(Body&& body, const char* signature) {
  run_kernel(enter_kernel<Body>, &body, keep<Body>, signature, Bounds, Cluster, Block, Counted);
}

/// Nobody calls it: the source step looks whether it is empty, and warns where it is not.
template <class Group, class T>
__attribute__((used, noinline, no_sanitize("coverage"))) void constructed(T* variable) {
  ::new (static_cast<void*>(variable)) T;
}

/// The block's variable number `Index` of the declaration that `Group` stands for.
template <class Group, unsigned Index, class T>
[[gnu::always_inline]] inline T& shared_variable(const char* name) {
  static_assert(sizeof(T) <= std::size_t{48} * 1024,
                "a kernel has at most 48 KiB of __shared__ variables; take extern __shared__ and "
                "cudaFuncSetAttribute for more");
  if constexpr (!std::is_trivially_default_constructible_v<T>) {
    static_assert(std::is_default_constructible_v<T>,
                  "a __shared__ variable starts without a value; its type needs a constructor "
                  "without parameters");
    static_cast<void>(&constructed<Group, T>);
  }
  static constexpr char tag = 0;
  return *static_cast<T*>(shared_object(&tag, sizeof(T), alignof(Group), name));
}

/// The block's dynamic shared memory, declared as `extern __shared__ T name[];`.
template <class Array>
[[gnu::always_inline]] inline auto* dynamic_array() {
  return static_cast<std::remove_extent_t<Array>*>(dynamic_shared());
}

/// A variable that kernels see. Accesses to those on the device are global ones.
class variable {
 public:
  enum kind : std::uint8_t { device, constant, managed };
  variable(const volatile void* address, std::size_t bytes, const char* name, kind what);
};

/// No alignment; what asks for it makes the instance of the variable that registers another.
template <const variable& One>
inline constexpr std::size_t registered = 0;

}  // namespace simt::detail
