// Selections and runs of equal keys on the host, beside std's algorithms on all cores where std has
// them, and beside the loop that a program would write.
#include <algorithm>
#include <execution>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/harness/host_timer.hpp"
#include "bench/harness/program.hpp"
#include "bench/harness/random.hpp"
#include "warpfold/host/keys.hpp"
#include "warpfold/host/select.hpp"

namespace warpfold::bench {
namespace {

using keys = std::vector<std::uint32_t>;

/// What a call writes, and how many of these it says there are.
struct outputs {
  std::size_t count = 0;
  keys key;
  std::vector<float> value;

  explicit outputs(std::size_t n) : key(n), value(n) {}
  void poison() {
    count = 0;
    std::fill(key.begin(), key.end(), ~std::uint32_t{0});
    std::fill(value.begin(), value.end(), -1.0F);
  }
  friend bool operator==(const outputs&, const outputs&) = default;
};

struct contender {
  const char* name;
  std::function<std::size_t(outputs& to)> call;
};

/// Those in turns; the last one is the loop, and all must write what it writes.
measurements compare(session& s, measure::measurement row, const std::vector<contender>& all) {
  row.ladder = "selections";
  outputs expected(row.n), out(row.n);
  expected.poison();
  expected.count = all.back().call(expected);
  std::vector<candidate> candidates;
  for (const contender& c : all) {
    row.name = c.name, row.reference = row.name != "warpfold";
    candidates.push_back({row, [&](std::size_t) { out.count = c.call(out); }});
  }
  const slots memory{
      .renew = [&] { out.poison(); },
      .check = [&](std::size_t, std::size_t) { return one_result(out == expected); }};
  return time_on_host(s.samples(31), memory, candidates);
}
measure::measurement row_of(const char* op, const std::string& form, const char* type,
                            std::size_t n, std::size_t useful_bytes) {
  measure::measurement row;
  row.op = op, row.form = form, row.type = type, row.n = n, row.useful_bytes = useful_bytes;
  return row;
}

/// About so many of a hundred.
void copies(session& s, std::size_t n, unsigned percent) {
  keys in(n);
  for (std::size_t i = 0; i < n; ++i) in[i] = any_number<std::uint32_t>(1, i);
  const auto keep = [=](std::uint32_t v) { return v % 128 * 100 < percent * 128; };
  const auto selected = static_cast<std::size_t>(std::count_if(in.begin(), in.end(), keep));
  s.add(compare(s, row_of("copy_if", fmt::format("{} %", percent), "u32", n, 4 * (n + selected)),
                {{"warpfold", [&](auto& to) { return copy_if(host, in, to.key, keep); }},
                 {"std::copy_if(par)",
                  [&](auto& to) {
                    const auto end = std::copy_if(std::execution::par, in.begin(), in.end(),
                                                  to.key.begin(), keep);
                    return static_cast<std::size_t>(end - to.key.begin());
                  }},
                 {"loop", [&](auto& to) {
                    std::size_t count = 0;
                    for (const std::uint32_t v : in) {
                      if (keep(v)) to.key[count++] = v;
                    }
                    return count;
                  }}}));
}

/// Runs of this length; 0: of random lengths, two on average.
keys runs_of(std::size_t length, std::size_t n) {
  keys key(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto bits = any_number<std::uint32_t>(1, i);
    key[i] = length > 0 ? static_cast<std::uint32_t>(i / length) : bits % 2;
  }
  return key;
}

std::size_t count_runs(const keys& key) {
  keys first(key.size());
  return static_cast<std::size_t>(std::unique_copy(key.begin(), key.end(), first.begin()) -
                                  first.begin());
}

void uniques(session& s, const keys& key, const std::string& form) {
  const std::size_t n = key.size();
  s.add(compare(s, row_of("unique", form, "u32", n, 4 * (n + count_runs(key))),
                {{"warpfold", [&](auto& to) { return unique(host, key, to.key); }},
                 {"std::unique_copy(par)",
                  [&](auto& to) {
                    const auto end = std::unique_copy(std::execution::par, key.begin(), key.end(),
                                                      to.key.begin());
                    return static_cast<std::size_t>(end - to.key.begin());
                  }},
                 {"loop", [&](auto& to) {
                    std::size_t runs = 0;
                    for (std::size_t i = 0; i < n; ++i) {
                      if (i == 0 || key[i] != key[i - 1]) to.key[runs++] = key[i];
                    }
                    return runs;
                  }}}));
}

void reductions_and_scans(session& s, const keys& key, const std::string& form) {
  const std::size_t n = key.size();
  std::vector<float> value(n);
  for (std::size_t i = 0; i < n; ++i) value[i] = small_number<float>(2, i);
  s.add(compare(
      s, row_of("reduce_by_key", form, "u32, f32", n, 8 * (n + count_runs(key))),
      {{"warpfold", [&](auto& to) { return reduce_by_key(host, key, value, to.key, to.value); }},
       {"loop", [&](auto& to) {
          std::size_t runs = 0;
          float sum = 0;
          for (std::size_t i = 0; i < n; ++i) {
            sum += value[i];
            if (i + 1 == n || key[i] != key[i + 1]) {
              to.key[runs] = key[i];
              to.value[runs++] = sum;
              sum = 0;
            }
          }
          return runs;
        }}}));
  s.add(compare(s, row_of("inclusive_scan_by_key", form, "u32, f32", n, 12 * n),
                {{"warpfold",
                  [&](auto& to) {
                    inclusive_scan_by_key(host, key, value, to.value);
                    return n;
                  }},
                 {"loop", [&](auto& to) {
                    float sum = 0;
                    for (std::size_t i = 0; i < n; ++i) {
                      to.value[i] = sum =
                          i == 0 || key[i] != key[i - 1] ? value[i] : sum + value[i];
                    }
                    return n;
                  }}}));
}

void run_all(session& s) {
  const std::size_t n = s.args.number("n", std::size_t{1} << 24);
  for (const unsigned percent : {1U, 50U, 99U}) copies(s, n, percent);
  for (const std::size_t length : {1U, 4U, 64U, 4096U, 0U}) {
    const auto key = runs_of(length, n);
    const auto form = length > 0 ? fmt::format("runs of {}", length) : std::string("random runs");
    uniques(s, key, form);
    reductions_and_scans(s, key, form);
  }
}

}  // namespace

const bench_program program{"selections_host", " n=", "[--n=N]", run_all, nullptr, host_run_info};

}  // namespace warpfold::bench
