// The C calls: each checks its pointers, calls the table and turns exceptions into a status.
#include "c/warpfold.h"

#include <cstring>

#include "c/calls.hpp"
#include "c/guarded.hpp"
#include "warpfold/version.hpp"

using namespace warpfold::erased;
using warpfold::usage_error;

struct wf_accumulator {
  wf_type type;
  accumulator sum;
};

namespace {

wf_place given(const wf_place* where) { return where != nullptr ? *where : wf_place{}; }

void require(const char* call, const char* what, const void* pointer, std::size_t n = 1) {
  if (pointer == nullptr && n > 0)
    throw usage_error(call, ": ", what, " is NULL; pass its address");
}
void require_some(const char* call, std::size_t n) {
  if (n == 0) throw usage_error(call, " of no values; call it with one value at least");
}
void require_order(wf_order order) {
  if (order != WF_ASCENDING && order != WF_DESCENDING) {
    throw usage_error("there is no order ", static_cast<unsigned>(order), "; see wf_order");
  }
}
void require_host(const char* call, const wf_place& where) {
  if (where.machine != WF_HOST) throw usage_error(call, " runs on the host only; pass WF_HOST");
}

wf_status extreme(const char* call, wf_op op, const wf_place* where, wf_type type,
                  const void* values, std::size_t n, void* value, std::uint64_t* index) {
  return guarded([&] {
    require_some(call, n);
    require(call, "values", values);
    std::uint64_t unused = 0;
    calls_of(given(where), type)
        .extreme(given(where), op, values, 1, n, value, index != nullptr ? index : &unused);
  });
}

void require_size(const char* call, const wf_accumulator* a, std::size_t size) {
  const std::size_t bytes = wf_accumulator_size(a->type);
  if (size != bytes) {
    throw usage_error(call, ": an accumulator of ", name_of(a->type), " has ", bytes,
                      " bytes, not ", size, "; ask wf_accumulator_size");
  }
}

}  // namespace

const char* wf_version() { return warpfold::version.data(); }
const char* wf_error() { return last_error().c_str(); }
int wf_has_cuda() { return device_calls(WF_I32) != nullptr ? 1 : 0; }

size_t wf_type_size(wf_type type) {
  return static_cast<unsigned>(type) < type_count ? calls_of({}, type).size : 0;
}

wf_status wf_reduce(const wf_place* where, wf_type type, wf_op op, const void* values, size_t n,
                    wf_type result_type, const void* init, void* result) {
  return guarded([&] {
    require("wf_reduce", "values", values, n);
    require("wf_reduce", "result", result);
    calls_of(given(where), type)
        .reduce(given(where), op, values, n, is_wide(type, op, result_type), init, result);
  });
}

wf_status wf_reduce_axis(const wf_place* where, wf_type type, wf_op op, const void* values,
                         size_t outer, size_t n, size_t inner, wf_type result_type, void* results) {
  return guarded([&] {
    require_host("wf_reduce_axis", given(where));
    const bool none = outer == 0 || inner == 0;
    require("wf_reduce_axis", "values", values, none ? 0 : n);
    require("wf_reduce_axis", "results", results, none ? 0 : 1);
    calls_of(given(where), type)
        .reduce_axis(given(where), op, values, {outer, n, inner}, is_wide(type, op, result_type),
                     results);
  });
}

wf_status wf_scan(const wf_place* where, wf_type type, wf_op op, const void* in, size_t n,
                  int exclusive, wf_type result_type, const void* init, void* out) {
  return guarded([&] {
    require("wf_scan", "in", in, n);
    require("wf_scan", "out", out, n);
    const bool wide = is_wide(type, op, result_type);
    if (in == out && n > 0 && wf_type_size(type) != wf_type_size(result_type)) {
      throw usage_error("wf_scan can't work in place from ", name_of(type), " to ",
                        name_of(result_type), "; pass another out");
    }
    calls_of(given(where), type).scan(given(where), op, in, 1, n, exclusive != 0, wide, init, out);
  });
}

wf_status wf_sort(const wf_place* where, wf_type type, void* keys, size_t n, wf_order order) {
  return guarded([&] {
    require("wf_sort", "keys", keys, n);
    require_order(order);
    calls_of(given(where), type).sort(given(where), keys, 1, n, order);
  });
}

wf_status wf_sort_by_key(const wf_place* where, wf_type type, void* keys, void* items,
                         size_t item_bytes, size_t n, wf_order order) {
  return guarded([&] {
    require("wf_sort_by_key", "keys", keys, n);
    require("wf_sort_by_key", "items", items, n * item_bytes);
    require_order(order);
    calls_of(given(where), type).sort_by_key(given(where), keys, items, item_bytes, n, order);
  });
}

wf_status wf_argsort(const wf_place* where, wf_type type, const void* keys, size_t n,
                     wf_order order, uint64_t* indices) {
  return guarded([&] {
    require("wf_argsort", "keys", keys, n);
    require("wf_argsort", "indices", indices, n);
    require_order(order);
    calls_of(given(where), type).argsort(given(where), keys, 1, n, order, indices);
  });
}

wf_status wf_exact_sum(const wf_place* where, wf_type type, const void* values, size_t n,
                       void* result) {
  return guarded([&] {
    require("wf_exact_sum", "values", values, n);
    require("wf_exact_sum", "result", result);
    exact_calls_of(given(where), type).exact_sum(given(where), values, n, result);
  });
}

