// Where a ladder runs: device memory, launches, and what can be learned from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ladder/rung.hpp"
#include "measure/measurement.hpp"

namespace warpfold::ladder {

/// A ladder's rungs as they were built for a backend, each defined in that ladder's own library.
std::span<const rung* const> reduce_rungs(std::string_view backend);
std::span<const rung* const> scan_rungs(std::string_view backend);
std::span<const rung* const> sort_rungs(std::string_view backend);
/// What those of the CPU machine were compiled with.
instances reduce_instances();
instances scan_instances();
instances sort_instances();

/// Reads a source file that the compiler was given; "" when it isn't there.
using source_reader = std::function<std::string(const std::string& file)>;

class machine {
 public:
  machine() = default;
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;
  virtual ~machine() = default;

  [[nodiscard]] virtual std::string backend() const = 0;            // "simt" or "cuda"
  [[nodiscard]] virtual std::string device() const = 0;             // "NVIDIA H100 80GB HBM3"
  [[nodiscard]] virtual std::string driver() const { return {}; }   // "580.159.04"
  [[nodiscard]] virtual std::string toolkit() const { return {}; }  // "CUDA 13.0"
  [[nodiscard]] virtual unsigned processors() const = 0;  // multiprocessors that grids are made for
  [[nodiscard]] virtual int capability() const = 0;       // times 10: 90 for 9.0
  [[nodiscard]] virtual std::size_t cache_bytes() const = 0;  // of the last level
  [[nodiscard]] std::span<const rung* const> reduce_rungs() const {
    return ladder::reduce_rungs(backend());
  }
  [[nodiscard]] std::span<const rung* const> scan_rungs() const {
    return ladder::scan_rungs(backend());
  }
  [[nodiscard]] std::span<const rung* const> sort_rungs() const {
    return ladder::sort_rungs(backend());
  }

  /// Device memory, 256-byte aligned. Throws device_error when there is not that much.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* pointer) noexcept = 0;
  virtual void write(void* device_to, const void* host_from, std::size_t bytes) = 0;
  virtual void read(void* host_to, const void* device_from, std::size_t bytes) = 0;
  virtual void copy(void* device_to, const void* device_from, std::size_t bytes) = 0;
  virtual void fill(void* device_to, unsigned char byte, std::size_t bytes) = 0;
  [[nodiscard]] virtual void* stream() const = 0;
  /// Waits for all launches; throws if one of them went wrong.
  virtual void synchronize() = 0;

  /// Runs `launches` and returns what was counted meanwhile; nothing where nobody counts.
  virtual std::vector<measure::counter> count(const std::function<void()>& launches) = 0;
  /// Further orders of blocks, warps and lanes to run each rung in, by their seeds; none where
  /// nobody can choose.
  [[nodiscard]] virtual std::vector<std::uint64_t> orders() const { return {}; }
  /// Runs `launches` in the order of this seed.
  virtual void run_in_order(std::uint64_t, const std::function<void()>& launches) { launches(); }
  /// Notes among the findings that in this order the result of `rung` was another one.
  virtual void note_difference(std::uint64_t, const std::string&, const measure::verdict&,
                               const measure::verdict&) {}
  /// What was wrong with the kernels run so far, in words; nothing where nobody checks.
  [[nodiscard]] virtual std::vector<std::string> findings() const { return {}; }
  /// The sources of the kernels counted so far, each line with what it cost; nothing where nobody
  /// counts by lines.
  [[nodiscard]] virtual std::vector<std::string> source_views(const source_reader&) const {
    return {};
  }
  /// Whether times mean something here.
  [[nodiscard]] virtual bool keeps_time() const = 0;
  /// Runs `launches` between two events; microseconds.
  virtual double time_us(const std::function<void()>& launches) = 0;
  /// Read bandwidth of the device memory, measured now; GB/s.
  virtual double read_ceiling_gbs() = 0;
};

struct simt_options {
  bool check = false;                   // collect findings
  std::uint64_t seed = 0;               // varies the order of blocks, warps and lanes
  bool work_only = false;               // count barriers and applications alone: costs nothing
  bool lines = false;                   // count by source lines
  std::vector<std::uint64_t> orders{};  // further ones to run each rung in, by their seeds
  unsigned workers = 0;  // threads; 0: one per core. Of one the counts are the same each time
};

std::unique_ptr<machine> make_simt_machine(simt_options options = {});

/// The first CUDA device. Throws device_error with the reason when there is none, or when this
/// program was built without CUDA.
std::unique_ptr<machine> make_cuda_machine();

/// Whether this program was built with CUDA.
bool has_cuda_kernels();

/// Whether this program was built with CUDA and a device answers.
bool has_cuda_device();

/// Device memory that is given back.
class device_memory {
 public:
  device_memory(machine& where, std::size_t bytes)
      : where_(&where), pointer_(where.allocate(bytes)), bytes_(bytes) {}
  device_memory(const device_memory&) = delete;
  device_memory& operator=(const device_memory&) = delete;
  device_memory(device_memory&& other) noexcept
      : where_(other.where_),
        pointer_(std::exchange(other.pointer_, nullptr)),
        bytes_(other.bytes_) {}
  device_memory& operator=(device_memory&&) = delete;
  ~device_memory() {
    if (pointer_ != nullptr) where_->release(pointer_);
  }
  [[nodiscard]] void* get() const { return pointer_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  machine* where_;
  void* pointer_;
  std::size_t bytes_;
};

}  // namespace warpfold::ladder
