// Turns a rung of the streams ladder into its record.
#pragma once

#include <memory>
#include <type_traits>

#include "ladder/streams/rung.hpp"
#include "warpfold/platform.hpp"

namespace warpfold::ladder::streams_ladder {
inline namespace WARPFOLD_MACHINE {

template <class Rung>
class prepared_rung final : public prepared {
 public:
  explicit prepared_rung(const work& w)
      : work_(w), rung_([&] {
          if constexpr (std::is_constructible_v<Rung, const work&>) {
            return std::make_unique<Rung>(w);
          } else {
            return std::make_unique<Rung>();
          }
        }()) {}
  unsigned run() override { return rung_->run(work_); }

 private:
  work work_;
  std::unique_ptr<Rung> rung_;
};

template <class Rung>
std::unique_ptr<prepared> prepare_rung(const work& w) {
  return std::make_unique<prepared_rung<Rung>>(w);
}

template <class Rung>
concept reads_pageable_memory = requires { Rung::pageable_memory; };

template <class Rung, instances>
constexpr rung make_rung() {
  return {
      .about = Rung::about, .pageable = reads_pageable_memory<Rung>, .prepare = prepare_rung<Rung>};
}

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::streams_ladder
