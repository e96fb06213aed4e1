#include "files/run.hpp"

#include <algorithm>
#include <string>
#include <thread>

#include "warpfold/error.hpp"

namespace warpfold::files {

void check_memory(const run_options& o) {
  if (o.memory >= least_memory) return;
  throw usage_error("--memory " + std::to_string(o.memory) + ": give it at least " +
                    std::to_string(least_memory >> 20) + "MiB");
}

unsigned slots_for(const run_options& o, const data::number_input& in, std::size_t chunk_bytes,
                   std::size_t bytes_each, unsigned wanted) {
  if (wanted == 0) wanted = std::max(1U, std::thread::hardware_concurrency());
  const unsigned threads = o.threads != 0 ? o.threads : wanted;
  const std::uint64_t room = o.memory / bytes_each,
                      chunks = in.bytes() ? (*in.bytes() + chunk_bytes - 1) / chunk_bytes : room;
  return static_cast<unsigned>(
      std::clamp<std::uint64_t>(std::min(room, chunks), 1, std::max(1U, threads)));
}

pipeline::progress run_watched(const run_options& o, const char* what, pipeline& line,
                               const pipeline::stages& stages, std::optional<std::uint64_t> bytes) {
  if (o.watcher == nullptr) return line.run(stages);
  o.watcher->begin(what, line, bytes);
  try {
    const auto done = line.run(stages);
    o.watcher->end(&done);
    return done;
  } catch (...) {
    o.watcher->end(nullptr);
    throw;
  }
}

void for_slices(std::span<std::byte> bytes, const std::stop_token& stop,
                const std::function<void(std::span<std::byte>)>& f) {
  constexpr std::size_t slice_bytes = std::size_t{8} << 20;  // a few milliseconds of any disk
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(slice_bytes, bytes.size()))) {
    if (stop.stop_requested()) throw interrupted("warpfold::files: asked to stop");
    f(bytes.first(std::min(slice_bytes, bytes.size())));
  }
}

std::size_t read_slices(data::number_input& in, std::uint64_t offset, std::span<std::byte> room,
                        const std::stop_token& stop) {
  std::size_t done = 0;
  bool ended = false;
  for_slices(room, stop, [&](std::span<std::byte> slice) {
    if (ended) return;
    const std::size_t count = in.read(offset + done, slice, stop);
    done += count;
    ended = count < slice.size();
  });
  return done;
}

std::function<std::size_t(const pipeline::chunk&)> reader_of(data::number_input& in,
                                                             const run_options& o, share part) {
  return [&in, stop = o.stop, part](const pipeline::chunk& room) {
    const std::uint64_t at = std::min(part.end, part.begin + room.offset), left = part.end - at;
    return read_slices(in, at, room.bytes.first(std::min<std::uint64_t>(left, room.bytes.size())),
                       stop);
  };
}

std::optional<std::uint64_t> bytes_in(const data::number_input& in, share part) {
  if (!in.bytes()) return std::nullopt;
  return std::min(*in.bytes(), part.end) - part.begin;
}

share share_of(std::uint64_t count, const team& ranks) {
  const auto size = static_cast<std::uint64_t>(ranks.size());
  const auto begin_of = [&](std::uint64_t r) {
    return count / size * r + std::min(r, count % size);
  };
  const auto rank = static_cast<std::uint64_t>(ranks.rank());
  return {begin_of(rank), begin_of(rank + 1)};
}

share part_of(const data::number_input& in, const run_options& o, std::uint64_t unit) {
  if (o.ranks == nullptr) return {0, std::numeric_limits<std::uint64_t>::max()};
  const share units = share_of((*in.bytes() + unit - 1) / unit, *o.ranks);
  return {std::min(*in.bytes(), units.begin * unit), std::min(*in.bytes(), units.end * unit)};
}

}  // namespace warpfold::files
