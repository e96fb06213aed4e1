// warpfold sort FILE -o FILE: sorts a file of numbers, and another one along with it.
#include "files/sort.hpp"

#include <filesystem>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "cli/files/file_frame.hpp"
#include "cli/parse.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {
namespace {

struct sort_options : file_options {
  std::string values, values_type, values_output, tmp;
  bool descending = false;
};

std::filesystem::path scratch_folder(const sort_options& o) {
  const auto beside = std::filesystem::absolute(o.output).parent_path();
  const std::filesystem::path folder = o.tmp.empty() ? beside : std::filesystem::path(o.tmp);
  if (!std::filesystem::is_directory(folder)) {
    throw data_error(
        fmt::format("--tmp '{}': is no folder; make it, or choose another one", folder.string()));
  }
  return folder;
}

int sort(const sort_options& o) {
  if (o.values.empty() != o.values_output.empty()) {
    throw usage_error("--values and --values-out: give both or neither");
  }
  const file_run run(o);
  data::number_input keys(o.file, type_of(o));
  column_file keys_out(o.output, "--output", keys, keys.type(), o.force);
  std::optional<data::number_input> values;
  std::optional<column_file> values_out;
  if (!o.values.empty()) {
    std::optional<value_type> type;
    if (!o.values_type.empty()) type = parse_type(o.values_type);
    values.emplace(o.values, type);
    if (values->is_same_file(o.output) || keys.is_same_file(o.values_output)) {
      throw usage_error("--output and --values-out must not be --values or the keys' file");
    }
    if (std::filesystem::absolute(o.output) == std::filesystem::absolute(o.values_output)) {
      throw usage_error("--output and --values-out are the same file; choose two names");
    }
    values_out.emplace(o.values_output, "--values-out", *values, values->type(), o.force);
  }
  files::sort_request request{.keys = keys,
                              .items = values ? &*values : nullptr,
                              .descending = o.descending,
                              .keys_out = {&keys_out.file(), keys_out.begin()},
                              .items_out = {},
                              .scratch_folder = scratch_folder(o)};
  if (values_out) request.items_out = {&values_out->file(), values_out->begin()};
  files::check_sort(request);
  const std::uint64_t count = *keys.bytes() / size_of(keys.type());
  keys_out.reserve(count);
  if (values_out) values_out->reserve(count);
  files::sort_all(request, run.limits());
  if (values_out) values_out->commit(count);
  keys_out.commit(count);
  if (o.json) {
    auto report = run.about(keys);
    report["output"] = o.output;
    report["count"] = count;
    run.print(std::move(report));
  }
  return 0;
}

}  // namespace

void add_sort(CLI::App& app, action& chosen) {
  auto o = std::make_shared<sort_options>();
  auto* const to = app.add_subcommand("sort", "Sort a file of numbers, of any size");
  to->add_option("file", o->file, "The keys: an .npy or raw file")->required();
  to->add_flag("--descending", o->descending, "Greatest first");
  to->add_option("--values", o->values, "A file with a value for each key, to move along with it");
  to->add_option("--values-type", o->values_type, "Element type of raw values");
  to->add_option("--values-out", o->values_output, "Where the values go");
  to->add_option("--tmp", o->tmp, "The folder for sorted runs; without it, the output's");
  add_file_options(*to, *o, true);
  to->callback([o, &chosen] { chosen = [o] { return sort(*o); }; });
}

}  // namespace warpfold::cli
