// warpfold sort FILE -o FILE: sorts a file of numbers, and another one along with it.
#include "files/sort.hpp"

#include <filesystem>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "cli/files/frame.hpp"
#include "cli/parse.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {
namespace {

struct sort_options : file_options {
  std::string values, values_output, tmp;
  std::optional<value_type> values_type;
  bool descending = false;
};

std::filesystem::path scratch_folder(const sort_options& o, const data::output_file& output) {
  const std::filesystem::path folder = o.tmp.empty() ? output.place().folder_path() : o.tmp.c_str();
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
  file_run run(o);
  data::number_input keys(o.file, o.type);
  column_file keys_out(o.output, "--output", keys, keys.type(), o.force);
  std::optional<data::number_input> values;
  std::optional<column_file> values_out;
  if (!o.values.empty()) {
    values.emplace(o.values, o.values_type);
    if (values->is_same_file(o.output) || keys.is_same_file(o.values_output)) {
      throw usage_error("--output and --values-out must not be --values or the keys' file");
    }
    values_out.emplace(o.values_output, "--values-out", *values, values->type(), o.force);
    if (values_out->file().place().is_same(keys_out.file().place())) {
      throw usage_error("--output and --values-out are the same file; choose two names");
    }
  }
  files::sort_request request{.keys = keys,
                              .items = values ? &*values : nullptr,
                              .descending = o.descending,
                              .keys_out = {&keys_out.file(), keys_out.begin()},
                              .items_out = {},
                              .scratch_folder = scratch_folder(o, keys_out.file())};
  if (values_out) request.items_out = {&values_out->file(), values_out->begin()};
  files::check_sort(request);
  const std::uint64_t count = *keys.bytes() / size_of(keys.type());
  keys_out.reserve(count);
  if (values_out) values_out->reserve(count);
  // Bytes are sorted on the host in any case.
  if (size_of(keys.type()) > 1 && (!values || size_of(values->type()) > 1)) {
    run.choose_backend(values ? files::task::sort_pairs : files::task::sort,
                       *keys.bytes() + (values ? *values->bytes() : 0));
  }
  files::sort_all(request, run.limits());
  keys_out.write_header(count);
  if (values_out) {
    values_out->write_header(count);
    data::output_file::commit({&values_out->file(), &keys_out.file()});
  } else {
    keys_out.file().commit();
  }
  if (o.json) {
    auto report = run.about(keys);
    report["output"] = o.output;
    report["count"] = count;
    run.print(std::move(report));
  }
  return 0;
}

}  // namespace

void describe(options& to) {
  const auto o = std::make_shared<sort_options>();
  to.value("file", o->file, "The keys: an .npy or raw file", {.required = true});
  to.flag("--descending", o->descending, "Greatest first");
  to.value("--values", o->values, "A file with a value for each key, to move along with it");
  to.value("--values-type", o->values_type, parse_type, "Element type of raw values");
  to.value("--values-out", o->values_output, "Where the values go");
  to.value("--tmp", o->tmp, "The folder for sorted runs; without it, the output's");
  add_file_options(to, *o, true);
  to.then([o] { return sort(*o); });
}

}  // namespace warpfold::cli
