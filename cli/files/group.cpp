// warpfold group --by KEYS --sum VALUES: aggregates of the values of each key.
#include "files/group.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "cli/files/frame.hpp"
#include "cli/parse.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {
namespace {

constexpr std::size_t aggregate_count = std::size(files::aggregates);

struct group_options : file_options {
  bool count = false, exact = false;
  std::array<std::vector<std::string>, aggregate_count> values;  // of each; of the count none
  std::array<std::string, aggregate_count> outputs;
  std::optional<value_type> values_type;
  std::string tmp;

  [[nodiscard]] bool wants(files::aggregate a) const {
    return a == files::aggregate::count ? count : !values[static_cast<std::size_t>(a)].empty();
  }
};

/// What is wanted, in the order of the columns.
std::vector<files::aggregate> wanted_by(const group_options& o) {
  std::vector<files::aggregate> wanted;
  for (const auto& [what, name] : files::aggregates) {
    const std::string& output = o.outputs[static_cast<std::size_t>(what)];
    if (o.wants(what)) {
      wanted.push_back(what);
      if (output.empty() && !o.output.empty()) {
        throw usage_error(
            fmt::format("--{0}: --output writes the keys alone; give --{0}-out", name));
      }
    } else if (!output.empty()) {
      throw usage_error(fmt::format("--{0}-out: there is no --{0}", name));
    }
  }
  if (wanted.empty())
    throw usage_error("no aggregate is asked for; give --count, --sum, --min, --max or --mean");
  const auto is_sum = [](files::aggregate a) {
    return a == files::aggregate::sum || a == files::aggregate::mean;
  };
  if (o.exact && std::none_of(wanted.begin(), wanted.end(), is_sum)) {
    throw usage_error("--exact: is for --sum and --mean; leave it out");
  }
  return wanted;
}

/// The files of values, the same for all aggregates.
std::vector<std::string> values_of(const group_options& o) {
  std::vector<std::string> files;
  for (const auto& each : o.values) {
    if (!each.empty() && !files.empty() && each != files) {
      throw usage_error(
          fmt::format("{} and {}: one run takes the values of one file; run again "
                      "for others",
                      data::in_quotes(files.front()), data::in_quotes(each.front())));
    }
    if (!each.empty()) files = each;
  }
  return files;
}

/// Where the columns go: the keys, then what is wanted.
class group_outputs {
 public:
  group_outputs(const group_options& o, std::span<const files::aggregate> wanted, outputs& all) {
    open(all, "--output", o.output, o.format);
    for (const files::aggregate a : wanted) {
      const auto place = static_cast<std::size_t>(a);
      open(all, out_options[place], o.outputs[place], o.format);
    }
    if (o.output.empty() && !data::is_standard_output(o.json)) {
      text_.emplace(all.open("the groups", "-"));
    }
  }
  void start(std::span<const value_type> types) {
    for (std::size_t c = 0; c < types.size(); ++c) {
      if (columns_[c]) columns_[c]->start(types[c], std::nullopt);
    }
  }
  void take(std::span<const files::group_column> columns) {
    const std::size_t rows = columns[0].bytes.size() / size_of(columns[0].type);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      auto& out = columns_[c];
      if (out) {
        out->target().write(out->begin() + groups_ * size_of(columns[c].type), columns[c].bytes);
      }
    }
    groups_ += rows;
    for (std::size_t row = 0; text_ && row < rows; ++row) {
      for (const auto& column : columns) {
        if (&column != columns.data()) text_->put(" ");
        text_->put(cell(column, row));
      }
      text_->put("\n");
    }
  }
  void finish() {
    for (auto& out : columns_) {
      if (out) out->finish(groups_);
    }
    if (text_) text_->flush();
  }
  [[nodiscard]] std::uint64_t groups() const { return groups_; }
  [[nodiscard]] const data::output* keys() {
    return columns_[0] ? &columns_[0]->target() : nullptr;
  }

 private:
  static constexpr const char* out_options[] = {"--count-out", "--sum-out", "--min-out",
                                                "--max-out", "--mean-out"};
  static_assert(std::size(out_options) == aggregate_count);

