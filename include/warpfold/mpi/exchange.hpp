// Rows from each rank to each other, in one all-to-all, however many there are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "warpfold/mpi/communicator.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace mpi_detail {

/// Owns a committed datatype of MPI's.
class datatype {
 public:
  datatype() = default;
  explicit datatype(MPI_Datatype type) : type_(type) {
    check(MPI_Type_commit(&type_), "MPI_Type_commit");
  }
  datatype(datatype&& other) noexcept : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
  datatype& operator=(datatype&& other) noexcept {
    std::swap(type_, other.type_);
    return *this;
  }
  ~datatype() {
    if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
  }
  [[nodiscard]] MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// Consecutive bytes in memory.
struct memory_part {
  const void* begin;
  std::size_t bytes;
};

/// Bytes that one block of a datatype has at most: MPI counts in int.
inline constexpr std::size_t most_block_bytes = std::size_t{1} << 30;
static_assert(most_block_bytes <= std::numeric_limits<int>::max());

/// The parts, at their absolute addresses (MPI_BOTTOM), as one value of a datatype.
inline datatype type_of_parts(const std::vector<memory_part>& parts,
                              std::size_t block_bytes = most_block_bytes) {
  std::vector<int> lengths;
  std::vector<MPI_Aint> addresses;
  for (const memory_part& part : parts) {
    MPI_Aint address = 0;
    if (part.bytes > 0) check(MPI_Get_address(part.begin, &address), "MPI_Get_address");
    for (std::size_t at = 0; at < part.bytes; at += block_bytes) {
      lengths.push_back(static_cast<int>(std::min(block_bytes, part.bytes - at)));
      addresses.push_back(MPI_Aint_add(address, static_cast<MPI_Aint>(at)));
    }
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check(MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), addresses.data(),
                                 MPI_BYTE, &type),
        "MPI_Type_create_hindexed");
  return datatype(type);
}

/// Sends outgoing[r] to rank r, and fills incoming[r] with what rank r sends: as many bytes.
template <class Where>
void exchange(const across_ranks<Where>& place,
              const std::vector<std::vector<memory_part>>& outgoing,
              const std::vector<std::vector<memory_part>>& incoming,
              std::size_t block_bytes = most_block_bytes) {
  const std::size_t ranks = outgoing.size();
  const std::vector<int> nowhere(ranks, 0);
  std::vector<datatype> owned;
  const auto types_of = [&](const std::vector<std::vector<memory_part>>& all,
                            std::vector<int>& counts) {
    std::vector<MPI_Datatype> types;
    for (const auto& parts : all) {
      const bool empty = std::all_of(parts.begin(), parts.end(),
                                     [](const memory_part& part) { return part.bytes == 0; });
      if (!empty) owned.push_back(type_of_parts(parts, block_bytes));
      types.push_back(empty ? MPI_BYTE : owned.back().get());
      counts.push_back(empty ? 0 : 1);
    }
    return types;
  };
  std::vector<int> out_counts, in_counts;
  const auto out_types = types_of(outgoing, out_counts), in_types = types_of(incoming, in_counts);
  check(MPI_Alltoallw(MPI_BOTTOM, out_counts.data(), nowhere.data(), out_types.data(), MPI_BOTTOM,
                      in_counts.data(), nowhere.data(), in_types.data(), place.comm()),
        "MPI_Alltoallw");
}

}  // namespace mpi_detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
