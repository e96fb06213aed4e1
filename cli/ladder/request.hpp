// What is asked of the commands `warpfold ladder …`: their options, the machine and the values that
// these select.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "data/array.hpp"
#include "ladder/machines/machine.hpp"

namespace warpfold::cli {

/// Where a ladder runs; `automatic` is a CUDA device where there is one.
enum class backend_choice : std::uint8_t { automatic, simt, cuda };
backend_choice parse_backend(std::string_view option, std::string_view text);

struct ladder_options {
  std::string file, rungs, json;
  std::string device;  // whose times are predicted; none: that of SIMT_DEVICE
  std::optional<std::size_t> n;
  std::optional<value_type> type;
  backend_choice backend = backend_choice::automatic;
  unsigned block = 256, samples = 30;
  std::uint64_t seed = 1;
  std::optional<std::size_t> schedules;
  std::optional<std::uint64_t> schedule;
  bool list = false, why = false, counters = false, check = false, lines = false, scaling = false;
};

/// A ladder's own command.
struct ladder_command {
  std::string name;                        // "scan"
  std::size_t n = std::size_t{1} << 22;    // random values, by default
  std::span<const value_type> types;       // that its kernels take; the first is the default
  unsigned copies;                         // of the input, results included, that a run holds
  std::vector<std::string> own_arguments;  // its own options, as they would be given again
  bool as_by_default = true;               // whether its own options are as if none were given
};

/// Adds the options that all ladders have.
void add_ladder_options(options& to, ladder_options& o, std::string_view types);

/// 0 to 10000. Throws usage_error.
unsigned parse_samples(std::string_view option, std::string_view text);

/// 1 to 2^24. Throws usage_error.
unsigned parse_bins(std::string_view option, std::string_view text);

/// The machine of --backend and --device. Throws usage_error where the options contradict each
/// other.
std::unique_ptr<ladder::machine> open_machine(const ladder_options& o);

using random_source = std::function<data::array(value_type, std::size_t n, std::uint64_t seed)>;

/// The file's values, or random ones. Throws usage_error for a type that the ladder does not take,
/// device_error where they need more memory than there is.
data::array read_input(const ladder_command& what, const ladder_options& o,
                       const random_source& random);

/// Throws usage_error for options that --scaling does not take.
void check_scaling(const ladder_options& o);

/// The arguments with which ncu runs the same problem on the same rungs, once and without timing.
std::vector<std::string> arguments_for_ncu(const ladder_command& what, const ladder_options& o);

}  // namespace warpfold::cli
