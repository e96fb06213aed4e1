// warpfold reduce FILE: a file or stream of numbers to one, or to one for each row or column.
#include <cstdio>
#include <memory>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "cli/files/frame.hpp"
#include "cli/parse.hpp"
#include "files/accumulator_file.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {
namespace {

struct reduce_options : file_options {
  files::reduction op = files::reduction::sum;
  std::optional<unsigned> axis;
  std::optional<value_type> out_type;
  std::string accumulator;
};

unsigned parse_axis(std::string_view option, std::string_view text) {
  if (text == "0") return 0;
  if (text == "1") return 1;
  throw usage_error(fmt::format("{} {}: must be 0 or 1", option, text));
}

bool is_exact(files::reduction op) {
  return op == files::reduction::exact_sum || op == files::reduction::exact_mean;
}

/// Whether exact sums and means of `in` are rounded to f64; throws usage_error where --out-type
/// asks for what they are not rounded to.
bool is_as_f64(const reduce_options& o, value_type in) {
  if (!o.out_type) return false;
  if (!is_exact(o.op)) {
    throw usage_error("--out-type: applies only to --op exact-sum and exact-mean; leave it out");
  }
  if (*o.out_type != in && (in != value_type::f32 || *o.out_type != value_type::f64)) {
    throw usage_error(fmt::format("--out-type {}: --op {} of {} is rounded to {}",
                                  name_of(*o.out_type), name_of(o.op), name_of(in),
                                  in == value_type::f32 ? "f32 or f64" : name_of(in)));
  }
  return *o.out_type == value_type::f64;
}

/// For people, unless standard output is for JSON.
void print(const reduce_options& o, const files::reduced& result) {
  if (data::is_standard_output(o.json)) return;
  if (result.size() == 1) {
    fmt::print("{}\n", files::text_of(result[0].second));
  } else {
    for (const auto& [name, value] : result) fmt::print("{} {}\n", name, files::text_of(value));
  }
  flush_text();
}

/// For what the first rank does while the others wait.
files::run_options alone(files::run_options limits) {
  limits.ranks = nullptr;
  return limits;
}

int reduce_to_number(const reduce_options& o, data::number_input& in, file_run& run) {
  if (!o.accumulator.empty() && o.op != files::reduction::exact_sum) {
    throw usage_error("--accumulator: applies only to --op exact-sum");
  }
  if (!o.output.empty()) throw usage_error("--output: without --axis the result is printed");
  files::exact_request exact{.as_f64 = is_as_f64(o, in.type())};
  if (!run.is_first()) {
    files::reduce_all(in, o.op, run.limits());
    return 0;
  }
  outputs all(o.force, alone(run.limits()));
  all.spare(in);
  data::output* const json = o.json.empty() ? nullptr : &all.open("--json", o.json);
  run.choose_backend(files::task_of(o.op), in);
  const auto tell = [&](const files::reduced& result) {
    if (json != nullptr) {
      auto report = run.about(in);
      report["op"] = name_of(o.op);
      if (is_exact(o.op)) report["output_type"] = name_of(o.out_type.value_or(in.type()));
      for (const auto& [name, value] : result) report["result"][name] = json_of(value);
      json_output(*json).write(run.with_stages(std::move(report)));
    }
    print(o, result);
    all.commit();
  };
  if (o.accumulator.empty()) {
    tell(files::reduce_all(in, o.op, run.limits(), exact));
    return 0;
  }
  if (data::is_standard_output(o.accumulator)) {
    throw usage_error("--accumulator: the file is read and replaced; give its path");
  }
  if (in.is_same_file(o.accumulator)) {
    throw usage_error("--accumulator: is the input; choose another name");
  }
  files::accumulator_file accumulator(o.accumulator, in.type(), exact.as_f64);
  std::vector<std::uint8_t> sum;
  exact.accumulator = &sum;
  files::reduce_all(in, o.op, run.limits(), exact);
  accumulator.add(std::move(sum), tell, run.limits().stop);
  return 0;
}

int reduce_to_axis(const reduce_options& o, data::number_input& in, const file_run& run) {
  if (run.limits().on_device && o.backend == file_backend::cuda) {
    throw usage_error("--axis: runs on the host; leave out --backend cuda");
  }
  if (o.out_type) throw usage_error("--out-type: results of --axis have one type; leave it out");
  if (o.files.size() > 1) {
    throw usage_error("--axis: takes one file; run the command once for each file");
  }
  if (!run.is_first()) return 0;
  const auto limits = alone(run.limits());
  outputs all(o.force, limits);
  all.spare(in);
  std::optional<array_output> out;
  if (!o.output.empty()) out.emplace(all, "--output", o.output, o.format);
  data::output* const json = o.json.empty() ? nullptr : &all.open("--json", o.json);
  const auto result = files::reduce_axis(in, o.op, *o.axis, limits);
  const std::size_t count = result.bytes.size() / size_of(result.type);
  if (out) out->write_all(result.type, result.bytes);
  const auto for_each_value = [&](const auto& f) {
    visit_type(result.type, [&]<class T>(std::type_identity<T>) {
      for (const T v : std::span(reinterpret_cast<const T*>(result.bytes.data()), count)) f(v);
    });
  };
  if (json != nullptr) {
    auto report = run.about(in);
    report["op"] = name_of(o.op);
    report["axis"] = std::to_string(*o.axis);
    if (out) report["output"] = o.output;
    report = run.with_stages(std::move(report));
    // Value by value: all of them as JSON would take many times the memory that they do.
    if (out)
      json_output(*json).write(report);
    else
      json_output(*json).write(
          report, {{"result", [&](const auto& write_value) {
                      for_each_value([&](auto v) { write_value(json_of(files::as_number(v))); });
                    }}});
  }
  if (!out && !data::is_standard_output(o.json)) {
    for_each_value([](auto v) { fmt::print("{}\n", v); });
  }
  all.commit();
  return 0;
}

int reduce(const reduce_options& o, file_run& run) {
  data::number_input in(o.files, o.type);
  run.share(in);
  in.begin(run.limits().stop);
  return o.axis ? reduce_to_axis(o, in, run) : reduce_to_number(o, in, run);
}

}  // namespace

void describe(options& to) {
  const auto o = std::make_shared<reduce_options>();
  to.values("file", o->files,
            "An .npy or raw file, or several in order; or a stream; - is standard "
            "input",
            {.required = true});
  std::string ops;
  for (const auto& r : files::reductions) {
    ops += fmt::format("\n  {:<11} {}", r.name, r.what);
  }
  to.value("--op", o->op, parse_reduction, "The operation:" + ops, {.shown = "sum"});
  to.value("--axis", o->axis, parse_axis,
           "Axis of a 2-D .npy file: 0 for one result per column, 1 for one per row");
  to.value(
      "--accumulator", o->accumulator,
      "With exact-sum: add the unrounded sum to the sum in this file, which is created if missing");
  to.value("--out-type", o->out_type, parse_type,
           "With exact-sum and exact-mean of f32: round to f32 or f64");
  add_determinism(to, *o);
  add_file_options(to, *o, "With --axis: the file to write; - for standard output");
  to.then([o] {
    return run_on_files(*o, {o->accumulator}, [&](file_run& run) { return reduce(*o, run); });
  });
}

}  // namespace warpfold::cli
