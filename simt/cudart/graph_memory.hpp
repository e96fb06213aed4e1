// Memory that nodes of a graph allocate and free. Its address is the graph's for as long as there
// is one that has the node; the program may use it from a launch on, until a node or cudaFree has
// freed it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "simt/runtime.hpp"

namespace simt::detail {

class graph_memory {
 public:
  /// Null, with an error, where there is no room.
  static std::shared_ptr<graph_memory> make(const char* call, std::size_t bytes,
                                            cudaError_t& status);
  ~graph_memory();
  graph_memory(const graph_memory&) = delete;
  graph_memory& operator=(const graph_memory&) = delete;

  [[nodiscard]] void* pointer() const { return pointer_; }
  /// What the node does when it runs; an error where it is allocated still.
  cudaError_t allocate();
  /// Before a launch of a graph with cudaGraphInstantiateFlagAutoFreeOnLaunch.
  void free_if_allocated();

 private:
  explicit graph_memory(void* pointer) : pointer_(pointer) {}
  void* pointer_;
};

/// Where the pointer is a graph's: the status of freeing it. Memory whose graphs are all gone is as
/// any other.
std::optional<cudaError_t> free_of_graph(const char* call, const void* pointer);

/// The device is reset.
void forget_graph_memory();

}  // namespace simt::detail
