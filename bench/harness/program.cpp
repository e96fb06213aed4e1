#include "bench/harness/program.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "commit.hpp"  // generated at each build
#include "measure/facts.hpp"
#include "measure/peers.hpp"
#include "measure/table.hpp"
#include "warpfold/error.hpp"

namespace warpfold::bench {
namespace {

std::size_t number_in(std::string_view text, std::string_view what, std::size_t least) {
  std::size_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || end != text.data() + text.size() || value < least) {
    throw usage_error(fmt::format("{} {}: a whole number, {} at least", what, text, least));
  }
  return value;
}

}  // namespace

arguments::arguments(int argc, char** argv, std::string_view known, std::string_view usage)
    : command_(std::filesystem::path(argv[0]).filename()) {
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (!word.starts_with("--")) {
      words_.push_back(word);
      command_ += std::filesystem::is_directory(word) ? " FOLDER" : " " + word;
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(2, equals - 2);
    const bool wants_value = known.find(" " + name + "=") != std::string_view::npos;
    if (!wants_value && (std::string(known) + " ").find(" " + name + " ") == std::string::npos) {
      throw usage_error(fmt::format("{}: there is no such option\nusage: {}", word, usage));
    }
    if (wants_value && equals == std::string::npos) {
      if (++i == argc) throw usage_error(word + ": a value is missing behind it");
      word += "=" + std::string(argv[i]);
    }
    named_[name] = wants_value ? word.substr(name.size() + 3) : "";
    if (name != "json") command_ += " " + word;
  }
}

std::string arguments::text(std::string_view name) const {
  const auto found = named_.find(name);
  return found == named_.end() ? "" : found->second;
}
std::size_t arguments::number(std::string_view name, std::size_t otherwise,
                              std::size_t least) const {
  return has(name) ? number_in(text(name), "--" + std::string(name), least) : otherwise;
}
std::size_t arguments::word(std::size_t which, std::size_t otherwise, std::size_t least) const {
  return which < words_.size() ? number_in(words_[which], "the number", least) : otherwise;
}

unsigned session::samples(unsigned otherwise) const {
  const unsigned fewer = args.has("quick") ? std::max(1U, otherwise / 10) : otherwise;
  return static_cast<unsigned>(args.number("samples", fewer));
}

void session::add(measurements rows) {
  for (auto& row : rows) {
    fmt::print(stderr, "{} {} {} {} {}: {} {}: {:.2f} µs, {:.1f} GB/s, {}\n", row.ladder, row.op,
               row.form, row.n, row.type, row.name, row.call, row.timing->median(),
               row.gigabytes_per_second(),
               measure::is_right(row) ? "right" : "WRONG: " + row.verdict.result);
    rows_.push_back(std::move(row));
  }
}

namespace {

int run_program(int argc, char** argv) {
  const std::string usage =
      fmt::format("warpfold_bench_{}{}{} [--quick] [--samples=N] [--json=FILE]", program.name,
                  program.sweep == nullptr ? "" : " [--sweep]",
                  program.usage.empty() ? "" : " " + std::string(program.usage));
  const std::string known = " quick samples= json=" + std::string(program.options) +
                            (program.sweep == nullptr ? "" : " sweep");
  const arguments args(argc, argv, known, usage);
  session s(args);
  args.has("sweep") ? program.sweep(s) : program.run(s);
  auto info = program.about();
  info.commit = commit;
  info.command = args.command();
  for (auto& row : s.rows()) row.device = info.device;
  const std::string file = args.text("json");
  if (file.empty()) {
    const auto table = measure::table(args.command() + " · " + info.device,
                                      measure::case_columns(s.rows(), "warpfold"));
    std::fwrite(table.data(), 1, table.size(), stdout);
  } else {
    const std::string document = measure::json_document(s.rows(), info);
    if (file == "-") {
      std::fwrite(document.data(), 1, document.size(), stdout);
    } else if (!(std::ofstream(file, std::ios::binary) << document).flush()) {
      throw data_error(file + ": can't be written");
    }
  }
  return std::all_of(s.rows().begin(), s.rows().end(), measure::is_right) ? 0 : 1;
}

}  // namespace
}  // namespace warpfold::bench

int main(int argc, char** argv) {
  const auto failed = [&](int code, const char* what) {
    std::fprintf(stderr, "%s: %s\n", argv[0], what);
    return code;
  };
  try {
    return warpfold::bench::run_program(argc, argv);
  } catch (const warpfold::usage_error& e) {
    return failed(2, e.what());
  } catch (const warpfold::device_error& e) {
    return failed(3, e.what());
  } catch (const std::exception& e) {
    return failed(4, e.what());
  }
}
