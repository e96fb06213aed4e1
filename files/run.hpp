// What the algorithms on files share: how much memory and how many threads they may take, who is
// told how far they are, and how they stop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <stop_token>

#include "data/number_input.hpp"
#include "files/team.hpp"
#include "warpfold/pipeline.hpp"

namespace warpfold::files {

/// Is told of every pipeline that runs; one at a time.
class observer {
 public:
  virtual ~observer() = default;
  /// `what` is in the present participle ("summing"); `line` lives until end(). `bytes`, where they
  /// are known, are all that will go through.
  virtual void begin(const char* what, const pipeline& line,
                     std::optional<std::uint64_t> bytes) = 0;
  /// Something that the user may want to mend.
  virtual void warn(const char* what) = 0;
  /// Also after a failure, before the exception goes on; then there is no `done`.
  virtual void end(const pipeline::progress* done) = 0;
};

struct run_options {
  std::size_t memory = std::size_t{512} << 20;  // for data; code and threads come on top
  unsigned threads = 0;                         // 0: one for each processor
  bool on_device = false;
  bool gpu_to_gpu = false;  // the same bits on any machine (docs/canonical.md); on the host
  std::stop_token stop{};
  observer* watcher = nullptr;
  team* ranks = nullptr;  // who takes part; null: this process alone
};

/// What this process takes of things in a row.
struct share {
  std::uint64_t begin, end;
};
/// Of `count` things, as many as any other rank, or one more.
share share_of(std::uint64_t count, const team& ranks);
/// The bytes of a file's elements: all, or of a team its share, cut at multiples of `unit`; a
/// stream has no end.
share part_of(const data::number_input& in, const run_options& o, std::uint64_t unit);
/// Whether a result is this process's to tell.
inline bool is_first(const run_options& o) { return o.ranks == nullptr || o.ranks->rank() == 0; }

/// Chunks of host algorithms: long enough for the disk, short enough for a core's cache. Fixed, so
/// that sums of floating-point numbers don't depend on the memory or the threads.
inline constexpr std::size_t host_chunk_bytes = std::size_t{1} << 20;

/// The least memory that commands take.
inline constexpr std::size_t least_memory = std::size_t{16} << 20;

/// Whether there is a device that the algorithms can run on, and the program was built for it.
bool has_device();
/// Throws device_error, which says what is missing, when there is none.
void require_device();

/// Throws usage_error when there is less than least_memory.
void check_memory(const run_options& o);

/// As many slots as --threads says, or else `wanted`, or, if that is 0, as there are processors;
/// but no more than `in` has chunks of `chunk_bytes`, only as many, of `bytes_each`, as fit in the
/// memory, and one in any case.
unsigned slots_for(const run_options& o, const data::number_input& in, std::size_t chunk_bytes,
                   std::size_t bytes_each, unsigned wanted = 0);

/// Runs the pipeline before the observer's eyes.
pipeline::progress run_watched(const run_options& o, const char* what, pipeline& line,
                               const pipeline::stages& stages, std::optional<std::uint64_t> bytes);

/// f(slice) for slices of the bytes, one after the other; `interrupted` between two of them when
/// `stop` is requested. For what takes longer than a user waits who asked to stop.
void for_slices(std::span<std::byte> bytes, const std::stop_token& stop,
                const std::function<void(std::span<std::byte>)>& f);

/// data::number_input::read, which a request to stop ends.
std::size_t read_slices(data::number_input& in, std::uint64_t offset, std::span<std::byte> room,
                        const std::stop_token& stop);
/// Reads chunks of `in`, or of a part of it.
std::function<std::size_t(const pipeline::chunk&)> reader_of(
    data::number_input& in, const run_options& o,
    share part = {0, std::numeric_limits<std::uint64_t>::max()});
/// How many bytes there are in the part; none for a stream.
std::optional<std::uint64_t> bytes_in(const data::number_input& in, share part);

template <class T>
std::span<const T> values_in(const pipeline::chunk& c) {
  return {reinterpret_cast<const T*>(c.bytes.data()), c.bytes.size() / sizeof(T)};
}

}  // namespace warpfold::files
