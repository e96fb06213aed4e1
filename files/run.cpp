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

unsigned lanes_for(const run_options& o, const data::number_input& in, std::size_t chunk_bytes,
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

std::function<std::size_t(const pipeline::chunk&)> reader_of(data::number_input& in,
                                                             const run_options& o) {
  return [&in, stop = o.stop](const pipeline::chunk& room) {
    return in.read(room.offset, room.bytes, stop);
  };
}

}  // namespace warpfold::files
