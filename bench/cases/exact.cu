// Exact sums beside plain ones, ours and CUB's, for values of several ranges; --sweep: every shape.
// Every exact result must equal the host's, to the bit.
#include <string>
#include <vector>

#include "bench/cases/exact_truth.hpp"
#include "bench/cases/exact_values.cuh"
#include "bench/harness/device_run_info.cuh"
#include "bench/harness/device_timer.cuh"
#include "bench/harness/program.hpp"
#include "bench/peers/cub.cuh"
#include "warpfold/exact.hpp"
#include "warpfold/exact/product.hpp"
#include "warpfold/reduce.hpp"
#include "warpfold/workspace.hpp"

namespace warpfold::bench {
namespace {

/// Slots of the same n values each, and a result for each.
template <class T>
class exact_slots {
 public:
  exact_slots(device_place& place, range r, std::size_t count_of_values)
      : n(count_of_values),
        where(place),
        count(device_slots_of(n * sizeof(T), where.cache_bytes)),
        in(n, count),
        results(count),
        workspace_(std::size_t{64} << 20) {
    fill(in.all(), range_values<T>{r, in.step()}, where.stream());
  }
  [[nodiscard]] std::span<const T> values(std::size_t slot) const { return {in(slot), n}; }
  [[nodiscard]] T* out(std::size_t slot) const { return results.data() + slot; }
  [[nodiscard]] auto on() const { return device.on(where.stream()).with(workspace_); }
  [[nodiscard]] std::vector<T> on_host() const {
    std::vector<T> all(n);
    where.wait();
    cuda_check(cudaMemcpy(all.data(), in(0), n * sizeof(T), cudaMemcpyDeviceToHost),
               "copy the values to the host");
    return all;
  }
  /// `check(result)` of each result.
  template <class Check>
  [[nodiscard]] check_slots checked(Check check) const {
    return [this, check](std::size_t, std::size_t end) {
      mistakes wrong;
      for (const T result : results.on_host(end, where.stream())) wrong += check(result);
      return wrong;
    };
  }
  [[nodiscard]] slots as_slots(check_slots check) const {
    return {.count = count,
            .calls_per_graph = calls_per_graph(n * sizeof(T)),
            .renew = [this] { results.set_bytes(0xff, where.stream()); },
            .check = std::move(check)};
  }

  std::size_t n;
  device_place& where;
  std::size_t count;
  slot_buffer<T> in;
  device_buffer<T> results;

