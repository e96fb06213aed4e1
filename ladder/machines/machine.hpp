// Where a ladder runs: a device with memory and a stream, and the measurements of launches on it.
// The CPU machine counts and measures no time; a GPU measures time and counts nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ladder/rung.hpp"
#include "measure/backend.hpp"
#include "measure/measurement.hpp"

namespace warpfold::ladder {

using measure::backend_kind;

/// A ladder's rungs as they were built for a backend, each defined in that ladder's own library.
std::span<const rung* const> reduce_rungs(backend_kind backend);
std::span<const rung* const> scan_rungs(backend_kind backend);
std::span<const rung* const> sort_rungs(backend_kind backend);
std::span<const rung* const> histogram_rungs(backend_kind backend);
std::span<const rung* const> select_rungs(backend_kind backend);
/// What those of the CPU machine were compiled with.
instances reduce_instances();
instances scan_instances();
instances sort_instances();
instances histogram_instances();
instances select_instances();

class device {
 public:
  device() = default;
  device(const device&) = delete;
  device& operator=(const device&) = delete;
  virtual ~device() = default;

  [[nodiscard]] virtual backend_kind backend() const = 0;
  [[nodiscard]] virtual std::string name() const = 0;               // "NVIDIA H100 80GB HBM3"
  [[nodiscard]] virtual std::string driver() const { return {}; }   // "580.159.04"
  [[nodiscard]] virtual std::string toolkit() const { return {}; }  // "CUDA 13.0"
  [[nodiscard]] virtual unsigned processors() const = 0;  // multiprocessors that grids are made for
  [[nodiscard]] virtual int capability() const = 0;       // times 10: 90 for 9.0
  [[nodiscard]] virtual int compiled_for() const = 0;     // the capability of its kernels' code
  [[nodiscard]] virtual std::size_t shared_bytes() const = 0;  // of a block that asks for all
  [[nodiscard]] virtual std::size_t cache_bytes() const = 0;   // of the last level

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
};

/// Reads a source file that the compiler was given; "" when it isn't there.
using source_reader = std::function<std::string(const std::string& file)>;

/// Why there is no time for the rung with this label, "09 library"; empty where there may be one.
inline std::string without_time(std::string_view rung) {
  if (!rung.ends_with(" library")) return {};
  return "the library shapes its launches for the CPU machine's multiprocessors, not the device's";
}

/// Counts and checks what launches do.
class profiler {
 public:
  profiler() = default;
  profiler(const profiler&) = delete;
  profiler& operator=(const profiler&) = delete;
  virtual ~profiler() = default;

  /// Runs `launches`, which are this rung's, and returns what was counted meanwhile.
  virtual std::vector<measure::counter> count(const std::string& rung,
                                              const std::function<void()>& launches) = 0;
  /// How long what was counted last would take, and what that is made of, as JSON.
  [[nodiscard]] virtual std::optional<measure::prediction> predicted() const { return {}; }
  [[nodiscard]] virtual std::string profiles() const { return {}; }
  /// Further orders of blocks, warps and lanes to run each rung in, by their seeds.
  [[nodiscard]] virtual std::vector<std::uint64_t> orders() const = 0;
  /// Runs `launches` in the order of this seed.
  virtual void run_in_order(std::uint64_t seed, const std::function<void()>& launches) = 0;
  /// Notes among the findings that in this order the result of `rung` was another one.
  virtual void note_difference(std::uint64_t seed, const std::string& rung,
                               const measure::verdict& first, const measure::verdict& now) = 0;
  /// What was wrong with the kernels run so far, in words.
  [[nodiscard]] virtual std::vector<std::string> findings() const = 0;
  /// The sources of the kernels counted so far, each line with what it cost; none unless lines are
  /// counted.
  [[nodiscard]] virtual std::vector<std::string> source_views(const source_reader& read) const = 0;
  /// The same and the findings as the JSON of a report, in which each kernel has its `rung`.
  [[nodiscard]] virtual std::string report_json(const source_reader& read) const = 0;
};

/// Measures how long launches take.
class stopwatch {
 public:
  stopwatch() = default;
  stopwatch(const stopwatch&) = delete;
  stopwatch& operator=(const stopwatch&) = delete;
  virtual ~stopwatch() = default;

  /// Runs `launches` between two events; microseconds.
  virtual double time_us(const std::function<void()>& launches) = 0;
  /// Read bandwidth of the device memory, measured now; GB/s.
  virtual double read_ceiling_gbs() = 0;
};

class machine : public device {
 public:
  [[nodiscard]] virtual ladder::profiler* profiler() { return nullptr; }
  [[nodiscard]] virtual ladder::stopwatch* stopwatch() { return nullptr; }
};

struct simt_options {
  bool check = false;                   // collect findings
  std::uint64_t seed = 0;               // varies the order of blocks, warps and lanes
  bool work_only = false;               // count barriers and applications alone: costs nothing
  bool lines = false;                   // count by source lines
  std::vector<std::uint64_t> orders{};  // further ones to run each rung in, by their seeds
  std::string device{};  // that it is shaped like, whose times it predicts; none: SIMT_DEVICE's
  unsigned workers = 0;  // threads; 0: one per core. With one the counts are the same each time
};

std::unique_ptr<machine> make_simt_machine(simt_options options = {});

/// The first CUDA device. Throws device_error with the reason when there is none, or when this
/// program was built without CUDA. `queued`: what is timed waits in the stream before the clock
/// starts, so that the host has no part in it, as in a graph; else the host launches it meanwhile,
/// as a program does that calls once.
std::unique_ptr<machine> make_cuda_machine(bool queued = false);

/// Whether this program was built with CUDA.
bool has_cuda_kernels();

/// Whether this program was built with CUDA and a device answers.
bool has_cuda_device();

/// Device memory that is given back.
class device_memory {
 public:
  device_memory(device& where, std::size_t bytes)
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
  device* where_;
  void* pointer_;
  std::size_t bytes_;
};

}  // namespace warpfold::ladder
