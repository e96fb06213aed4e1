// What the CPU machine throws when a kernel does what no GPU promises to survive.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace simt {

/// A launch that can't be made: an empty block, too many threads, too much shared memory.
class launch_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What CUDA has an error number of its own for.
enum class fault : std::uint8_t { other, assertion, address, alignment, limit };

/// A kernel went wrong while it ran. The message names the kernel, the block, the threads and the
/// source place, and says what they waited for.
class kernel_error : public std::runtime_error {
 public:
  explicit kernel_error(const std::string& what, fault kind = fault::other)
      : std::runtime_error(what), kind_(kind) {}
  [[nodiscard]] fault kind() const { return kind_; }

 private:
  fault kind_;
};

}  // namespace simt
