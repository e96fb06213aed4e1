// The module warpfold._core: the library's calls on contiguous arrays of the host's memory. What
// users call, with axes, masks and outputs, is Python, in warpfold/. Arrays come by DLPack or the
// buffer protocol.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <variant>

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>

#include "c/calls.hpp"
#include "python/arrays.hpp"
#include "warpfold/error.hpp"
#include "warpfold/host/detail/threads.hpp"
#include "warpfold/order.hpp"
#include "warpfold/version.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace warpfold::erased;
using namespace warpfold::python;

namespace {

/// A value of one type, and as Python has it.
struct number {
  wf_type type;
  alignas(8) unsigned char bytes[8] = {};

  [[nodiscard]] nb::object object() const {
    switch (type) {
      case WF_I8: return as<std::int8_t>();
      case WF_I16: return as<std::int16_t>();
      case WF_I32: return as<std::int32_t>();
      case WF_I64: return as<std::int64_t>();
      case WF_U8: return as<std::uint8_t>();
      case WF_U16: return as<std::uint16_t>();
      case WF_U32: return as<std::uint32_t>();
      case WF_U64: return as<std::uint64_t>();
      case WF_F32: return as<float>();
      default: return as<double>();
    }
  }

 private:
  template <class T>
  [[nodiscard]] nb::object as() const {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return nb::cast(value);
  }
};

wf_type result_type(wf_type type, int op, bool wide) {
  const wf_type result = wide ? wide_type(type) : type;
  is_wide(type, static_cast<wf_op>(op), result);  // throws where there is no such result
  return result;
}

nb::object reduce(const input& x, int op, bool wide, const std::optional<input>& init,
                  bool gpu_to_gpu) {
  const wf_type type = type_of(x);
  number result{result_type(type, op, wide)};
  const void* const first = init_of(init, result.type);
  run(bytes_of(x), [&] {
    calls_of({}, type).reduce(at(gpu_to_gpu), static_cast<wf_op>(op), x.data(), x.size(),
                              result.type != type, first, result.bytes);
  });
  return result.object();
}

void reduce_axis(const input& x, int op, std::size_t outer, std::size_t n, std::size_t inner,
                 const output& out, bool gpu_to_gpu) {
  const wf_type type = type_of(x), to = type_of(out);
  const bool wide = is_wide(type, static_cast<wf_op>(op), to);
  require(x.size() == outer * n * inner && out.size() == outer * inner, "shapes don't fit");
  run(bytes_of(x) + bytes_of(out), [&] {
    calls_of({}, type).reduce_axis(at(gpu_to_gpu), static_cast<wf_op>(op), x.data(),
                                   {outer, n, inner}, wide, out.data());
  });
}

void scan(const input& x, int op, std::size_t rows, bool exclusive,
          const std::optional<input>& init, const output& out, bool gpu_to_gpu) {
  const wf_type type = type_of(x), to = type_of(out);
  const bool wide = is_wide(type, static_cast<wf_op>(op), to);
  require(x.size() == out.size() && (rows == 0 ? x.size() == 0 : x.size() % rows == 0),
          "shapes don't fit");
  const void* const first = init_of(init, to);
  run(bytes_of(x), [&] {
    if (rows == 0) return;
    calls_of({}, type).scan(at(gpu_to_gpu), static_cast<wf_op>(op), x.data(), rows, x.size() / rows,
                            exclusive, wide, first, out.data());
  });
}

/// So few that what an engine sets up, or allocates, would take most of the time.
constexpr std::size_t few = 16;

template <class T, class Less>
void insert(T* keys, std::size_t n, const Less& less) {
  for (std::size_t i = 1; i < n; ++i) {
    const T key = keys[i];
    std::size_t at = i;
    for (; at > 0 && less(key, keys[at - 1]); --at) keys[at] = keys[at - 1];
    keys[at] = key;
  }
}

template <class T>
void sort_few_of(void* keys, std::size_t n, bool is_descending) {
  T* const begin = static_cast<T*>(keys);
  if (is_descending) {
    insert(begin, n, warpfold::descending{});
  } else {
    insert(begin, n, warpfold::ascending{});
  }
}

void sort_few(wf_type type, void* keys, std::size_t n, bool is_descending) {
  switch (type) {
    case WF_I8: return sort_few_of<std::int8_t>(keys, n, is_descending);
    case WF_I16: return sort_few_of<std::int16_t>(keys, n, is_descending);
    case WF_I32: return sort_few_of<std::int32_t>(keys, n, is_descending);
    case WF_I64: return sort_few_of<std::int64_t>(keys, n, is_descending);
    case WF_U8: return sort_few_of<std::uint8_t>(keys, n, is_descending);
    case WF_U16: return sort_few_of<std::uint16_t>(keys, n, is_descending);
    case WF_U32: return sort_few_of<std::uint32_t>(keys, n, is_descending);
    case WF_U64: return sort_few_of<std::uint64_t>(keys, n, is_descending);
    case WF_F32: return sort_few_of<float>(keys, n, is_descending);
    case WF_F64: return sort_few_of<double>(keys, n, is_descending);
  }
}

/// By all threads: the first writes to new memory take longer than the copy.
void copy(const void* from, void* to, std::size_t bytes) {
  constexpr std::size_t share = std::size_t{1} << 20;
  warpfold::host_detail::for_each_index((bytes + share - 1) / share, [&](std::size_t i) {
    std::memcpy(static_cast<char*>(to) + i * share, static_cast<const char*>(from) + i * share,
                std::min(share, bytes - i * share));
  });
}

/// `sorted` is x, or lies apart from it.
void sort(const input& x, const output& sorted, std::size_t rows, bool is_descending) {
  const wf_type type = type_of(sorted);
  require(x.size() == sorted.size() && type_of(x) == type, "shapes or types don't fit");
  require(rows == 0 ? x.size() == 0 : x.size() % rows == 0, "shapes don't fit");
  const bool in_place = x.data() == sorted.data();
  if (rows == 1 && x.size() <= few) {
    if (!in_place) std::memcpy(sorted.data(), x.data(), bytes_of(x));
    return sort_few(type, sorted.data(), x.size(), is_descending);
  }
  run(bytes_of(x), [&] {
    if (rows == 0) return;
    if (!in_place) copy(x.data(), sorted.data(), bytes_of(x));
    calls_of({}, type).sort({}, sorted.data(), rows, x.size() / rows, order_of(is_descending));
  });
}

void sort_by_key(const output& keys, const output& items, bool is_descending) {
  const std::size_t n = keys.size();
  require(n == 0 ? items.size() == 0 : bytes_of(items) % n == 0, "shapes don't fit");
  const wf_type type = type_of(keys);
  run(bytes_of(keys) + bytes_of(items), [&] {
    if (n == 0) return;
    calls_of({}, type).sort_by_key({}, keys.data(), items.data(), bytes_of(items) / n, n,
                                   order_of(is_descending));
  });
}

void argsort(const input& keys, std::size_t rows, bool is_descending, const output& indices) {
  require(rows == 0 ? keys.size() == 0 : keys.size() % rows == 0, "shapes don't fit");
  require(indices.size() == keys.size() && indices.itemsize() == 8, "shapes don't fit");
  const wf_type type = type_of(keys);
  run(bytes_of(keys), [&] {
    if (rows == 0) return;
    calls_of({}, type).argsort({}, keys.data(), rows, keys.size() / rows, order_of(is_descending),
                               static_cast<std::uint64_t*>(indices.data()));
  });
}

void extreme(const input& x, int op, std::size_t rows, const output& indices) {
  require(rows == indices.size() && indices.itemsize() == 8, "shapes don't fit");
  require(rows == 0 || x.size() / rows > 0, "the index of an extreme of no values");
  require(rows == 0 || x.size() % rows == 0, "shapes don't fit");
  const wf_type type = type_of(x);
  run(bytes_of(x), [&] {
    if (rows == 0) return;
    calls_of({}, type).extreme({}, static_cast<wf_op>(op), x.data(), rows, x.size() / rows, nullptr,
                               static_cast<std::uint64_t*>(indices.data()));
  });
}

std::uint64_t index_of(const input& x, int op) {
  require(x.size() > 0, "the index of an extreme of no values");
  const wf_type type = type_of(x);
  std::uint64_t result = 0;
  run(bytes_of(x), [&] {
    calls_of({}, type).extreme({}, static_cast<wf_op>(op), x.data(), 1, x.size(), nullptr, &result);
  });
  return result;
}

std::pair<nb::object, nb::object> pair_of(wf_type type, const unsigned char* ends) {
  number low{type}, high{type};
  const std::size_t size = calls_of({}, type).size;
  std::memcpy(low.bytes, ends, size);
  std::memcpy(high.bytes, ends + size, size);
  return {low.object(), high.object()};
}

std::pair<nb::object, nb::object> minmax(const input& x) {
  const wf_type type = type_of(x);
  alignas(8) unsigned char ends[16];
  run(bytes_of(x), [&] { calls_of({}, type).minmax({}, x.data(), x.size(), ends); });
  return pair_of(type, ends);
}

double mean(const input& x, bool gpu_to_gpu) {
  const wf_type type = type_of(x);
  double result = 0;
  run(bytes_of(x), [&] { calls_of({}, type).mean(at(gpu_to_gpu), x.data(), x.size(), &result); });
  return result;
}

nb::tuple statistics(const input& x, bool gpu_to_gpu) {
  const wf_type type = type_of(x);
  wf_summary s;
  alignas(8) unsigned char ends[16];
  run(bytes_of(x),
      [&] { calls_of({}, type).statistics(at(gpu_to_gpu), x.data(), x.size(), &s, ends); });
  const auto [low, high] = pair_of(type, ends);
  return nb::make_tuple(s.count, s.sum, s.mean, s.variance, low, high, s.argmin, s.argmax);
}

using exact_call = void (*calls::*)(const wf_place&, const void*, std::size_t, void*);

/// One result for each of `rows` rows, in the type of x.
template <exact_call Call>
void exact_rows(const input& x, std::size_t rows, const output& out) {
  const wf_type type = type_of(x);
  const calls& table = exact_calls_of({}, type);
  require(out.size() == rows && type_of(out) == type, "shapes or types don't fit");
  require(rows == 0 ? x.size() == 0 : x.size() % rows == 0, "shapes don't fit");
  const std::size_t row_bytes = rows == 0 ? 0 : bytes_of(x) / rows;
  run(bytes_of(x), [&] {
    warpfold::host_detail::for_each_index(rows, [&](std::size_t i) {
      (table.*Call)({}, static_cast<const char*>(x.data()) + i * row_bytes, x.size() / rows,
                    static_cast<char*>(out.data()) + i * table.size);
    });
  });
}

nb::object exact_dot(const input& a, const input& b) {
  number result{type_of(a)};
  const calls& table = exact_calls_of({}, result.type);
  require(a.size() == b.size() && type_of(b) == result.type, "a and b differ in type or size");
  run(2 * bytes_of(a), [&] { table.exact_dot({}, a.data(), b.data(), a.size(), result.bytes); });
  return result.object();
}

/// An exact sum that is not rounded yet.
struct python_accumulator {
  accumulator sum;

