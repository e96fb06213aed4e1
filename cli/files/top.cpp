// warpfold top K FILE: the largest values of a file of numbers, and where they are.
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "cli/files/frame.hpp"
#include "cli/parse.hpp"
#include "data/file.hpp"
#include "files/first.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {
namespace {

struct top_options : file_options {
  std::size_t k = 0;
  std::string indices_output;
  bool smallest = false, indices = false;
};

std::size_t parse_k(std::string_view option, std::string_view text) {
  try {
    return parse_size(option, text);
  } catch (const usage_error&) {
    throw usage_error(
        fmt::format("{}: is not a number of values; it comes first, as in "
                    "'warpfold top 10 FILE'",
                    data::in_quotes(text)));
  }
}

void check_options(const top_options& o) {
  if (o.indices && !o.output.empty() && o.indices_output.empty()) {
    throw usage_error("--indices: with --output nothing is printed; give --indices-out");
  }
}

/// f(value, index)
template <class F>
void for_each_of(const files::first_values& first, value_type type, const F& f) {
  visit_type(type, [&]<class T>(std::type_identity<T>) {
    const std::span values(reinterpret_cast<const T*>(first.values.data()), first.indices.size());
    for (std::size_t i = 0; i < values.size(); ++i) f(values[i], first.indices[i]);
  });
}

/// For people, unless standard output is for something else.
void print(const top_options& o, const files::first_values& first, value_type type) {
  if (!o.output.empty() || data::is_standard_output(o.json) ||
      data::is_standard_output(o.indices_output)) {
    return;
  }
  for_each_of(first, type, [&](auto value, std::uint64_t index) {
    fmt::print("{}", files::text_of(files::as_number(value)));
    if (o.indices) fmt::print(" {}", index);
    fmt::print("\n");
  });
  flush_text();
}

void write_json(const top_options& o, const files::first_values& first, const file_run& run,
                const data::number_input& in, data::output& to) {
  auto report = run.about(in);
  report["order"] = o.smallest ? "ascending" : "descending";
  if (!o.output.empty()) report["output"] = o.output;
  if (!o.indices_output.empty()) report["indices_output"] = o.indices_output;
  report["count"] = first.indices.size();
  std::vector<json_output::array> arrays;
  if (o.output.empty()) {
    arrays.push_back({"result", [&](const auto& write_value) {
                        for_each_of(first, in.type(), [&](auto value, std::uint64_t) {
                          write_value(json_of(files::as_number(value)));
                        });
                      }});
  }
  if (o.indices && o.indices_output.empty()) {
    arrays.push_back({"indices", [&](const auto& write_value) {
                        for (const std::uint64_t i : first.indices) write_value(i);
                      }});
  }
  json_output(to).write(run.with_stages(std::move(report)), arrays);
}

int top(const top_options& o, file_run& run) {
  check_options(o);
  run.require_host();
  data::number_input in(o.files, o.type);
  in.begin(run.limits().stop);
  outputs all(o.force, run.limits());
  all.spare(in);
  std::optional<array_output> out, indices_out;
  if (!o.output.empty()) out.emplace(all, "--output", o.output, o.format);
  if (!o.indices_output.empty()) {
    indices_out.emplace(all, "--indices-out", o.indices_output, o.format);
  }
  data::output* const json = o.json.empty() ? nullptr : &all.open("--json", o.json);
  const auto first = files::first_all(in, o.k, o.smallest, run.limits());
  if (out) out->write_all(in.type(), first.values);
  if (indices_out) indices_out->write_all(value_type::u64, std::as_bytes(std::span(first.indices)));
  if (json != nullptr) write_json(o, first, run, in, *json);
  print(o, first, in.type());
  all.commit();
  return 0;
}

}  // namespace

void describe(options& to) {
  const auto o = std::make_shared<top_options>();
  to.value("k", o->k, parse_k, "How many values", {.required = true});
  to.values("file", o->files,
            "An .npy or raw file, or several in order; or a stream; - is standard input",
            {.required = true});
  to.flag("--smallest", o->smallest, "The smallest values, the smallest one first");
  to.flag("--indices", o->indices, "Print the index of each value behind it");
  to.value("--indices-out", o->indices_output, "The file to write indices to, of u64");
  add_file_options(to, *o, "The file to write values to; - for standard output");
  to.then([o] { return run_on_files(*o, {}, [&](file_run& run) { return top(*o, run); }); });
}

}  // namespace warpfold::cli
