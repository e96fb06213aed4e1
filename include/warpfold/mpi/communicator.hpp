// Where calls across ranks run, and the private communicator that their messages take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <span>
#include <string_view>
#include <type_traits>

#include <mpi.h>

#include "warpfold/environment.hpp"
#include "warpfold/error.hpp"
#include "warpfold/same_bits.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace mpi_detail {

/// Throws data_error unless `code` is success; `call` is MPI's.
inline void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int size = 0;
  MPI_Error_string(code, text, &size);
  throw data_error(call, ": ", std::string_view(text, static_cast<std::size_t>(size)));
}

/// Where a rank of a call failed: throws `failure` on that rank, and on the others that one did.
inline void end_on_all(const std::exception_ptr& failure, bool any_failed) {
  if (failure != nullptr) std::rethrow_exception(failure);
  if (any_failed) {
    throw error("warpfold: a call across ranks failed on another rank, which says why");
  }
}

/// Frees the duplicate with the communicator that it is one of.
inline int free_duplicate(MPI_Comm, int, void* duplicate, void*) {
  auto* const own = static_cast<MPI_Comm*>(duplicate);
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0) MPI_Comm_free(own);
  delete own;
  return MPI_SUCCESS;
}

/// The library's own duplicate of `comm`: made by the first call, which all ranks make together,
/// and kept as the communicator's attribute. Its errors are returned.
inline MPI_Comm duplicate_of(MPI_Comm comm) {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_duplicate, &made, nullptr),
          "MPI_Comm_create_keyval");
    return made;
  }();
  void* found = nullptr;
  int is_there = 0;
  check(MPI_Comm_get_attr(comm, key, &found, &is_there), "MPI_Comm_get_attr");
  if (is_there != 0) return *static_cast<MPI_Comm*>(found);
  auto* const own = new MPI_Comm(MPI_COMM_NULL);
  check(MPI_Comm_dup(comm, own), "MPI_Comm_dup");
  check(MPI_Comm_set_errhandler(*own, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_set_attr(comm, key, own), "MPI_Comm_set_attr");
  return *own;
}

/// Throws usage_error unless MPI has begun, and lets this thread call it beside the host's others.
inline void require_mpi() {
  int begun = 0, ended = 0, level = MPI_THREAD_SINGLE, is_main = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  if (begun == 0 || ended != 0) {
    throw usage_error("warpfold::across: MPI has ", begun == 0 ? "not begun" : "ended",
                      "; call between MPI_Init_thread and MPI_Finalize");
  }
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_FUNNELED) {
    throw usage_error(
        "warpfold::across: MPI was started for programs of one thread; begin with "
        "MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided)");
  }
  MPI_Is_thread_main(&is_main);
  if (level == MPI_THREAD_FUNNELED && is_main == 0) {
    throw usage_error(
        "warpfold::across: MPI was started for calls from the main thread alone; call there, or "
        "begin with MPI_THREAD_SERIALIZED");
  }
}

}  // namespace mpi_detail

/// A place on every rank of a communicator. A value; copying it costs nothing.
template <class Where>
class across_ranks {
 public:
  /// All ranks of `comm` together.
  across_ranks(MPI_Comm comm, Where where) : where_(where) {
    mpi_detail::require_mpi();
    comm_ = mpi_detail::duplicate_of(comm);
    mpi_detail::check(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
    mpi_detail::check(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
  }

  /// The same, but each call first checks that all ranks make the same call, which costs a message
  /// of 16 bytes: different calls throw usage_error instead of waiting forever.
  [[nodiscard]] across_ranks checked() const {
    across_ranks same = *this;
    same.checked_ = true;
    return same;
  }

  /// Where this rank works on its part.
  [[nodiscard]] const Where& here() const { return where_; }
  /// The library's own duplicate of the communicator.
  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  /// This rank, from 0.
  [[nodiscard]] int rank() const { return rank_; }
  /// How many ranks there are.
  [[nodiscard]] int size() const { return size_; }
  /// Whether calls are compared.
  [[nodiscard]] bool is_checked() const { return checked_; }

 private:
  Where where_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  bool checked_ = false;
};

/// `where` on all ranks of `comm`: `host`, `device.on(stream)`, or what `with` made of them. The
/// first call with a communicator duplicates it, so all ranks make that one together.
template <class Where>
across_ranks<Where> across(MPI_Comm comm, Where where) {
  return {comm, where};
}

namespace mpi_detail {

/// A hash of what a call is: FNV-1a.
class call_hash {
 public:
  call_hash& add(std::string_view text) {
    for (const char c : text) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return *this;
  }
  /// Of a value whose bytes are all its own; of others, as of structs with gaps, nothing.
  template <class T>
  call_hash& add_value(const T& value) {
    constexpr bool is_number = std::is_arithmetic_v<T> && sizeof(T) <= 8;
    if constexpr (is_number || std::has_unique_object_representations_v<T>) {
      char bytes[sizeof(T)];
      std::memcpy(bytes, &value, sizeof bytes);
      add({bytes, sizeof bytes});
    }
    return *this;
  }
  [[nodiscard]] std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

/// Of all values of a range that is the same on all ranks.
template <class T>
std::uint64_t hash_of(std::span<const T> values) {
  call_hash hash;
  for (const T& value : values) hash.add_value(value);
  return hash.value();
}

/// This function's name, which names the types.
template <class... Types>
constexpr std::string_view names_of() {
  return __PRETTY_FUNCTION__;
}

/// In checked mode: throws usage_error on all ranks unless all of them make the call `name` with
/// these types and values, and the same bits in mind.
template <class... Types, class Where, class... Values>
void require_same_call(const across_ranks<Where>& place, const char* name,
                       const Values&... values) {
  if (!place.is_checked()) return;
  call_hash call;
  call.add(name).add(names_of<Types...>()).add_value(detail::is_gpu_to_gpu<Where>);
  (call.add_value(values), ...);
  const std::uint64_t hash = call.value();
  std::uint64_t mine[2] = {hash, ~hash}, most[2];
  check(MPI_Allreduce(mine, most, 2, MPI_UINT64_T, MPI_MAX, place.comm()), "MPI_Allreduce");
  if (most[0] == ~most[1]) return;
  throw usage_error(
      "warpfold::", name, " on rank ", place.rank(), " of ", place.size(),
      ": other ranks make another call, or one of other types or with other options; all "
      "ranks of a communicator make the same calls in the same order");
}

}  // namespace mpi_detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