  [[nodiscard]] wf_type type() const { return sum.index() == 0 ? WF_F32 : WF_F64; }

  void add_values(const input& x) {
    if (type_of(x) != type()) {
      throw nb::type_error(type() == WF_F32
                               ? "this accumulator adds float32 values; convert with astype"
                               : "this accumulator adds float64 values; convert with astype");
    }
    accumulator part = make_accumulator(type());
    run(bytes_of(x), [&] { add(part, {}, x.data(), x.size()); });
    merge(sum, part);
  }
  [[nodiscard]] nb::object round() const {
    return std::visit([](const auto& s) { return nb::cast(s.round()); }, sum);
  }
  [[nodiscard]] nb::object mean(std::uint64_t count) const {
    require(count > 0, "the mean of no values: count is 0");
    return std::visit([&](const auto& s) { return nb::cast(s.mean(count)); }, sum);
  }
  [[nodiscard]] nb::bytes bytes() const {
    return std::visit(
        []<class Sum>(const Sum& s) {
          std::uint8_t to[Sum::bytes];
          s.to_bytes(to);
          return nb::bytes(to, sizeof to);
        },
        sum);
  }
  static python_accumulator from_bytes(const nb::bytes& bytes) {
    const auto* const from = static_cast<const std::uint8_t*>(bytes.data());
    const bool narrow = bytes.size() == warpfold::exact_accumulator<float>::bytes;
    python_accumulator result{make_accumulator(narrow ? WF_F32 : WF_F64)};
    read(result.sum, from, bytes.size());
    return result;
  }
};

}  // namespace

