// What ranks have, joined in the order of the ranks by MPI's own collective calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <optional>
#include <type_traits>

#include "warpfold/mpi/communicator.hpp"
#include "warpfold/mpi/contribution.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace mpi_detail {

/// The key of the attribute by which a datatype leads to its operator. MPI may apply that on any
/// thread.
inline int operator_key() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    check(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &made, nullptr),
          "MPI_Type_create_keyval");
    return made;
  }();
  return key;
}

/// `join` as MPI's operator on contributions, for one collective call. It is said not to commute,
/// so MPI keeps the order of the ranks.
template <class Partial, class Join>
class rank_operator {
 public:
  using message = contribution<Partial>;
  static_assert(std::is_trivially_copyable_v<message>,
                "what ranks exchange must be trivially copyable: the accumulator, which is init's "
                "type");

  explicit rank_operator(const Join& join) : join_(join) {
    check(MPI_Type_contiguous(sizeof(message), MPI_BYTE, &type_), "MPI_Type_contiguous");
    check(MPI_Type_commit(&type_), "MPI_Type_commit");
    check(MPI_Type_set_attr(type_, operator_key(), this), "MPI_Type_set_attr");
    check(MPI_Op_create(apply, 0, &op_), "MPI_Op_create");
  }
  ~rank_operator() {
    MPI_Op_free(&op_);
    MPI_Type_free(&type_);
  }
  rank_operator(const rank_operator&) = delete;
  rank_operator& operator=(const rank_operator&) = delete;

  /// All ranks' contributions.
  [[nodiscard]] message all(MPI_Comm comm, const message& mine) const {
    message result;
    check(MPI_Allreduce(&mine, &result, 1, type_, op_, comm), "MPI_Allreduce");
    return result;
  }
  /// Those of the ranks before this one.
  [[nodiscard]] message before(MPI_Comm comm, int rank, const message& mine) const {
    message result;
    check(MPI_Exscan(&mine, &result, 1, type_, op_, comm), "MPI_Exscan");
    return rank == 0 ? message{} : result;
  }
  /// What `join` threw on this rank.
  [[nodiscard]] std::exception_ptr failure() const { return failure_; }

 private:
  /// MPI's code is C: no exception may pass through it.
  static void apply(void* before, void* and_this, int* count, MPI_Datatype* type) {
    void* self = nullptr;
    int is_there = 0;
    MPI_Type_get_attr(*type, operator_key(), &self, &is_there);
    for (int i = 0; i < *count; ++i) {
      const std::size_t at = static_cast<std::size_t>(i) * sizeof(message);
      message a, b;
      std::memcpy(&a, static_cast<const char*>(before) + at, sizeof a);
      std::memcpy(&b, static_cast<const char*>(and_this) + at, sizeof b);
      const message joined = static_cast<rank_operator*>(self)->join(a, b);
      std::memcpy(static_cast<char*>(and_this) + at, &joined, sizeof joined);
    }
  }
  message join(const message& a, const message& b) {
    if (a.failed || b.failed) return {{}, true};
    if (!a.value || !b.value) return a.value ? a : b;
    try {
      return {join_(*a.value, *b.value), false};
    } catch (...) {
      failure_ = std::current_exception();
      return {{}, true};
    }
  }

  const Join& join_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Op op_ = MPI_OP_NULL;
  std::exception_ptr failure_;
};

/// The collective call on what local() gives. If local() throws, the call takes place nevertheless,
/// so that no rank waits for this one: it throws here, and where the word of it comes.
template <class Partial, class Local, class Join, class Call>
std::optional<Partial> combine(const Local& local, const Join& join, const Call& call) {
  contribution<Partial> mine;
  std::exception_ptr failure;
  try {
    mine.value = local();
  } catch (...) {
    mine.failed = true;
    failure = std::current_exception();
  }
  rank_operator<Partial, Join> op(join);
  const auto result = call(op, mine);
  if (failure == nullptr) failure = op.failure();
  end_on_all(failure, result.failed);
  return result.value;
}

/// local() of all ranks, joined in their order; on every rank. None if no rank has any.
template <class Partial, class Where, class Local, class Join>
std::optional<Partial> reduce_ranks(const across_ranks<Where>& place, const Local& local,
                                    const Join& join) {
  return combine<Partial>(
      local, join, [&](const auto& op, const auto& mine) { return op.all(place.comm(), mine); });
}

/// The same of the ranks before this one.
template <class Partial, class Where, class Local, class Join>
std::optional<Partial> scan_ranks(const across_ranks<Where>& place, const Local& local,
                                  const Join& join) {
  return combine<Partial>(local, join, [&](const auto& op, const auto& mine) {
    return op.before(place.comm(), place.rank(), mine);
  });
}

/// The number of values of the ranks before this one.
template <class Where>
std::uint64_t values_before(const across_ranks<Where>& place, std::uint64_t n) {
  return scan_ranks<std::uint64_t>(
             place, [&] { return std::optional(n); }, std::plus{})
      .value_or(0);
}

}  // namespace mpi_detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
