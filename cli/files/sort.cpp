// warpfold sort FILE -o FILE: sorts a file of numbers, and another one along with it.
#include "files/sort.hpp"

#include <memory>
#include <optional>

#include <fmt/format.h>

#include "cli/files/frame.hpp"
#include "cli/parse.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {
namespace {

struct sort_options : file_options {
  std::vector<std::string> values;
  std::string values_output, tmp;
  std::optional<value_type> values_type;
  bool descending = false;
};

int sort(const sort_options& o, file_run& run) {
  if (o.values.empty() != o.values_output.empty()) {
    throw usage_error("--values and --values-out: give both or neither");
  }
  data::number_input keys(o.files, o.type);
  run.share(keys);
  std::optional<data::number_input> values;
  check_one_dimension(keys);
  outputs all(o.force, run.limits());
  all.spare(keys);
  if (!o.values.empty()) {
    values.emplace(o.values, o.values_type);
    run.share(*values);
    check_one_dimension(*values);
    all.spare(*values);
  }
  array_output keys_out(all, "--output", o.output, o.format, is_scalar(keys));
  std::optional<array_output> values_out;
  if (values) {
    values_out.emplace(all, "--values-out", o.values_output, o.format, is_scalar(*values));
  }
  data::output* const json =
      o.json.empty() || !run.is_first() ? nullptr : &all.open("--json", o.json);
  files::sort_request request{.keys = keys,
                              .items = values ? &*values : nullptr,
                              .descending = o.descending,
                              .keys_out = {},
                              .items_out = {},
                              .scratch_folder = scratch_folder(o.tmp, all, &keys_out.target())};
  files::check_sort(request);
  const std::uint64_t count = *elements_of(keys);
  keys_out.start(keys.type(), count);
  request.keys_out = {&keys_out.target(), keys_out.begin()};
  if (values_out) {
    values_out->start(values->type(), count);
    request.items_out = {&values_out->target(), values_out->begin()};
  }
  // Bytes are sorted on the host in any case.
  if (size_of(keys.type()) > 1 && (!values || size_of(values->type()) > 1)) {
    run.choose_backend(values ? files::task::sort_pairs : files::task::sort, keys,
                       values ? &*values : nullptr);
  }
  files::sort_all(request, run.limits());
  keys_out.finish(count);
  if (values_out) values_out->finish(count);
  if (json != nullptr) {
    auto report = run.about(keys);
    report["output"] = o.output;
    report["count"] = count;
    json_output(*json).write(run.with_stages(std::move(report)));
  }
  all.commit();
  return 0;
}

}  // namespace

void describe(options& to) {
  const auto o = std::make_shared<sort_options>();
  to.values("file", o->files, "The keys: an .npy or raw file, or several in order",
            {.required = true});
  to.flag("--descending", o->descending, "Sort the greatest key first");
  to.values("--values", o->values,
            "A file with one value for each key, moved with its key; may be repeated: files are "
            "read in order");
  to.value("--values-type", o->values_type, parse_type, "Element type of raw values");
  to.value("--values-out", o->values_output, "The output of the values");
  to.value("--tmp", o->tmp, "Folder for sorted runs (default: the output's)");
  add_file_options(to, *o);
  to.then([o] {
    const std::string scratch = o->tmp.empty() ? "" : o->tmp + "/.";
    return run_on_files(*o, {o->values_output, scratch},
                        [&](file_run& run) { return sort(*o, run); });
  });
}

}  // namespace warpfold::cli
