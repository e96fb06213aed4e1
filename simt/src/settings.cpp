#include "simt/src/settings.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

#include "simt/prediction.hpp"
#include "simt/src/run/device.hpp"

namespace simt::detail {

namespace {

[[noreturn]] void stop(const char* name, std::string_view value, const std::string& why) {
  std::fprintf(stderr, "simt: %s=%.*s: %s\n", name, static_cast<int>(value.size()), value.data(),
               why.c_str());
  std::_Exit(2);
}
[[noreturn]] void refuse(const char* name, std::string_view value, const std::string& expected) {
  stop(name, value, "expected " + expected);
}

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

template <class T>
T number_in(const char* name, T least, T most, T otherwise, const std::string& expected) {
  const std::string_view value = variable(name);
  if (value.empty()) return otherwise;
  T number{};
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  const bool whole = error == std::errc() && end == value.data() + value.size();
  if (!whole || !(number >= least && number <= most)) refuse(name, value, expected);
  return number;
}

bool flag_in(const char* name) { return number_in(name, 0, 1, 0, "1, or nothing") == 1; }

/// "65536", "64K", "1M".
std::size_t bytes_in(const char* name, std::size_t least, std::size_t most,
                     const std::string& expected) {
  const std::string_view value = variable(name);
  if (value.empty()) return 0;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  const std::string_view unit(end, static_cast<std::size_t>(value.data() + value.size() - end));
  const std::size_t times = unit == "K" ? 1024 : unit == "M" ? 1024 * 1024 : unit.empty() ? 1 : 0;
  const bool fits = error == std::errc() && times != 0 && number <= most / times;
  if (!fits || number * times < least) refuse(name, value, expected);
  return number * times;
}

std::string report_in(const char* name) {
  const std::string value(variable(name));
  const auto is = [&](const char* kind) { return value.ends_with(kind); };
  if (value.empty() || value == "-" || is(".json") || is(".html") || is(".sarif") || is(".txt")) {
    return value;
  }
  refuse(name, value, "a file that ends with .html, .json, .sarif or .txt, or - for text");
}

std::string device_in(const char* name) {
  std::string value(variable(name));
  if (value.empty()) return value;
  try {
    if (find_device_model(value).capability >= oldest_capability) return value;
  } catch (const device_file_error& e) {
    if (value.ends_with(".json")) stop(name, value, e.what());
  }
  std::string known;
  for (const std::string& device : device_names()) known += device + ", ";
  stop(name, value,
       "no such device; there are " + known +
           "or give a device file (.json) of compute capability 7.0 or newer");
}

register_table registers_in(const char* name) {
  const std::string value(variable(name));
  if (value.empty()) return {};
  std::string printed;
  std::error_code none;
  if (!std::filesystem::is_directory(value, none)) {
    std::ifstream file(value);
    printed.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  const register_table table(printed);
  if (table.empty()) {
    refuse(name, value,
           "a file with the output of nvcc --resource-usage or cuobjdump --dump-resource-usage");
  }
  return table;
}

unsigned levels_in(const char* name) {
  const std::string_view value = variable(name);
  if (value.empty() || value == "avx512") return 3;
  if (value == "avx2") return 2;
  if (value == "least") return 1;
  if (value == "older") return 0;
  refuse(name, value,
         "avx512, avx2, least (x86-64-v2) or older: the newest instruction set to use");
}

settings read() {
  settings s{
      .limit_seconds = number_in("SIMT_LIMIT", 1e-3, 1e9, 0.0, "seconds, from 0.001 to 1000000000"),
      .check = flag_in("SIMT_CHECK"),
      .notes = flag_in("SIMT_NOTES"),
      .leaks = flag_in("SIMT_LEAKS"),
      .stack_bytes = bytes_in("SIMT_STACK", 4096, std::size_t{63} << 20, "bytes, from 4K to 63M"),
      .watched = flag_in("SIMT_WATCHED"),
      .engines = flag_in("SIMT_ENGINES"),
      .levels = levels_in("SIMT_PROCESSOR"),
      .schedules = number_in("SIMT_SCHEDULES", 1U, 1000U, 1U, "a number from 1 to 1000"),
      .report = {.file = report_in("SIMT_REPORT"), .annotations = flag_in("SIMT_ANNOTATIONS")},
      .devices = number_in("SIMT_DEVICES", 1U, 64U, 1U, "a number from 1 to 64"),
      .device = device_in("SIMT_DEVICE"),
      .registers = registers_in("SIMT_REGISTERS"),
      .exit_code = {}};
  if (const int code = number_in("SIMT_EXIT_CODE", 1, 255, 0, "a number from 1 to 255");
      code != 0) {
    s.exit_code = code;
  }
  return s;
}

}  // namespace

const settings& the_settings() {
  static const settings s = read();
  return s;
}

}  // namespace simt::detail
