// Rung 12, a tree in shared memory, made ready to be launched on the CPU machine.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>

#include "ladder/machines/machine.hpp"

namespace warpfold::bench {

class rung_12 {
 public:
  rung_12(std::size_t n, unsigned block)
      : shape_{.n = n, .block = block, .processors = machine_->processors(), .value_bytes = 4} {
    machine_->fill(in_.get(), 1, in_.bytes());
  }

  void launch() {
    rung_.launch({.type = value_type::i32,
                  .op = ladder::operation::sum,
                  .shape = shape_,
                  .in = in_.get(),
                  .out = out_.get(),
                  .scratch = nullptr,
                  .stream = nullptr});
    const auto* const sums = static_cast<const std::uint32_t*>(out_.get());
    if (sums[0] != shape_.block * 0x01010101U) std::abort();
  }

 private:
  std::unique_ptr<ladder::machine> machine_ = ladder::make_simt_machine();
  const ladder::rung& rung_ = *machine_->reduce_rungs()[11];
  ladder::shape shape_;
  ladder::device_memory in_{*machine_, shape_.n * 4};
  ladder::device_memory out_{*machine_, rung_.partials(shape_) * 4};
};

}  // namespace warpfold::bench
