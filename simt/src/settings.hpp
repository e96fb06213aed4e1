// What the environment asks of a program that launches kernels.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "simt/registers.hpp"

namespace simt::detail {

/// Where findings and counters go at the program's end.
struct report_settings {
  std::string file;          // SIMT_REPORT: or - for text on stderr
  bool annotations = false;  // SIMT_ANNOTATIONS=1
};

struct settings {
  double limit_seconds = 0;     // SIMT_LIMIT: of each launch; 0: none
  bool check = false;           // SIMT_CHECK=1
  bool notes = false;           // SIMT_NOTES=1
  bool leaks = false;           // SIMT_LEAKS=1: memory of the device that is not freed at the end
  std::size_t stack_bytes = 0;  // SIMT_STACK: of each thread; 0: as ever
  bool watched = false;         // SIMT_WATCHED=1: no kernel runs without callbacks
  bool engines = false;         // SIMT_ENGINES=1: which engine runs each kernel, and why
  unsigned levels = ~0U;        // SIMT_PROCESSOR: of processors, as simt/pass/levels.hpp has them
  unsigned schedules = 1;       // SIMT_SCHEDULES: orders that each launch is run in
  report_settings report;
  unsigned devices = 1;          // SIMT_DEVICES
  std::string device;            // SIMT_DEVICE
  register_table registers;      // SIMT_REGISTERS: a file of what the device compiler prints
  std::optional<int> exit_code;  // SIMT_EXIT_CODE: where the program would end with 0

  /// The name of the device that the machine models: reports predict its times.
  [[nodiscard]] std::string modelled_device() const { return device.empty() ? "h100" : device; }
};

/// Ends the program with one line where a variable makes no sense.
const settings& the_settings();

}  // namespace simt::detail
