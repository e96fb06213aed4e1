// warpfold devices: whose times the CPU machine predicts, and what is known of each.
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "simt/prediction.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {

namespace {

std::string line_of(const simt::device_model& d) {
  return fmt::format("{:<9} {:<26} {:>4.0f} multiprocessors {:>6.0f} GB/s {:>5.1f} MiB  {}\n",
                     d.name, d.product, d.processors, d.memory_gbs, d.l2_mib,
                     d.measured_by.empty() ? "published limits only" : "measured there");
}

std::string page_of(const simt::device_model& d) {
  std::string text = line_of(d) + "\nlimits:    " + d.source + "\nconstants: ";
  text += d.measured_by.empty() ? "derived from the limits; not measured" : d.measured_by;
  text += "\n\nmean error of predictions, by the kernel's limiter:\n";
  for (std::size_t i = 0; i < simt::limiter_names.size(); ++i) {
    text += fmt::format("  {:<18} {}\n", simt::limiter_names[i],
                        std::isnan(d.error_pct[i]) ? std::string("not known")
                                                   : fmt::format("{:.0f} %", d.error_pct[i]));
  }
  return text;
}

int show(const std::string& name) {
  try {
    std::string text;
    if (!name.empty()) {
      text = page_of(simt::find_device_model(name));
    } else {
      for (const auto& known : simt::device_model_names()) {
        text += line_of(simt::find_device_model(known));
      }
    }
    std::fwrite(text.data(), 1, text.size(), stdout);
    return 0;
  } catch (const simt::device_file_error& e) {
    throw usage_error(e.what());
  }
}

}  // namespace

void describe(options& to) {
  const auto name = std::make_shared<std::string>();
  to.value("DEVICE", *name, "A device, or a device file (.json); without it, all devices");
  to.then([name] { return show(*name); });
}

}  // namespace warpfold::cli
