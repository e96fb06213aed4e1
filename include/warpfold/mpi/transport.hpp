// MPI as the transport of algorithms across ranks: warpfold/ranks/transport.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "warpfold/host/detail/key_values.hpp"
#include "warpfold/host/detail/parallel.hpp"
#include "warpfold/mpi/combine.hpp"
#include "warpfold/mpi/exchange.hpp"
#include "warpfold/mpi/splitters.hpp"
#include "warpfold/ranks/transport.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace mpi_detail {

/// The parts of a column that `bounds` cuts, a list for each rank.
template <class T, class Bounds>
void append_parts(std::vector<std::vector<memory_part>>& all, const T* column,
                  const Bounds& bounds) {
  all.resize(bounds.size() - 1);
  for (std::size_t r = 0; r + 1 < bounds.size(); ++r) {
    all[r].push_back({column + bounds[r], (bounds[r + 1] - bounds[r]) * sizeof(T)});
  }
}

/// Where a rank works on rows that it was sent: on the host in any case.
template <host_place Where>
Where host_of(const Where& where) {
  return where;
}
#if WARPFOLD_HAS_DEVICE
template <device_place Where>
auto host_of(const Where&) {
  if constexpr (detail::is_gpu_to_gpu<Where>) {
    return host.with(determinism::gpu_to_gpu);
  } else {
    return host;
  }
}
#endif

template <class Where>
class transport {
 public:
  explicit transport(const across_ranks<Where>& place) : place_(place) {}

  [[nodiscard]] std::size_t rank() const { return static_cast<std::size_t>(place_.rank()); }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(place_.size()); }
  [[nodiscard]] auto here() const { return host_of(place_.here()); }

  template <class T>
    requires std::is_trivially_copyable_v<T>
  [[nodiscard]] std::vector<T> all_gather(const T& mine) const {
    std::vector<T> all(size());
    check(MPI_Allgather(&mine, sizeof(T), MPI_BYTE, all.data(), sizeof(T), MPI_BYTE, comm()),
          "MPI_Allgather");
    return all;
  }
  template <class T>
  [[nodiscard]] std::vector<T> all_gather_rows(std::span<const T> mine) const {
    const auto begins = ranks_detail::begins_of(all_gather(std::uint64_t{mine.size()}));
    std::vector<T> all;
    std::vector<std::vector<memory_part>> outgoing, incoming;
    agreed([&] {
      all.resize(begins.back());
      outgoing.assign(size(), {{mine.data(), mine.size_bytes()}});
      append_parts(incoming, all.data(), begins);
    });
    mpi_detail::exchange(place_, outgoing, incoming);
    return all;
  }
  template <class T>
  [[nodiscard]] std::vector<T> all_to_all(std::span<const T> mine) const {
    std::vector<T> all(size());
    check(MPI_Alltoall(mine.data(), sizeof(T), MPI_BYTE, all.data(), sizeof(T), MPI_BYTE, comm()),
          "MPI_Alltoall");
    return all;
  }
  template <class Counts>
  [[nodiscard]] std::vector<std::uint64_t> all_reduce(std::size_t n, const Counts& counts) const {
    std::vector<std::uint64_t> all;
    agreed([&] {
      all = counts();
      all.resize(n);
    });
    constexpr std::size_t most = most_block_bytes / sizeof(std::uint64_t);
    for (std::size_t at = 0; at < n; at += most) {
      check(MPI_Allreduce(MPI_IN_PLACE, all.data() + at, static_cast<int>(std::min(most, n - at)),
                          MPI_UINT64_T, MPI_SUM, comm()),
            "MPI_Allreduce");
    }
    return all;
  }
  template <class F>
  void agreed(const F& f) const {
    (void)reduce_ranks<char>(
        place_,
        [&]() -> std::optional<char> {
          f();
          return {};
        },
        [](char a, char) { return a; });
  }

  /// Where this rank's sorted keys are cut, so that `targets[r]` of all stand before cut r.
  template <class Key, class Less>
  [[nodiscard]] std::vector<std::uint64_t> find_cuts(std::span<const Key> sorted,
                                                     std::span<const std::uint64_t> targets,
                                                     const Less& less) const {
    return mpi_detail::find_cuts(place_, sorted, targets, less);
  }
  /// What all ranks' cuts send to this one; it has n rows itself.
  [[nodiscard]] ranks_detail::row_traffic traffic_of(std::vector<std::uint64_t> cuts,
                                                     std::size_t n) const {
    ranks_detail::row_traffic traffic{std::move(cuts), {0}};
    traffic.cuts.push_back(n);
    std::vector<std::uint64_t> out(size());
    for (std::size_t r = 0; r < size(); ++r) out[r] = traffic.cuts[r + 1] - traffic.cuts[r];
    for (const std::uint64_t rows : all_to_all(std::span<const std::uint64_t>(out))) {
      traffic.arrivals.push_back(traffic.arrivals.back() + rows);
    }
    return traffic;
  }
  /// All columns in one all-to-all.
  template <class Key, class Item>
  void exchange(const ranks_detail::row_traffic& traffic,
                host_detail::key_value_view<Key, Item> from,
                host_detail::key_value_view<Key, Item> to) const {
    std::vector<std::vector<memory_part>> outgoing, incoming;
    append_parts(outgoing, from.key, traffic.cuts);
    append_parts(incoming, to.key, traffic.arrivals);
    if constexpr (!std::is_void_v<Item>) {
      append_parts(outgoing, from.value, traffic.cuts);
      append_parts(incoming, to.value, traffic.arrivals);
    }
    mpi_detail::exchange(place_, outgoing, incoming);
  }

 private:
  [[nodiscard]] MPI_Comm comm() const { return place_.comm(); }

  const across_ranks<Where>& place_;
};

}  // namespace mpi_detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
