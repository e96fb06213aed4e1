// warpfold scan FILE -o FILE: the prefix sums of a file or stream of numbers.
#include "files/scan.hpp"

#include <memory>

#include <fmt/format.h>

#include "cli/files/frame.hpp"
#include "cli/parse.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {
namespace {

struct scan_options : file_options {
  files::reduction op = files::reduction::sum;
  std::optional<value_type> out_type;
  bool exclusive = false;
};

value_type out_type_of(const scan_options& o, value_type in) {
  const auto possible = files::scan_types(in, o.op);
  if (!o.out_type) return possible.front();
  std::string names;
  for (const value_type t : possible) {
    if (t == *o.out_type) return t;
    names += fmt::format("{}{}", names.empty() ? "" : " or ", name_of(t));
  }
  throw usage_error(fmt::format("--out-type {}: --op {} of {} writes {}", name_of(*o.out_type),
                                name_of(o.op), name_of(in), names));
}

int scan(const scan_options& o, file_run& run) {
  data::number_input in(o.files, o.type);
  run.share(in);
  in.begin(run.limits().stop);
  const value_type type = out_type_of(o, in.type());
  check_one_dimension(in);
  outputs all(o.force, run.limits());
  all.spare(in);
  array_output out(all, "--output", o.output, o.format, is_scalar(in));
  data::output* const json =
      o.json.empty() || !run.is_first() ? nullptr : &all.open("--json", o.json);
  run.choose_backend(files::task::scan, in);
  out.start(type, elements_of(in));
  const auto count =
      files::scan_all(in, o.op, o.exclusive, type, out.target(), out.begin(), run.limits());
  out.finish(count);
  if (json != nullptr) {
    auto report = run.about(in);
    report["op"] = name_of(o.op);
    report["output"] = o.output;
    report["output_type"] = name_of(type);
    report["count"] = count;
    json_output(*json).write(run.with_stages(std::move(report)));
  }
  all.commit();
  return 0;
}

}  // namespace

void describe(options& to) {
  const auto o = std::make_shared<scan_options>();
  to.values("file", o->files,
            "An .npy or raw file, or several in order; or a stream; - is standard "
            "input",
            {.required = true});
  to.value("--op", o->op, parse_reduction, "sum, product, min, max, and, or, xor",
           {.shown = "sum"});
  to.flag("--exclusive", o->exclusive, "Exclude each element from its own prefix");
  to.value("--out-type", o->out_type, parse_type,
           "Type of the output (default: 64 bits wide for sums and products of integers, else the "
           "input's)");
  add_determinism(to, *o);
  add_file_options(to, *o);
  to.then([o] { return run_on_files(*o, {}, [&](file_run& run) { return scan(*o, run); }); });
}

}  // namespace warpfold::cli
