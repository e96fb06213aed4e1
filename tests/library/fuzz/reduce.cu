// Random reductions and exact sums.
#include "tests/library/canonical/reference.hpp"
#include "tests/library/fuzz/calls.hpp"
#include "warpfold/exact.hpp"
#include "warpfold/reduce.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

template <class T, class Op>
fuzz_call fuzz_reduce(fuzz_source& from) {
  const std::size_t n = from.size();
  const auto values = terms<T>(n, from.seed());
  const T init = terms<T>(1, from.seed()).front();
  const auto in = std::make_shared<device_buffer<T>>(values, from.offset());
  const auto out = std::make_shared<device_buffer<T>>(terms<T>(1, from.seed()));
  const T expected = std::accumulate(values.begin(), values.end(), init, Op{});
  return {of_values<T>("reduce", n),
          in_memory<workspace>(reduce_workspace_bytes<T>(),
                               [=](const auto& where) {
                                 return reduce_into(where, in->values(), out->data(), init, Op{});
                               }),
          expect_bits(out, std::vector{expected})};
}

/// Of a number on the device: any up to the bound, at times more.
template <class T, class Op>
fuzz_call fuzz_sized_reduce(fuzz_source& from) {
  const std::size_t most = from.size(), n = from.number(most);
  const auto values = terms<T>(most, from.seed());
  const T init = terms<T>(1, from.seed()).front();
  const auto in = std::make_shared<device_buffer<T>>(values, from.offset());
  const auto size = std::make_shared<device_buffer<std::size_t>>(std::vector{n});
  const auto out = std::make_shared<device_buffer<T>>(terms<T>(1, from.seed()));
  const auto end = values.begin() + static_cast<std::ptrdiff_t>(std::min(n, most));
  const T expected = std::accumulate(values.begin(), end, init, Op{});
  return {of_values<T>(("reduce at most " + std::to_string(most) + ",").c_str(), n),
          in_memory<workspace>(reduce_workspace_bytes<T>(),
                               [=](const auto& where) {
                                 return reduce_into(where, device_sized(in->values(), size->data()),
                                                    out->data(), init, Op{});
                               }),
          expect_bits(out, std::vector{expected})};
}

template <class T>
fuzz_call fuzz_canonical_sum(fuzz_source& from) {
  const std::size_t n = from.size();
  const auto values = random_values<T>(n, from.seed());
  const auto in = std::make_shared<device_buffer<T>>(values, from.offset());
  const auto out = std::make_shared<device_buffer<T>>(terms<T>(1, from.seed()));
  const T sum = n == 0 ? T{0} : T{0} + canonical::reduce(values.data(), n, plus{});
  return {of_values<T>("reduce at gpu_to_gpu", n),
          in_memory<workspace>(canonical_workspace_bytes<T>(n),
                               [=](const auto& where) {
                                 return reduce_into(where.with(determinism::gpu_to_gpu),
                                                    in->values(), out->data(), T{0},
                                                    pairwise_plus{});
                               }),
          expect_bits(out, std::vector{sum})};
}

template <class T>
fuzz_call fuzz_exact_sum(fuzz_source& from) {
  const std::size_t n = from.size();
  const auto values = random_values<T>(n, from.seed());
  const auto in = std::make_shared<device_buffer<T>>(values, from.offset());
  const auto out = std::make_shared<device_buffer<T>>(terms<T>(1, from.seed()));
  exact_accumulator<T> sum;
  for (const T& v : values) sum.add(v);
  return {of_values<T>("exact_sum", n),
          in_memory<workspace>(
              exact_workspace_bytes<T>(),
              [=](const auto& where) { return exact_sum_into(where, in->values(), out->data()); }),
          expect_bits(out, std::vector{sum.round()})};
}

/// Of whole numbers, whose products and sums are exact in f64.
template <class T>
fuzz_call fuzz_exact_dot(fuzz_source& from) {
  const std::size_t n = from.size();
  const auto whole = [&] {
    auto values = random_values<T>(n, from.seed());
    for (T& v : values) v = static_cast<T>(static_cast<int>(v) % 1000);
    return values;
  };
  const auto x = whole(), y = whole();
  const auto a = std::make_shared<device_buffer<T>>(x, from.offset());
  const auto b = std::make_shared<device_buffer<T>>(y, from.offset());
  const auto out = std::make_shared<device_buffer<T>>(terms<T>(1, from.seed()));
  // -0 and not 0 is what adds nothing to -0.
  const double nothing = n == 0 ? 0.0 : -0.0;
  const double sum = std::transform_reduce(x.begin(), x.end(), y.begin(), nothing, std::plus<>(),
                                           [](T p, T q) { return double{p} * double{q}; });
  return {of_values<T>("exact_dot", n),
          in_memory<workspace>(exact_workspace_bytes<T>(),
                               [=](const auto& where) {
                                 return exact_dot_into(where, a->values(), b->values(),
                                                       out->data());
                               }),
          expect_bits(out, std::vector{static_cast<T>(sum)})};
}

fuzz_call fuzz_rows(fuzz_source& from) {
  using T = std::int32_t;
  const std::size_t columns = from.size() + 1, rows = from.size() / columns + 1;
  const auto values = terms<T>(rows * columns, from.seed());
  const auto in = std::make_shared<device_buffer<T>>(values, from.offset());
  const auto out = std::make_shared<device_buffer<T>>(terms<T>(rows, from.seed()));
  std::vector<T> sums(rows);
  for (std::size_t i = 0; i < values.size(); ++i) {
    sums[i / columns] = plus{}(sums[i / columns], values[i]);
  }
  return {of_values<T>("reduce_rows", rows * columns),
          in_memory<workspace>(reduce_workspace_bytes<T>(),
                               [=](const auto& where) {
                                 return reduce_rows(where, in->values(), rows, columns,
                                                    out->room());
                               }),
          expect_bits(out, sums)};
}

}  // namespace

std::span<const make_fuzz_call> fuzz_reduce_calls() {
  static constexpr make_fuzz_call calls[] = {
      fuzz_reduce<std::int8_t, plus>,
      fuzz_reduce<std::int32_t, plus>,
      fuzz_reduce<std::uint64_t, minimum>,
      fuzz_reduce<float, plus>,
      fuzz_reduce<double, maximum>,
      fuzz_reduce<affine, then>,
      fuzz_sized_reduce<std::int32_t, plus>,
      fuzz_sized_reduce<float, plus>,
      fuzz_sized_reduce<affine, then>,
      fuzz_canonical_sum<float>,
      fuzz_canonical_sum<double>,
      fuzz_exact_sum<float>,
      fuzz_exact_sum<double>,
      fuzz_exact_dot<float>,
      fuzz_exact_dot<double>,
      fuzz_rows,
  };
  return calls;
}

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