NB_MODULE(_core, m) {
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const warpfold::usage_error& e) {
      PyErr_SetString(PyExc_ValueError, e.what());
    } catch (const warpfold::data_error& e) {
      PyErr_SetString(PyExc_ValueError, e.what());
    }
  });
  m.attr("version") = nb::str(warpfold::version.data(), warpfold::version.size());
  m.def("reduce", reduce, "x"_a.noconvert(), "op"_a, "wide"_a, "init"_a.none(), "gpu_to_gpu"_a);
  m.def("reduce_axis", reduce_axis, "x"_a.noconvert(), "op"_a, "outer"_a, "n"_a, "inner"_a,
        "out"_a.noconvert(), "gpu_to_gpu"_a);
  m.def("scan", scan, "x"_a.noconvert(), "op"_a, "rows"_a, "exclusive"_a, "init"_a.none(),
        "out"_a.noconvert(), "gpu_to_gpu"_a);
  m.def("sort", sort, "x"_a.noconvert(), "sorted"_a.noconvert(), "rows"_a, "descending"_a);
  m.def("sort_by_key", sort_by_key, "keys"_a.noconvert(), "items"_a.noconvert(), "descending"_a);
  m.def("argsort", argsort, "keys"_a.noconvert(), "rows"_a, "descending"_a,
        "indices"_a.noconvert());
  m.def("extreme", extreme, "x"_a.noconvert(), "op"_a, "rows"_a, "indices"_a.noconvert());
  m.def("index", index_of, "x"_a.noconvert(), "op"_a);
  m.def("minmax", minmax, "x"_a.noconvert());
  m.def("mean", mean, "x"_a.noconvert(), "gpu_to_gpu"_a);
  m.def("statistics", statistics, "x"_a.noconvert(), "gpu_to_gpu"_a);
  m.def("exact_sum", exact_rows<&calls::exact_sum>, "x"_a.noconvert(), "rows"_a,
        "out"_a.noconvert());
  m.def("exact_mean", exact_rows<&calls::exact_mean>, "x"_a.noconvert(), "rows"_a,
        "out"_a.noconvert());
  m.def("exact_dot", exact_dot, "a"_a.noconvert(), "b"_a.noconvert());
  define_bin_calls(m);
  define_order_calls(m);
  define_run_calls(m);
  define_segment_calls(m);
  define_sorted_calls(m);
  nb::class_<python_accumulator>(m, "Accumulator")
      .def(
          "__init__",
          [](python_accumulator* self, bool narrow) {
            new (self) python_accumulator{make_accumulator(narrow ? WF_F32 : WF_F64)};
          },
          "narrow"_a)
      .def("is_narrow", [](const python_accumulator& a) { return a.type() == WF_F32; })
      .def("add", &python_accumulator::add_values, "x"_a.noconvert())
      .def("merge",
           [](python_accumulator& a, const python_accumulator& other) { merge(a.sum, other.sum); })
      .def("equals",
           [](const python_accumulator& a, const python_accumulator& b) { return a.sum == b.sum; })
      .def("round", &python_accumulator::round)
      .def("mean", &python_accumulator::mean, "count"_a)
      .def("to_bytes", &python_accumulator::bytes)
      .def_static("from_bytes", &python_accumulator::from_bytes, "bytes"_a);
}
