// Chooses where a command on files runs by default: on the host or on the GPU, whichever takes less
// time by an estimate from measured rates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "files/reduce.hpp"
#include "files/run.hpp"

namespace warpfold::files {

/// The kinds of work that differ in how long they take.
enum class task : std::uint8_t { reduce, exact, statistics, scan, sort, sort_pairs };

inline constexpr struct {
  task what;
  std::string_view name;
} tasks[] = {{task::reduce, "reduce"},
             {task::exact, "reduce --op exact-sum"},
             {task::statistics, "reduce --op statistics"},
             {task::scan, "scan"},
             {task::sort, "sort"},
             {task::sort_pairs, "sort --values"}};

/// Which of them a reduction is.
task task_of(reduction op);

struct job {
  task what;
  std::optional<std::uint64_t> bytes;  // to read, values with their keys; none for a stream
  std::size_t memory;                  // a sort that has less than it needs goes twice
};

struct surroundings {
  unsigned cores;
  double link;  // bytes a second from pinned memory to the GPU
};

/// Seconds that a job takes on either, with its file in the page cache.
double host_seconds(const job& j, const surroundings& s);
double device_seconds(const job& j, const surroundings& s);

/// Whether the device takes less. A stream is the host's: no pipe is faster than it.
bool is_for_device(const job& j, const surroundings& s);

/// The least bytes for which it does, to three digits; none where it never does.
std::optional<std::uint64_t> least_device_bytes(task what, std::size_t memory,
                                                const surroundings& s);

/// The cores that `o` allows, and the link's rate by what the kernel says of an NVIDIA device on
/// the PCI bus; where it says nothing, that of PCIe 4. Asks no driver, since that alone takes long.
surroundings surroundings_of(const run_options& o);

/// What --backend auto does with a job: whether there is a device, and it takes less.
bool auto_takes_device(const job& j, const run_options& o);

}  // namespace warpfold::files
