// Rung 12, a tree in shared memory, made ready to be launched on the CPU machine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "bench/harness/candidate.hpp"
#include "ladder/machines/machine.hpp"
#include "simt/launch.hpp"

namespace warpfold::bench {

class rung_12 {
 public:
  rung_12(std::size_t n, unsigned block)
      : shape_{.n = n, .block = block, .processors = machine_->processors(), .value_bytes = 4} {
    machine_->fill(in_.get(), 1, in_.bytes());
  }

  /// A launch with these observers, which must find nothing.
  [[nodiscard]] candidate observed(const std::string& name, const simt::run_options& options) {
    measure::measurement record{.ladder = "simt", .name = name, .n = shape_.n};
    record.reference = true;
    record.type = "i32", record.op = "sum", record.block = shape_.block;
    record.useful_bytes = shape_.n * 4;
    return {record,
            [this, options](std::size_t) {
              const simt::observe scope(options);
              launch();
              quiet_ = scope.findings.empty();
            },
            true,
            [this](std::size_t, std::size_t) {
              const auto* const sums = static_cast<const std::uint32_t*>(out_.get());
              return one_result(quiet_ && sums[0] == shape_.block * 0x01010101U,
                                quiet_ ? "a sum" : "a finding");
            }};
  }

 private:
  void launch() {
    rung_.launch({.type = value_type::i32,
                  .op = ladder::operation::sum,
                  .shape = shape_,
                  .in = in_.get(),
                  .out = out_.get(),
                  .scratch = nullptr,
                  .stream = nullptr});
  }

  std::unique_ptr<ladder::machine> machine_ = ladder::make_simt_machine();
  const ladder::rung& rung_ = *ladder::reduce_rungs(machine_->backend())[11];
  ladder::shape shape_;
  ladder::device_memory in_{*machine_, shape_.n * 4};
  ladder::device_memory out_{*machine_, rung_.partials(shape_) * 4};
  bool quiet_ = false;
};

}  // namespace warpfold::bench
