#include "c/warpfold_mpi.h"

#include <cstdint>
#include <cstring>
#include <span>

#include "c/guarded.hpp"
#include "warpfold/exact/accumulator.hpp"
#include "warpfold/mpi/exact.hpp"

using namespace warpfold::erased;
using warpfold::exact_accumulator;
using warpfold::usage_error;

std::string& warpfold::erased::last_error() {
  thread_local std::string text;
  return text;
}

namespace {

/// f(T{}) for f32 or f64.
template <class F>
void with_float(wf_type type, const F& f) {
  if (type == WF_F32) return f(float{});
  if (type == WF_F64) return f(double{});
  throw usage_error("exact sums across ranks take f32 and f64, not type ",
                    static_cast<unsigned>(type), "; see wf_type");
}

auto ranks(MPI_Comm comm, const wf_place* where) {
  if (where != nullptr && where->machine != WF_HOST) {
    throw usage_error("wf_mpi calls run on the host; copy the values there");
  }
  return warpfold::across(comm, warpfold::host.threads(where != nullptr ? where->threads : 0));
}

template <class T>
std::span<const T> in(const void* values, std::size_t n) {
  if (values == nullptr && n > 0) throw usage_error("values is NULL; pass its address");
  return {static_cast<const T*>(values), n};
}
void require(const void* result) {
  if (result == nullptr) throw usage_error("a result is NULL; pass its address");
}

/// What two accumulators' bytes come to; bytes that are none come to such.
template <class Sum>
void merge(const std::uint8_t* from, std::uint8_t* to) {
  Sum a, b;
  if (a.read(from, Sum::bytes) == nullptr && b.read(to, Sum::bytes) == nullptr) {
    b.merge(a);
    b.to_bytes(to);
  } else {
    std::memset(to, 0, Sum::bytes);
  }
}
template <class Sum>
void merge_all(const void* from, void* to, int count) {
  for (int i = 0; i < count; ++i) {
    merge<Sum>(static_cast<const std::uint8_t*>(from) + i * Sum::bytes,
               static_cast<std::uint8_t*>(to) + i * Sum::bytes);
  }
}
void merge_ranks(void* from, void* to, int* count, MPI_Datatype* type) {
  int size = 0;
  MPI_Type_size(*type, &size);
  if (size == int{exact_accumulator<float>::bytes})
    merge_all<exact_accumulator<float>>(from, to, *count);
  else
    merge_all<exact_accumulator<double>>(from, to, *count);
}

}  // namespace

const char* wf_mpi_error() { return last_error().c_str(); }

wf_status wf_mpi_exact_sum(MPI_Comm comm, const wf_place* where, wf_type type, const void* values,
                           size_t n, void* result) {
  return guarded([&] {
    require(result);
    with_float(type, [&]<class T>(T) {
      *static_cast<T*>(result) = exact_sum(ranks(comm, where), in<T>(values, n));
    });
  });
}

wf_status wf_mpi_exact_mean(MPI_Comm comm, const wf_place* where, wf_type type, const void* values,
                            size_t n, void* result) {
  return guarded([&] {
    require(result);
    with_float(type, [&]<class T>(T) {
      *static_cast<T*>(result) = exact_mean(ranks(comm, where), in<T>(values, n));
    });
  });
}

wf_status wf_mpi_exact_dot(MPI_Comm comm, const wf_place* where, wf_type type, const void* a,
                           const void* b, size_t n, void* result) {
  return guarded([&] {
    require(result);
    with_float(type, [&]<class T>(T) {
      *static_cast<T*>(result) = exact_dot(ranks(comm, where), in<T>(a, n), in<T>(b, n));
    });
  });
}

wf_status wf_mpi_datatype(wf_type type, MPI_Datatype* datatype) {
  return guarded([&] {
    require(datatype);
    with_float(type, [&]<class T>(T) {
      using warpfold::mpi_detail::check;
      MPI_Datatype made;
      check(MPI_Type_contiguous(exact_accumulator<T>::bytes, MPI_BYTE, &made),
            "MPI_Type_contiguous");
      check(MPI_Type_commit(&made), "MPI_Type_commit");
      *datatype = made;
    });
  });
}

wf_status wf_mpi_op(MPI_Op* op) {
  return guarded([&] {
    require(op);
    warpfold::mpi_detail::check(MPI_Op_create(merge_ranks, 1, op), "MPI_Op_create");
  });
}

wf_status wf_mpi_exact_sum_f(MPI_Fint comm, wf_type type, const void* values, size_t n,
                             void* result) {
  return wf_mpi_exact_sum(MPI_Comm_f2c(comm), nullptr, type, values, n, result);
}
wf_status wf_mpi_exact_mean_f(MPI_Fint comm, wf_type type, const void* values, size_t n,
                              void* result) {
  return wf_mpi_exact_mean(MPI_Comm_f2c(comm), nullptr, type, values, n, result);
}
wf_status wf_mpi_exact_dot_f(MPI_Fint comm, wf_type type, const void* a, const void* b, size_t n,
                             void* result) {
  return wf_mpi_exact_dot(MPI_Comm_f2c(comm), nullptr, type, a, b, n, result);
}
wf_status wf_mpi_datatype_f(wf_type type, MPI_Fint* datatype) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  const wf_status status = wf_mpi_datatype(type, &made);
  *datatype = MPI_Type_c2f(made);
  return status;
}
wf_status wf_mpi_op_f(MPI_Fint* op) {
  MPI_Op made = MPI_OP_NULL;
  const wf_status status = wf_mpi_op(&made);
  *op = MPI_Op_c2f(made);
  return status;
}
