// A rung of the streams ladder: one way to sum values in host memory. Its arguments and its
// description.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include "ladder/rung.hpp"
#include "simt/streams.hpp"

namespace warpfold::ladder::streams_ladder {

/// Values `first` to `first + count`, and where they go among the device's values.
struct chunk_range {
  unsigned index;  // of the workspace and of the sum
  std::size_t first, count, at;
};

/// Called around each operation that a rung puts into a stream. Does nothing by itself.
class observer {
 public:
  observer() = default;
  observer(const observer&) = delete;
  observer& operator=(const observer&) = delete;
  virtual ~observer() = default;
  virtual void starts() {}
  virtual void before(simt::engine, const chunk_range&, std::size_t /*bytes*/, void* /*stream*/) {}
  virtual void after(void* /*stream*/) {}
  /// Around the adding that the host does itself.
  virtual void host_begins(std::size_t /*bytes*/) {}
  virtual void host_ends() {}
  /// Around questions that the host asks until the answer is yes.
  virtual void asking_begins() {}
  virtual void asking_ends() {}
};

/// One problem: values on the host, memory for them on the device, memory for the sums on both.
struct work {
  value_type type;
  std::size_t n;
  unsigned chunks;
  unsigned passes;          // how often the kernel goes over each chunk
  const std::byte* values;  // pinned, but for a rung that says otherwise
  std::byte* sums;          // chunks + 1 values, likewise
  std::byte* device_values;
  std::byte* device_sums;  // chunks + 1 values
  std::byte* workspaces;   // one after the other, one a chunk
  std::size_t workspace_bytes;
  std::byte* mark;  // 4 bytes of device memory
  streams_ladder::observer* listener;
  /// Adds `count` values to the value at `sum`, on the calling thread.
  void (*add_on_host)(value_type, const void* values, std::size_t count, void* sum);

  [[nodiscard]] std::size_t chunk_size() const {
    constexpr std::size_t whole = 64;  // so that chunks begin where wide loads may
    return std::max(whole, (n + std::size_t{chunks} * whole - 1) / chunks / whole * whole);
  }
  /// The last ones may be shorter, or empty.
  [[nodiscard]] chunk_range chunk(unsigned c) const {
    const std::size_t first = std::min(n, c * chunk_size());
    return {c, first, std::min(chunk_size(), n - first), first};
  }
  [[nodiscard]] chunk_range whole() const { return {0, 0, n, 0}; }
};

/// A rung with its streams and events, ready to run, and to run again.
class prepared {
 public:
  prepared() = default;
  prepared(const prepared&) = delete;
  prepared& operator=(const prepared&) = delete;
  virtual ~prepared() = default;
  /// Returns when the sums of all chunks are on the host: how many there are.
  virtual unsigned run() = 0;
};

struct rung {
  description about;
  bool pageable = false;  // its values and sums lie in ordinary memory
  std::unique_ptr<prepared> (*prepare)(const work&);
};

}  // namespace warpfold::ladder::streams_ladder
