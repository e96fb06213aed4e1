// warpfold reduce FILE: a file or stream of numbers to one, or to one for each row or column.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "cli/files/frame.hpp"
#include "data/array.hpp"
#include "data/file.hpp"
#include "data/npy_header.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {
namespace {

struct reduce_options : file_options {
  files::reduction op = files::reduction::sum;
  std::optional<unsigned> axis;
  std::string accumulator;
};

unsigned parse_axis(std::string_view option, std::string_view text) {
  if (text == "0") return 0;
  if (text == "1") return 1;
  throw usage_error(fmt::format("{} {}: there are 0 and 1", option, text));
}

/// JSON has no word for NaN and infinities: they are strings.
nlohmann::ordered_json json_of(const files::number& value) {
  return std::visit(
      [&](auto v) -> nlohmann::ordered_json {
        if (!std::isfinite(static_cast<double>(v))) return files::text_of(value);
        return v;
      },
      value);
}

std::vector<std::uint8_t> accumulator_in(const std::string& path) {
  if (!std::filesystem::exists(path)) return {};
  const data::input_file file(path);
  // One byte more than any accumulator has is enough to refuse what is none.
  constexpr std::size_t more_than_any = 4096;
  std::vector<std::uint8_t> bytes(std::min(file.size(), more_than_any));
  file.read(0, std::as_writable_bytes(std::span(bytes)));
  if (bytes.empty()) {
    throw data_error(file.name() + ": is empty, no sum that --accumulator wrote; remove it");
  }
  return bytes;
}

int reduce_to_number(const reduce_options& o, data::number_input& in, const file_run& run) {
  if (!o.accumulator.empty() && o.op != files::reduction::exact_sum) {
    throw usage_error("--accumulator: only --op exact-sum has one");
  }
  if (!o.output.empty()) throw usage_error("--output: without --axis the result is printed");
  std::vector<std::uint8_t> accumulator;
  if (!o.accumulator.empty()) accumulator = accumulator_in(o.accumulator);
  const auto result =
      files::reduce_all(in, o.op, run.limits(), o.accumulator.empty() ? nullptr : &accumulator);
  if (!o.accumulator.empty()) {
    data::replace_file(o.accumulator, {std::as_bytes(std::span(accumulator))});
  }
  if (o.json) {
    auto report = run.about(in);
    report["op"] = name_of(o.op);
    for (const auto& [name, value] : result) report["result"][name] = json_of(value);
    run.print(std::move(report));
  } else if (result.size() == 1) {
    fmt::print("{}\n", files::text_of(result[0].second));
  } else {
    for (const auto& [name, value] : result) fmt::print("{} {}\n", name, files::text_of(value));
  }
  return 0;
}

int reduce_to_axis(const reduce_options& o, data::number_input& in, const file_run& run) {
  if (run.limits().on_device && o.backend == file_backend::cuda) {
    throw usage_error("--axis: runs on the host; leave out --backend cuda");
  }
  std::unique_ptr<data::output_file> out;
  if (!o.output.empty()) {
    if (in.is_same_file(o.output)) throw usage_error("--output: is the input; choose another name");
    out = std::make_unique<data::output_file>(
        o.output, o.force ? data::output_file::over::anything : data::output_file::over::nothing);
  }
  const auto result = files::reduce_axis(in, o.op, static_cast<int>(*o.axis), run.limits());
  const std::size_t count = result.bytes.size() / size_of(result.type);
  if (out) {
    std::string header;
    if (o.output.ends_with(".npy")) {
      header = data::make_npy_header(result.type, std::span(&count, 1));
    }
    out->write(0, std::as_bytes(std::span(header)));
    out->write(header.size(), result.bytes);
    out->commit();
  }
  auto report = run.about(in);
  visit_type(result.type, [&]<class T>(std::type_identity<T>) {
    const data::array all{result.type, {count}, result.bytes};
    for (const T value : all.template as<T>()) {
      if (o.json && !out) report["result"].push_back(json_of(files::as_number(value)));
      if (!o.json && !out) fmt::print("{}\n", value);
    }
  });
  if (o.json) {
    report["op"] = name_of(o.op);
    report["axis"] = std::to_string(*o.axis);
    if (out) report["output"] = o.output;
    run.print(std::move(report));
  }
  return 0;
}

int reduce(const reduce_options& o) {
  const file_run run(o);
  data::number_input in(o.file, o.type);
  return o.axis ? reduce_to_axis(o, in, run) : reduce_to_number(o, in, run);
}

}  // namespace

void describe(options& to) {
  const auto o = std::make_shared<reduce_options>();
  to.value("file", o->file, "An .npy or raw file, or a stream; - is standard input",
           {.required = true});
  std::string ops;
  for (const auto& r : files::reductions) {
    ops += fmt::format("\n  {:<11} {}", r.name, r.what);
  }
  to.value("--op", o->op, parse_reduction, "The operation:" + ops, {.shown = "sum"});
  to.value("--axis", o->axis, parse_axis,
           "Of a 2-D .npy file: 0 for a result a column, 1 for one a row");
  to.value("--accumulator", o->accumulator,
           "With exact-sum: add the unrounded sum to the one in this file, if there is one, "
           "and put it there");
  add_file_options(to, *o, true);
  to.then([o] { return reduce(*o); });
}

}  // namespace warpfold::cli
