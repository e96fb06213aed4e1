// Every rung of the ladders for many sizes, blocks and types in one run: on a device their times,
// on the CPU machine what their predictions are made of. A document of measurements, as the
// ladders' own commands write with --json.
//
// `cuda` times what the host launches meanwhile, `queued` what waits in the stream before.
//
//   warpfold_validate_ladder queued reduce,scan i32,f64 16,18,20 128,256 15 > times.json
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "ladder/machines/machine.hpp"
#include "ladder/run/reduce_driver.hpp"
#include "ladder/run/scan_driver.hpp"
#include "ladder/run/sort_driver.hpp"
#include "measure/json.hpp"
#include "warpfold/error.hpp"

namespace {

using namespace warpfold;
using measure::backend_kind;

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const auto end = std::min(text.find(','), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

unsigned number(const std::string& text) {
  unsigned value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || *end != '\0') throw usage_error(text + " is no number");
  return value;
}

value_type type_named(const std::string& name) {
  for (const value_type t : {value_type::i32, value_type::u32, value_type::f64}) {
    if (name_of(t) == name) return t;
  }
  throw usage_error(name + ": there are i32, u32 and f64");
}

/// The same on every machine, without the generators of a standard library.
std::vector<std::byte> values_of(value_type type, std::size_t n, bool keys) {
  std::vector<std::byte> bytes(n * size_of(type));
  std::uint64_t state = 1;
  for (std::size_t i = 0; i < n; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const auto bits = static_cast<std::uint32_t>(state >> 32);
    const std::uint32_t word = keys ? bits : bits & 0xff;
    const double real = bits * 0x1p-32;
    std::memcpy(bytes.data() + i * size_of(type),
                type == value_type::f64 ? static_cast<const void*>(&real) : &word, size_of(type));
  }
  return bytes;
}

std::vector<measure::measurement> run(const std::string& ladder, const ladder::host_values& values,
                                      unsigned block, unsigned samples, ladder::machine& where) {
  const backend_kind b = where.backend();
  if (ladder == "reduce") {
    return run_reduce_ladder({.values = values, .block = block, .samples = samples}, where,
                             ladder::reduce_rungs(b));
  }
  if (ladder == "scan") {
    return run_scan_ladder({.values = values, .block = block, .samples = samples}, where,
                           ladder::scan_rungs(b));
  }
  return run_sort_ladder({.keys = values, .block = block, .samples = samples}, where,
                         ladder::sort_rungs(b));
}

int validate(const std::vector<std::string>& w) {
  const auto where = w.at(0) == "simt" ? ladder::make_simt_machine()
                                       : ladder::make_cuda_machine(w.at(0) == "queued");
  const unsigned samples = number(w.at(5));
  std::vector<measure::measurement> all;
  for (const auto& ladder : words_of(w.at(1))) {
    for (const auto& type : words_of(w.at(2))) {
      for (const auto& size : words_of(w.at(3))) {
        const std::size_t n = std::size_t{1} << number(size);
        const auto values = values_of(type_named(type), n, ladder == "sort");
        for (const auto& block : words_of(w.at(4))) {
          auto rows =
              run(ladder, {type_named(type), values.data(), n}, number(block), samples, *where);
          std::fprintf(stderr, "%s %s 2^%s block %s\n", ladder.c_str(), type.c_str(), size.c_str(),
                       block.c_str());
          for (auto& row : rows) {
            if (row.backend == where->backend()) all.push_back(std::move(row));
          }
        }
      }
    }
  }
  std::string command = "warpfold_validate_ladder";
  for (const auto& word : w) command += " " + word;
  const std::string text = measure::json_document(all, {.device = where->name(),
                                                        .driver = where->driver(),
                                                        .toolkit = where->toolkit(),
                                                        .commit = "",
                                                        .command = command});
  std::fwrite(text.data(), 1, text.size(), stdout);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (words.size() != 6) {
      throw usage_error(
          "usage: warpfold_validate_ladder cuda|queued|simt LADDERS TYPES LOG2_SIZES BLOCKS "
          "SAMPLES");
    }
    return validate(words);
  } catch (const usage_error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 3;
  }
}