wf_status wf_exact_mean(const wf_place* where, wf_type type, const void* values, size_t n,
                        void* result) {
  return guarded([&] {
    require_some("wf_exact_mean", n);
    require("wf_exact_mean", "values", values);
    require("wf_exact_mean", "result", result);
    exact_calls_of(given(where), type).exact_mean(given(where), values, n, result);
  });
}

wf_status wf_exact_dot(const wf_place* where, wf_type type, const void* a, const void* b, size_t n,
                       void* result) {
  return guarded([&] {
    require("wf_exact_dot", "a", a, n);
    require("wf_exact_dot", "b", b, n);
    require("wf_exact_dot", "result", result);
    exact_calls_of(given(where), type).exact_dot(given(where), a, b, n, result);
  });
}

wf_status wf_argmin(const wf_place* where, wf_type type, const void* values, size_t n, void* value,
                    uint64_t* index) {
  return extreme("wf_argmin", WF_MINIMUM, where, type, values, n, value, index);
}
wf_status wf_argmax(const wf_place* where, wf_type type, const void* values, size_t n, void* value,
                    uint64_t* index) {
  return extreme("wf_argmax", WF_MAXIMUM, where, type, values, n, value, index);
}

wf_status wf_minmax(const wf_place* where, wf_type type, const void* values, size_t n,
                    void* minimum, void* maximum) {
  return guarded([&] {
    require("wf_minmax", "values", values, n);
    require("wf_minmax", "minimum", minimum);
    require("wf_minmax", "maximum", maximum);
    alignas(8) unsigned char ends[16];
    const calls& table = calls_of(given(where), type);
    table.minmax(given(where), values, n, ends);
    std::memcpy(minimum, ends, table.size);
    std::memcpy(maximum, ends + table.size, table.size);
  });
}

wf_status wf_mean(const wf_place* where, wf_type type, const void* values, size_t n, double* mean) {
  return guarded([&] {
    require_some("wf_mean", n);
    require("wf_mean", "values", values);
    require("wf_mean", "mean", mean);
    calls_of(given(where), type).mean(given(where), values, n, mean);
  });
}

wf_status wf_statistics(const wf_place* where, wf_type type, const void* values, size_t n,
                        wf_summary* summary) {
  return guarded([&] {
    require_some("wf_statistics", n);
    require("wf_statistics", "values", values);
    require("wf_statistics", "summary", summary);
    calls_of(given(where), type).statistics(given(where), values, n, summary, nullptr);
  });
}

wf_status wf_accumulator_create(wf_type type, wf_accumulator** to) {
  return guarded([&] {
    require("wf_accumulator_create", "accumulator", to);
    *to = new wf_accumulator{type, make_accumulator(type)};
  });
}

void wf_accumulator_destroy(wf_accumulator* a) { delete a; }

wf_type wf_accumulator_type(const wf_accumulator* a) { return a != nullptr ? a->type : WF_F64; }

wf_status wf_accumulator_add(wf_accumulator* a, const wf_place* where, const void* values,
                             size_t n) {
  return guarded([&] {
    require("wf_accumulator_add", "accumulator", a);
    require("wf_accumulator_add", "values", values, n);
    add(a->sum, given(where), values, n);
  });
}

wf_status wf_accumulator_merge(wf_accumulator* a, const wf_accumulator* other) {
  return guarded([&] {
    require("wf_accumulator_merge", "accumulator", a);
    require("wf_accumulator_merge", "other", other);
    merge(a->sum, other->sum);
  });
}

wf_status wf_accumulator_round(const wf_accumulator* a, void* result) {
  return guarded([&] {
    require("wf_accumulator_round", "accumulator", a);
    require("wf_accumulator_round", "result", result);
    std::visit(
        [&]<class T>(const warpfold::exact_accumulator<T>& sum) {
          *static_cast<T*>(result) = sum.round();
        },
        a->sum);
  });
}

wf_status wf_accumulator_mean(const wf_accumulator* a, uint64_t count, void* result) {
  return guarded([&] {
    require("wf_accumulator_mean", "accumulator", a);
    require("wf_accumulator_mean", "result", result);
    require_some("wf_accumulator_mean", count);
    std::visit(
        [&]<class T>(const warpfold::exact_accumulator<T>& sum) {
          *static_cast<T*>(result) = sum.mean(count);
        },
        a->sum);
  });
}

size_t wf_accumulator_size(wf_type type) {
  if (type == WF_F32) return warpfold::exact_accumulator<float>::bytes;
  return type == WF_F64 ? warpfold::exact_accumulator<double>::bytes : 0;
}

wf_status wf_accumulator_to_bytes(const wf_accumulator* a, void* bytes, size_t size) {
  return guarded([&] {
    require("wf_accumulator_to_bytes", "accumulator", a);
    require("wf_accumulator_to_bytes", "bytes", bytes);
    require_size("wf_accumulator_to_bytes", a, size);
    std::visit([&](const auto& sum) { sum.to_bytes(static_cast<std::uint8_t*>(bytes)); }, a->sum);
  });
}

wf_status wf_accumulator_from_bytes(wf_accumulator* a, const void* bytes, size_t size) {
  return guarded([&] {
    require("wf_accumulator_from_bytes", "accumulator", a);
    require("wf_accumulator_from_bytes", "bytes", bytes, size);
    read(a->sum, static_cast<const std::uint8_t*>(bytes), size);
  });
}
