#include "simt/cudart/graph_memory.hpp"

#include <map>
#include <mutex>

#include "simt/cudart/state.hpp"

namespace simt::detail {

namespace {

std::mutex graph_memory_mutex;
std::map<const void*, bool> allocated_in_graphs;  // what is a graph's: whether it is allocated now

}  // namespace

std::shared_ptr<graph_memory> graph_memory::make(const char* call, std::size_t bytes,
                                                 cudaError_t& status) {
  void* pointer = nullptr;
  status = allocate_for(call, &pointer, bytes);
  if (status != cudaSuccess) return nullptr;
  const std::scoped_lock lock(graph_memory_mutex);
  allocated_in_graphs[pointer] = false;
  return std::shared_ptr<graph_memory>(new graph_memory(pointer));
}

graph_memory::~graph_memory() {
  bool in_use = false;
  {
    const std::scoped_lock lock(graph_memory_mutex);
    const auto found = allocated_in_graphs.find(pointer_);
    if (found == allocated_in_graphs.end()) return;  // the device was reset
    in_use = found->second;
    allocated_in_graphs.erase(found);
  }
  if (!in_use) static_cast<void>(cudaFree(pointer_));
}

cudaError_t graph_memory::allocate() {
  const std::scoped_lock lock(graph_memory_mutex);
  const auto found = allocated_in_graphs.find(pointer_);
  if (found == allocated_in_graphs.end()) {
    return remember(cudaErrorInvalidValue, "cudaGraphLaunch", "a device reset freed its memory");
  }
  if (found->second) {
    return remember(cudaErrorInvalidValue, "cudaGraphLaunch",
                    "the memory of an allocation node was not freed since the last launch: add a "
                    "node that frees it, call cudaFree, or instantiate with "
                    "cudaGraphInstantiateFlagAutoFreeOnLaunch");
  }
  found->second = true;
  return cudaSuccess;
}

void graph_memory::free_if_allocated() {
  const std::scoped_lock lock(graph_memory_mutex);
  if (const auto found = allocated_in_graphs.find(pointer_); found != allocated_in_graphs.end())
    found->second = false;
}

std::optional<cudaError_t> free_of_graph(const char* call, const void* pointer) {
  const std::scoped_lock lock(graph_memory_mutex);
  const auto found = allocated_in_graphs.find(pointer);
  if (found == allocated_in_graphs.end()) return std::nullopt;
  if (!found->second) {
    return remember(cudaErrorInvalidValue, call, "memory of a graph that is not allocated now");
  }
  found->second = false;
  return cudaSuccess;
}

void forget_graph_memory() {
  const std::scoped_lock lock(graph_memory_mutex);
  allocated_in_graphs.clear();
}

}  // namespace simt::detail
