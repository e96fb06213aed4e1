// warpfold unique FILE: the distinct values of a file of numbers in sorted order, and their counts.
#include "files/unique.hpp"

#include <memory>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "cli/files/frame.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {
namespace {

struct unique_options : file_options {
  std::string counts_output, tmp;
  bool count = false;
};

/// Where the distinct values go.
struct unique_outputs {
  std::optional<array_output> values, counts;
  std::optional<text_output> text;  // of both, a line for each
  std::uint64_t distinct = 0;

  unique_outputs(const unique_options& o, outputs& all) {
    if (!o.output.empty()) {
      values.emplace(all, "--output", o.output, o.format);
    } else if (!data::is_standard_output(o.json)) {
      text.emplace(all.open("the values", "-"));
    }
    if (!o.counts_output.empty()) counts.emplace(all, "--counts-out", o.counts_output, o.format);
  }

  void start(value_type type) {
    if (values) values->start(type, std::nullopt);
    if (counts) counts->start(value_type::u64, std::nullopt);
  }
  void take(const unique_options& o, value_type type, std::span<const std::byte> some,
            std::span<const std::uint64_t> their_counts) {
    const std::size_t each = size_of(type);
    if (values) values->target().write(values->begin() + distinct * each, some);
    if (counts) {
      counts->target().write(counts->begin() + distinct * sizeof(std::uint64_t),
                             std::as_bytes(their_counts));
    }
    distinct += their_counts.size();
    if (!text) return;
    visit_type(type, [&]<class T>(std::type_identity<T>) {
      const auto* const first = reinterpret_cast<const T*>(some.data());
      for (std::size_t i = 0; i < their_counts.size(); ++i) {
        text->put(files::text_of(files::as_number(first[i])));
        text->put(o.count ? fmt::format(" {}\n", their_counts[i]) : "\n");
      }
    });
  }
  void finish() {
    if (values) values->finish(distinct);
    if (counts) counts->finish(distinct);
    if (text) text->flush();
  }
};

int unique(const unique_options& o, file_run& run) {
  if (o.count && !o.output.empty() && o.counts_output.empty()) {
    throw usage_error("--count: with --output nothing is printed; give --counts-out");
  }
  run.require_host();
  data::number_input in(o.files, o.type);
  outputs all(o.force, run.limits());
  all.spare(in);
  unique_outputs out(o, all);
  data::output* const json = o.json.empty() ? nullptr : &all.open("--json", o.json);
  out.start(in.type());
  const auto folder = scratch_folder(o.tmp, all, out.values ? &out.values->target() : nullptr);
  files::unique_all(
      in, folder,
      [&](std::span<const std::byte> values, std::span<const std::uint64_t> counts) {
        out.take(o, in.type(), values, counts);
      },
      run.limits());
  out.finish();
  if (json != nullptr) {
    auto report = run.about(in);
    if (out.values) report["output"] = o.output;
    if (out.counts) report["counts_output"] = o.counts_output;
    report["count"] = *elements_of(in);
    report["distinct"] = out.distinct;
    json_output(*json).write(run.with_stages(std::move(report)));
  }
  all.commit();
  return 0;
}

}  // namespace

void describe(options& to) {
  const auto o = std::make_shared<unique_options>();
  to.values("file", o->files, "An .npy or raw file, or several in order", {.required = true});
  to.flag("--count", o->count, "Print how often each value is there behind it");
  to.value("--counts-out", o->counts_output, "The file to write these counts to, of u64");
  to.value("--tmp", o->tmp, "The folder for sorted runs; without it, the output's");
  add_file_options(to, *o, "The file to write the values to; - for standard output");
  to.then([o] { return run_on_files(*o, {}, [&](file_run& run) { return unique(*o, run); }); });
}

}  // namespace warpfold::cli