  void open(outputs& all, const char* option, const std::string& path, file_format format) {
    auto& column = columns_.emplace_back();
    if (!path.empty()) column.emplace(all, option, path, format);
  }
  static std::string cell(const files::group_column& column, std::size_t row) {
    return visit_type(column.type, [&]<class T>(std::type_identity<T>) {
      T value;
      std::memcpy(&value, column.bytes.data() + row * sizeof value, sizeof value);
      return files::text_of(files::as_number(value));
    });
  }

  std::deque<std::optional<array_output>> columns_;
  std::optional<text_output> text_;
  std::uint64_t groups_ = 0;
};

void write_json(const group_options& o, std::span<const files::aggregate> wanted,
                const file_run& run, const files::group_request& request, std::uint64_t groups,
                data::output& to) {
  auto report = run.about(request.keys);
  if (request.values != nullptr) report["values"] = request.values->paths().front();
  report["exact"] = o.exact;
  for (const files::aggregate a : wanted) {
    const auto place = static_cast<std::size_t>(a);
    report["aggregates"].push_back(files::aggregates[place].name);
    if (!o.outputs[place].empty()) {
      report["outputs"][files::aggregates[place].name] = o.outputs[place];
    }
  }
  if (!o.output.empty()) report["output"] = o.output;
  report["count"] = *elements_of(request.keys);
  report["groups"] = groups;
  json_output(to).write(run.with_stages(std::move(report)));
}

int group(const group_options& o, file_run& run) {
  run.require_host();
  const auto wanted = wanted_by(o);
  const auto value_files = values_of(o);
  data::number_input keys(o.files, o.type);
  std::optional<data::number_input> values;
  if (!value_files.empty()) values.emplace(value_files, o.values_type);
  outputs all(o.force, run.limits());
  all.spare(keys);
  if (values) all.spare(*values);
  group_outputs out(o, wanted, all);
  data::output* const json = o.json.empty() ? nullptr : &all.open("--json", o.json);
  const files::group_request request{.keys = keys,
                                     .values = values ? &*values : nullptr,
                                     .wanted = wanted,
                                     .exact = o.exact,
                                     .scratch_folder = scratch_folder(o.tmp, all, out.keys())};
  auto types = files::group_types(request);
  types.insert(types.begin(), keys.type());
  out.start(types);
  files::group_all(
      request, [&](std::span<const files::group_column> columns) { out.take(columns); },
      run.limits());
  out.finish();
  if (json != nullptr) write_json(o, wanted, run, request, out.groups(), *json);
  all.commit();
  return 0;
}

}  // namespace

void describe(options& to) {
  const auto o = std::make_shared<group_options>();
  to.values("--by", o->files,
            "The keys: an .npy or raw file; given more than once, one behind the "
            "other",
            {.required = true});
  to.flag("--count", o->count, "How many values each group has");
  constexpr const char* about[] = {
      "", "A file with a value for each key: their sum, in 64 bits; given more than once, as --by",
      "The least value, NaN if any is; the same file", "The greatest value, likewise",
      "The mean, in f64; the same file"};
  for (const auto& [what, name] : files::aggregates) {
    const auto place = static_cast<std::size_t>(what);
    if (what != files::aggregate::count) {
      to.values(fmt::format("--{}", name), o->values[place], about[place]);
    }
  }
  to.flag("--exact", o->exact,
          "Sums and means of f32 and f64 exactly, rounded once, to the values' type");
  to.value("--values-type", o->values_type, parse_type, "Element type of raw values");
  for (const auto& [what, name] : files::aggregates) {
    to.value(fmt::format("--{}-out", name), o->outputs[static_cast<std::size_t>(what)],
             fmt::format("The file to write the column of --{} to", name));
  }
  to.value("--tmp", o->tmp, "The folder for sorted runs; without it, the output's");
  add_file_options(to, *o, "The file to write the keys to; - for standard output");
  to.then([o] { return run_on_files(*o, {}, [&](file_run& run) { return group(*o, run); }); });
}

}  // namespace warpfold::cli
