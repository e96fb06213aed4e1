// The machines a ladder test runs on: the CPU machine always, a GPU where there is one.
#pragma once

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "ladder/kind.hpp"
#include "ladder/machines/machine.hpp"

namespace warpfold::ladder {

class on_machine : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (GetParam() == std::string("simt")) {
      machine_ = make_simt_machine();
    } else if (has_cuda_device()) {
      machine_ = make_cuda_machine();
    } else {
      GTEST_SKIP() << "no CUDA device answers, or this build is without CUDA";
    }
  }
  machine& where() { return *machine_; }
  [[nodiscard]] bool runs(const rung& r) const {
    return machine_->capability() >= r.about.capability;
  }

 private:
  std::unique_ptr<machine> machine_;
};

inline std::string kind_name(const testing::TestParamInfo<ladder_kind>& info) {
  return std::string(name_of(info.param));
}

inline std::string machine_name(const testing::TestParamInfo<const char*>& info) {
  return info.param;
}

#define WARPFOLD_ON_EVERY_MACHINE(suite) \
  INSTANTIATE_TEST_SUITE_P(machines, suite, testing::Values("simt", "cuda"), machine_name)

}  // namespace warpfold::ladder
