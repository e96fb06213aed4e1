// What the commands `warpfold ladder reduce, scan, sort` share: their options, where they run, what
// they read and how they show it.
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
#include "ladder/ladder.hpp"
#include "ladder/machines/machine.hpp"
#include "ladder/run/driver.hpp"
#include "measure/json.hpp"
#include "measure/measurement.hpp"

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

using random_source = std::function<data::array(value_type, std::size_t n, std::uint64_t seed)>;
using run_function = std::function<std::vector<measure::measurement>(
    ladder::machine&, std::span<const ladder::rung* const>, const data::array& input,
    unsigned block, unsigned samples, const ladder::report_progress&)>;

/// The file's values, or random ones. Throws usage_error for a type that the ladder does not take,
/// device_error where they need more memory than there is.
data::array read_input(const ladder_command& what, const ladder_options& o,
                       const random_source& random);

void print(const std::string& text);
/// What --list shows of one, and with `why` what it improves and what shows it.
void print_rung(const ladder::description& about, bool why);

/// With --json, writes all that was measured, and behind it the keys of `more`.
void write_json(const ladder_options& o, std::span<const measure::measurement> rows,
                const ladder::machine& where, const measure::json& more);

/// Runs the command: --list, or the machine, the rungs, the input, the run, and its table and
/// JSON. Returns the exit code.
int run_ladder(const ladder::ladder_entry& here, const ladder_command& what,
               const ladder_options& o, const random_source& random, const run_function& run);

}  // namespace warpfold::cli
