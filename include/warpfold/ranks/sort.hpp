// A stable sort across ranks: each rank sorts its part, exact splitters give each row its rank, one
// all-to-all moves each row once, and the received runs are merged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "warpfold/ranks/rows.hpp"
#include "warpfold/ranks/transport.hpp"

namespace warpfold::inline WARPFOLD_MACHINE::ranks_detail {

/// `sort_part()` sorts this rank's n rows and returns them; `room_for(m)` is where m rows shall be
/// at the end, and may be the same memory. Rank r gets rows [begins[r], begins[r + 1]) of all.
template <transport Ranks, class Less, class SortPart, class RoomFor>
void sort_rows(const Ranks& ranks, std::size_t n, const std::vector<std::uint64_t>& begins,
               const Less& less, const SortPart& sort_part, const RoomFor& room_for) {
  decltype(sort_part()) sorted{};
  std::optional<buffer_of<decltype(sort_part())>> arrived;
  ranks.agreed([&] {
    sorted = sort_part();
    arrived.emplace(begins[ranks.rank() + 1] - begins[ranks.rank()]);
  });
  const row_traffic traffic = ranks.traffic_of(
      ranks.find_cuts(keys_of(sorted, n), std::span(begins).first(ranks.size()), less), n);
  ranks.exchange(traffic, sorted, arrived->rows());
  ranks.agreed([&] {
    const std::size_t rows = traffic.arrivals.back();
    const auto room = room_for(rows);
    if (!merge_runs(ranks.here(), arrived->rows(), room, traffic.arrivals, less)) {
      arrived->rows().copy(rows, room);
    }
  });
}

}  // namespace warpfold::inline WARPFOLD_MACHINE::ranks_detail
