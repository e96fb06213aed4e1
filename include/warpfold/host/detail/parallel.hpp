// How work is partitioned among the host's threads.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "warpfold/environment.hpp"
#include "warpfold/host/detail/threads.hpp"
#include "warpfold/tuning/host.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

/// `warpfold::host` with sizes of one's own, in a struct like tuning::host_cores.
template <class Tuning>
struct tuned_host : host_execution {
  /// Its sizes.
  using tuning_type = Tuning;

  /// The same with `limit` threads at most; 0: all cores.
  [[nodiscard]] constexpr tuned_host threads(unsigned limit) const { return {{limit}}; }
  /// Sums with the same bits anywhere.
  [[nodiscard]] constexpr auto with(determinism::gpu_to_gpu_level) const {
    return host_execution_with<determinism::gpu_to_gpu_level, tuned_host>{*this};
  }
};

/// A place of the host: `host`, or one derived from it.
template <class Where>
concept host_place = std::derived_from<Where, host_execution>;

namespace host_detail {

template <class Where>
struct tuning_behind {
  using type = tuning::host_cores;
};
template <class Tuning>
struct tuning_behind<tuned_host<Tuning>> {
  using type = Tuning;
};
template <class Level, class Where>
struct tuning_behind<host_execution_with<Level, Where>> : tuning_behind<Where> {};
template <class Where>
using tuning_of = typename tuning_behind<Where>::type;

/// Values of T in so many bytes, at least one.
template <class T>
constexpr std::size_t items_in(std::size_t bytes) {
  return std::max<std::size_t>(1, bytes / sizeof(T));
}

/// partial_of(part) of each part of the values, joined by neighbours, in order. There must be
/// values. Which are reduced with which depends on how many there are, and on their type.
template <class Partial, class Where, class T, class Join, class PartialOf>
Partial join_chunks(const Where& where, std::span<const T> in, std::size_t chunk, const Join& join,
                    const PartialOf& partial_of) {
  if (in.size() <= chunk) return partial_of(in);
  const std::size_t count = (in.size() - 1) / chunk + 1;
  std::vector<std::optional<Partial>> partial(count);
  run_on(where, [&] {
    for_each_index(count, [&](std::size_t c) {
      const std::size_t begin = c * chunk;
      partial[c].emplace(partial_of(in.subspan(begin, std::min(chunk, in.size() - begin))));
    });
  });
  for (std::size_t width = 1; width < count; width *= 2) {
    for (std::size_t c = 0; c + width < count; c += 2 * width) {
      partial[c].emplace(join(*partial[c], *partial[c + width]));
    }
  }
  return std::move(*partial[0]);
}
template <class Partial, std::size_t Bytes, class Where, class T, class Join, class PartialOf>
Partial reduce_chunks_of(const Where& where, std::span<const T> in, const Join& join,
                         const PartialOf& partial_of) {
  return join_chunks<Partial>(where, in, items_in<T>(Bytes), join, partial_of);
}
template <class Partial, class Where, class T, class Join, class PartialOf>
Partial reduce_chunks(const Where& where, std::span<const T> in, const Join& join,
                      const PartialOf& partial_of) {
  return reduce_chunks_of<Partial, tuning_of<Where>::reduce_chunk_bytes>(where, in, join,
                                                                         partial_of);
}

}  // namespace host_detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
