// What `warpfold bench` measures: one algorithm at many sizes, the library beside its peers, on one
// machine and in one run. A backend is such a machine with the peers that it has.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "measure/json.hpp"
#include "measure/measurement.hpp"
#include "warpfold/value_type.hpp"

namespace warpfold::bench {

using measurements = std::vector<measure::measurement>;

enum class algorithm : std::uint8_t { reduce, scan, sort };
enum class operation : std::uint8_t { sum, max };
/// `own` is an order that no library knows, so that only comparisons can sort by it.
enum class key_order : std::uint8_t { ascending, own };

inline constexpr std::array<std::string_view, 3> algorithm_names{"reduce", "scan", "sort"};
inline constexpr std::array<std::string_view, 2> operation_names{"sum", "max"};
inline constexpr std::array<std::string_view, 2> order_names{"ascending", "own"};

inline constexpr std::array number_types{value_type::i32, value_type::i64, value_type::u8,
                                         value_type::f32, value_type::f64};
inline constexpr std::array key_types{value_type::u32, value_type::u64, value_type::f32};

/// What all candidates do.
struct bench_case {
  algorithm what = algorithm::reduce;
  value_type type = value_type::i32;
  std::size_t n = 0;
  operation op = operation::sum;           // reduce and scan
  bool exclusive = false;                  // scan
  bool pairs = false;                      // sort: each key with an item of 4 bytes
  bool stable = false;                     // sort of pairs, on the host
  key_order order = key_order::ascending;  // sort
  std::uint64_t seed = 1;
  unsigned samples = 1;

  /// What any solution must move: the input, and the output where there is as much of it.
  [[nodiscard]] std::size_t useful_bytes() const {
    const std::size_t row = size_of(type) + (pairs ? 4 : 0);
    return (what == algorithm::reduce ? 1 : 2) * n * row;
  }
  /// The record of a candidate, before anything ran.
  [[nodiscard]] measure::measurement record(std::string_view who) const;
};

/// A peer as --against names it.
struct peer {
  std::string_view name, what;
};

bool is_asked(std::span<const std::string> against, std::string_view peer);

class backend {
 public:
  backend() = default;
  backend(const backend&) = delete;
  backend& operator=(const backend&) = delete;
  virtual ~backend() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;  // "cuda" or "host"
  [[nodiscard]] virtual measure::run_info about() const = 0;
  [[nodiscard]] virtual std::span<const peer> peers() const = 0;
  /// The memory that a case needs, and what there is for it; bytes.
  [[nodiscard]] virtual std::size_t memory_for(const bench_case& c) const = 0;
  [[nodiscard]] virtual std::size_t free_memory() const = 0;
  [[nodiscard]] virtual std::vector<std::size_t> default_sizes(algorithm what) const = 0;
  [[nodiscard]] virtual unsigned default_samples() const = 0;
  /// GB/s, measured now: what no reduction can read, and no scan or sort copy, faster than.
  virtual double read_rate() = 0;
  virtual double copy_rate() = 0;
  /// The library, then these peers. Each result of each run is checked.
  virtual measurements run(const bench_case& c, std::span<const std::string> against) = 0;
};

/// The cores of this machine; peers: std's algorithms with execution policies, which oneTBB runs.
std::unique_ptr<backend> make_host_backend();
/// The first CUDA device; peers: CUB and Thrust. Throws device_error where there is none, or where
/// the program was built without CUDA.
std::unique_ptr<backend> make_cuda_backend();
bool has_cuda_backend();

/// What was asked of a command.
struct benchmark {
  bench_case common;  // but for the type and the size
  std::vector<value_type> types;
  std::vector<std::size_t> sizes;
  std::vector<std::string> against;
};

/// Called before each case: which one, and how many there are.
using report_progress = std::function<void(std::string_view what, std::size_t i, std::size_t of)>;

/// Every type at every size, with the measured ceiling in each record. Throws device_error, before
/// anything runs, where a size needs more memory than there is.
measurements run(backend& where, const benchmark& wanted, const report_progress& report);

}  // namespace warpfold::bench
