// warpfold scan FILE -o FILE: the prefix sums of a file or stream of numbers.
#include "files/scan.hpp"

#include <memory>

#include <fmt/format.h>

#include "cli/files/file_frame.hpp"
#include "cli/parse.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {
namespace {

struct scan_options : file_options {
  std::string op = "sum", out_type;
  bool exclusive = false;
};

value_type out_type_of(const scan_options& o, value_type in, files::reduction op) {
  const auto possible = files::scan_types(in, op);
  if (o.out_type.empty()) return possible.front();
  const value_type wanted = parse_type(o.out_type);
  std::string names;
  for (const value_type t : possible) {
    if (t == wanted) return t;
    names += fmt::format("{}{}", names.empty() ? "" : " or ", name_of(t));
  }
  throw usage_error(
      fmt::format("--out-type {}: --op {} of {} writes {}", o.out_type, o.op, name_of(in), names));
}

int scan(const scan_options& o) {
  const files::reduction op = parse_reduction(o.op);
  const file_run run(o);
  data::number_input in(o.file, type_of(o));
  const value_type type = out_type_of(o, in.type(), op);
  column_file out(o.output, "--output", in, type, o.force);
  if (in.bytes()) out.reserve(*in.bytes() / size_of(in.type()));
  const auto count =
      files::scan_all(in, op, o.exclusive, type, out.file(), out.begin(), run.limits());
  out.commit(count);
  if (o.json) {
    auto report = run.about(in);
    report["op"] = o.op;
    report["output"] = o.output;
    report["output_type"] = name_of(type);
    report["count"] = count;
    run.print(std::move(report));
  }
  return 0;
}

}  // namespace

void add_scan(CLI::App& app, action& chosen) {
  auto o = std::make_shared<scan_options>();
  auto* const to = app.add_subcommand("scan", "Prefix sums of a file of numbers, of any size");
  to->add_option("file", o->file, "An .npy or raw file, or a stream; - is standard input")
      ->required();
  to->add_option("--op", o->op, "sum, product, min, max, and, or, xor")->capture_default_str();
  to->add_flag("--exclusive", o->exclusive, "Each prefix without its own element");
  to->add_option("--out-type", o->out_type,
                 "Sums and products of integers are written 64 bits wide, all else as it comes; "
                 "this says otherwise");
  add_file_options(*to, *o, true);
  to->callback([o, &chosen] { chosen = [o] { return scan(*o); }; });
}

}  // namespace warpfold::cli
