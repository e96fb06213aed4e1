// A sort as a job: keys are copied before each run and compared with std's result after it.
#pragma once

#include <algorithm>
#include <cstring>
#include <execution>

#include "bench/host/job.hpp"
#include "bench/host/values.hpp"

namespace warpfold::bench {

template <class T>
class sort_jobs {
 public:
  sort_jobs(std::vector<job>& jobs, std::size_t n)
      : jobs_(jobs), keys_(random_keys<T>(n)), sorted_(std::make_shared<std::vector<T>>(*keys_)) {
    std::sort(std::execution::par, sorted_->begin(), sorted_->end());
  }

  template <class Call>
  void add(const char* form, const char* who, Call call) {
    measure::measurement row;
    row.ladder = "sort", row.op = "ascending", row.form = form, row.type = type_name<T>();
    row.name = who, row.n = keys_->size(), row.useful_bytes = keys_->size() * sizeof(T);
    const auto work = std::make_shared<std::vector<T>>();
    const auto keys = keys_;
    const auto sorted = sorted_;
    jobs_.push_back(
        {row, [=] { *work = *keys; }, [=] { call(*work); },
         [=] { return std::memcmp(work->data(), sorted->data(), row.useful_bytes) == 0; }});
  }

 private:
  std::vector<job>& jobs_;
  std::shared_ptr<const std::vector<T>> keys_;
  std::shared_ptr<std::vector<T>> sorted_;
};

}  // namespace warpfold::bench
