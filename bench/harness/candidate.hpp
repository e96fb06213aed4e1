// What takes part in a benchmark, the memory that its calls work in, and what came of the checks.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "bench/harness/benchmark.hpp"

namespace warpfold::bench {

/// Wrong results.
struct mistakes {
  std::size_t count = 0;
  std::string first;  // what is wrong with the first of them

  mistakes& operator+=(mistakes other) {
    if (count == 0) first = std::move(other.first);
    count += other.count;
    return *this;
  }
};
/// One result: right, or wrong and why.
inline mistakes one_result(bool right, std::string_view why = "") {
  return right ? mistakes{} : mistakes{1, std::string(why)};
}

/// The mistakes in the results of the slots [begin, end).
using check_slots = std::function<mistakes(std::size_t begin, std::size_t end)>;

struct candidate {
  measure::measurement record;                // without verdict and timing
  std::function<void(std::size_t slot)> run;  // on a device: puts the call into the stream
  bool in_graph = true;                       // on a device; false: it allocates or waits
  check_slots check = {};                     // where its results are not like the others'
};

/// Inputs and outputs of so many calls. A slot is used once; then it is checked, and made anew.
struct slots {
  std::size_t count = 1;
  std::size_t calls_per_graph = 1;  // on a device; they take the slots in turns
  std::function<void()> renew;      // inputs as they were, outputs poisoned
  check_slots check = {};
};

/// The results of one candidate so far.
class checked_results {
 public:
  checked_results(const slots& memory, const candidate& who)
      : check_(who.check ? who.check : memory.check) {}

  void check(std::size_t begin, std::size_t end) {
    wrong_ += check_(begin, end);
    results_ += end - begin;
  }
  [[nodiscard]] measure::verdict verdict() const {
    constexpr char good[] = "as expected in every run";
    if (wrong_.count == 0 && results_ > 0) return {true, good, good, 0, 0};
    return {false,
            std::to_string(wrong_.count) + " of " + std::to_string(results_) + " results wrong" +
                (wrong_.first.empty() ? "" : ": " + wrong_.first),
            good, std::numeric_limits<double>::infinity(), 0};
  }

 private:
  check_slots check_;
  mistakes wrong_;
  std::size_t results_ = 0;
};

}  // namespace warpfold::bench
