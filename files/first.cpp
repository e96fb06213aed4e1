#include "files/first.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "warpfold/error.hpp"
#include "warpfold/host/top_k.hpp"

namespace warpfold::files {
namespace {

using host_detail::ranked_index;

void check_count(const data::number_input& in, std::uint64_t k, std::uint64_t n) {
  if (k <= n) return;
  throw usage_error(
      fmt::format("{}: holds {} values, fewer than the {} asked for", in.name(), n, k));
}

/// The first k of the values that came by, and at times a few more.
class first_of_some {
 public:
  first_of_some(std::size_t k, std::size_t room) : k_(k), room_(room) { kept_.reserve(room); }

  /// Values whose indices are greater than those before.
  template <class Order, class T>
  void take(std::span<const T> values, std::uint64_t index) {
    constexpr std::size_t block = 128;
    for (std::size_t i = 0; i < values.size(); i += block) {
      const std::size_t end = std::min(values.size(), i + block);
      // Of values that equal the last one kept, later ones come behind it.
      if (bound_ && end - i == block &&
          host_detail::least_rank<Order, block>(&values[i]) >= bound_->rank) {
        continue;
      }
      for (std::size_t j = i; j < end; ++j)
        add({host_detail::sorted_bits<Order>(values[j]), index + j});
    }
  }
  /// What the other one has kept, which gives it up.
  void merge(first_of_some& other) {
    for (const ranked_index& x : other.kept_) add(x);
    other.kept_ = {};
  }
  std::vector<ranked_index> sorted() && {
    shrink();
    std::sort(kept_.begin(), kept_.end());
    return std::move(kept_);
  }

 private:
  void add(const ranked_index& x) {
    if (bound_ && x > *bound_) return;
    kept_.push_back(x);
    if (kept_.size() == room_) shrink();
  }
  void shrink() {
    if (kept_.size() <= k_) return;
    const auto last = kept_.begin() + static_cast<std::ptrdiff_t>(k_ - 1);
    std::nth_element(kept_.begin(), last, kept_.end());
    bound_ = *last;
    kept_.resize(k_);
  }

  std::size_t k_, room_;
  std::optional<ranked_index> bound_;  // what comes behind is not wanted
  std::vector<ranked_index> kept_;
};

template <class Order, class T>
first_values first_of(data::number_input& in, std::size_t k, std::size_t room,
                      const run_options& o) {
  const std::size_t slot_bytes = host_chunk_bytes + room * sizeof(ranked_index);
  pipeline line({.chunk_bytes = host_chunk_bytes,
                 .slots = slots_for(o, in, host_chunk_bytes, slot_bytes),
                 .stop = o.stop});
  std::vector<first_of_some> mine;
  for (unsigned s = 0; s < line.slots(); ++s) mine.emplace_back(k, room);
  const auto done =
      run_watched(o, "selecting", line,
                  {.read = reader_of(in, o),
                   .read_in_order = in.in_order(),
                   .work =
                       [&](const pipeline::chunk& c) {
                         mine[c.slot].template take<Order>(values_in<T>(c), c.offset / sizeof(T));
                       }},
                  in.bytes());
  check_count(in, k, done.bytes / sizeof(T));
  for (std::size_t s = 1; s < mine.size(); ++s) mine[0].merge(mine[s]);
  first_values first;
  first.values.resize(k * sizeof(T));
  first.indices.reserve(k);
  for (const ranked_index& x : std::move(mine[0]).sorted()) {
    const auto rank = static_cast<detail::rank_type<T>>(x.rank);
    const T value = key_of<T>(
        std::is_same_v<Order, descending> ? static_cast<detail::rank_type<T>>(~rank) : rank);
    std::memcpy(first.values.data() + first.indices.size() * sizeof value, &value, sizeof value);
    first.indices.push_back(x.index);
  }
  return first;
}

}  // namespace

first_values first_all(data::number_input& in, std::uint64_t k, bool smallest,
                       const run_options& o) {
  check_memory(o);
  if (k == 0) throw usage_error("the first 0 values: ask for one at least");
  if (in.bytes()) check_count(in, k, *in.bytes() / size_of(in.type()));
  // What is kept is cut to k when there is twice as much, or enough to be worth it. The result
  // takes as much as k.
  const std::uint64_t least_room = 4096,
                      most_room = (o.memory - host_chunk_bytes) / sizeof(ranked_index);
  if (k > most_room / 3) {
    throw usage_error(
        fmt::format("the first {} values take more than --memory; give {} bytes for each, or sort "
                    "the file",
                    k, 3 * sizeof(ranked_index)));
  }
  const std::size_t room = std::max(least_room, 2 * k);
  return visit_type(in.type(), [&]<class T>(std::type_identity<T>) {
    return smallest ? first_of<ascending, T>(in, k, room, o)
                    : first_of<descending, T>(in, k, room, o);
  });
}

}  // namespace warpfold::files