 private:
  workspace workspace_;
};

void done(status state) { state.throw_if_failed("a timed call"); }

template <class T>
candidate plain_sum(const exact_slots<T>& s, range r) {
  return {sum_record<T>("warpfold plain", name_of(r), s.n),
          [&s](std::size_t slot) { done(reduce_into(s.on(), s.values(slot), s.out(slot))); }};
}

template <class T>
measurements compare_sums(device_place& where, range r, std::size_t n, unsigned samples) {
  const exact_slots<T> s(where, r, n);
  const exact_truth<T> truth(s.on_host());
  const auto near = s.checked([&](T result) { return truth.check(result, false); });
  std::vector<candidate> candidates{
      {sum_record<T>("warpfold", name_of(r), n),
       [&](std::size_t slot) { done(exact_sum_into(s.on(), s.values(slot), s.out(slot))); }},
      plain_sum(s, r),
      cub_reduce_of<plus>(s, sum_record<T>("cub plain", name_of(r), n))};
  for (candidate& c : candidates) {
    if (c.record.reference) c.check = near;
  }
  const auto exact = s.checked([&](T result) { return truth.check(result, true); });
  return time_on_device(samples, where, s.as_slots(exact), candidates);
}

/// Of the first and the second half of the values.
template <class T>
measurements time_dot(device_place& where, range r, std::size_t n, unsigned samples) {
  const exact_slots<T> s(where, r, 2 * n);
  const auto values = s.on_host();
  using state = detail::product_state<T>;
  const T truth =
      host_sum<state>(n, [&](state& sum, std::size_t begin, std::size_t end) {
        detail::add_products(sum, values.data() + begin, values.data() + n + begin, end - begin);
      }).template quotient<T>(1);
  auto record = sum_record<T>("warpfold", name_of(r), n);
  record.ladder = "exact-dot", record.useful_bytes *= 2;
  const std::vector<candidate> candidates{
      {record, [&](std::size_t slot) {
         done(exact_dot_into(s.on(), s.values(slot).first(n), s.values(slot).last(n), s.out(slot)));
       }}};
  const auto exact = s.checked([&](T result) {
    return one_result(detail::bits_of(result) == detail::bits_of(truth), "another dot product");
  });
  return time_on_device(samples, where, s.as_slots(exact), candidates);
}

template <class T>
void compare(session& s, device_place& where) {
  for (const range r : {range::uniform, range::normal, range::wide, range::cancelling}) {
    for (const int e : {10, 14, 18, 20, 22, 24, 26, 28}) {
      if (r != range::uniform && e != 28) continue;
      s.add(compare_sums<T>(where, r, std::size_t{1} << e, s.samples(41)));
    }
    if (r == range::uniform || r == range::wide) {
      s.add(time_dot<T>(where, r, std::size_t{1} << 27, s.samples(41)));
    }
  }
}

void run_all(session& s) {
  device_place where = open_device();
  compare<float>(s, where);
  compare<double>(s, where);
}

// --- the sweep

template <unsigned T, unsigned L, unsigned B>
using shape = tuning::exact_shape<T, L, B>;

template <class Shape, class T>
candidate of_shape(const exact_slots<T>& s, range r) {
  auto record = sum_record<T>("warpfold", name_of(r), s.n);
  record.form = std::to_string(Shape::threads) + "x" + std::to_string(Shape::loads) + " blocks " +
                std::to_string(Shape::blocks_per_multiprocessor);
  return {record, [&s](std::size_t slot) {
            const detail::terms_of<std::span<const T>> terms{s.in(slot), s.n, {}};
            done(detail::launch_exact_as<Shape>(detail::for_cleared(s.on()), terms,
                                                {.out = s.out(slot)}));
          }};
}

template <class T, class... Shapes>
void try_shapes(session& session, device_place& where, Shapes...) {
  for (const range r : {range::uniform, range::wide}) {
    for (const int e : {14, 18, 20, 22, 24, 28}) {
      if (r == range::wide && e != 28) continue;
      const exact_slots<T> s(where, r, std::size_t{1} << e);
      const exact_truth<T> truth(s.on_host());
      std::vector<candidate> candidates{plain_sum(s, r), of_shape<Shapes>(s, r)...};
      candidates.front().check = s.checked([&](T v) { return truth.check(v, false); });
      const auto exact = s.checked([&](T v) { return truth.check(v, true); });
      session.add(time_on_device(session.samples(30), where, s.as_slots(exact), candidates));
    }
  }
}

void sweep(session& s) {
  device_place where = open_device();
  try_shapes<float>(s, where, shape<128, 4, 4>{}, shape<128, 4, 8>{}, shape<128, 8, 8>{},
                    shape<256, 4, 4>{}, shape<256, 8, 4>{}, shape<256, 4, 6>{}, shape<512, 4, 1>{},
                    shape<512, 8, 1>{}, shape<512, 4, 2>{}, shape<512, 8, 2>{}, shape<512, 4, 3>{},
                    shape<512, 2, 3>{});
  try_shapes<double>(s, where, shape<64, 8, 6>{}, shape<128, 4, 3>{}, shape<128, 8, 3>{},
                     shape<192, 4, 2>{}, shape<192, 8, 2>{}, shape<256, 8, 1>{}, shape<320, 8, 1>{},
                     shape<384, 4, 1>{}, shape<384, 8, 1>{}, shape<416, 4, 1>{}, shape<416, 6, 1>{},
                     shape<416, 8, 1>{});
}

}  // namespace

const bench_program program{"exact", "", "", run_all, sweep, cuda_run_info};

}  // namespace warpfold::bench
