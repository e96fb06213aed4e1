#include "cli/files/frame.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <malloc.h>

#include "cli/parse.hpp"
#include "data/npy_header.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {
namespace {

std::string text_of(const nlohmann::ordered_json& value) {
  return value.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

namespace {

file_backend parse_file_backend(std::string_view option, std::string_view text) {
  if (text == "auto") return file_backend::automatic;
  if (text == "cuda") return file_backend::cuda;
  if (text == "host") return file_backend::host;
  throw usage_error(fmt::format("{} {}: there are auto, cuda and host", option, text));
}

}  // namespace

void add_file_options(options& to, file_options& o, bool writes) {
  to.value("--type", o.type, parse_type, "Element type of a raw file or a stream: i32, i64, u8, …");
  to.value("--memory", o.memory, parse_bytes, "Bytes of data to hold in memory at once",
           {.shown = "512MiB"});
  to.value("--threads", o.threads, parse_number<unsigned>, "Threads; 0: one for each processor",
           {.shown = "0"});
  to.value("--backend", o.backend, parse_file_backend, "auto, cuda or host", {.shown = "auto"});
  to.value("--progress", o.progress, parse_when_shown,
           "On standard error: auto (a terminal), always, never", {.shown = "auto"});
  to.flag("--json", o.json, "Print the result and the rates of all stages as JSON");
  if (!writes) return;
  to.value("-o,--output", o.output, "The file to write: .npy if its name ends so, else raw");
  to.flag("--force", o.force, "Replace an output that exists");
}

file_run::file_run(const file_options& o)
    : progress_(o.progress), chooses_(o.backend == file_backend::automatic) {
#if defined(M_MMAP_THRESHOLD)
  // Room for data goes back to the system when it is given up. Else each thread's heap keeps what
  // it once had, on top of --memory.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
  limits_ = {.memory = o.memory,
             .threads = o.threads,
             .on_device = o.backend == file_backend::cuda,
             .stop = signals_.token(),
             .watcher = &progress_};
  files::check_memory(limits_);
}

void file_run::choose_backend(files::task what, std::optional<std::uint64_t> bytes) {
  if (chooses_)
    limits_.on_device = files::auto_takes_device({what, bytes, limits_.memory}, limits_);
}

nlohmann::ordered_json file_run::about(const data::number_input& in) const {
  return {{"schema", 1},
          {"file", in.path().string()},
          {"type", name_of(in.type())},
          {"shape", in.shape()},
          {"backend", backend()}};
}

void file_run::print(nlohmann::ordered_json report) const {
  report["stages"] = progress_.stages();
  std::fputs((text_of(report) + "\n").c_str(), stdout);
}

void file_run::print(nlohmann::ordered_json report, const char* key,
                     const std::function<void(const taker&)>& values) const {
  report["stages"] = progress_.stages();
  std::string text = text_of(report);
  text.erase(text.rfind("\n}"));
  std::fputs(fmt::format("{},\n  \"{}\": [", text, key).c_str(), stdout);
  const char* between = "\n    ";
  values([&](const nlohmann::ordered_json& value) {
    std::fputs((between + text_of(value)).c_str(), stdout);
    between = ",\n    ";
  });
  std::fputs("\n  ]\n}\n", stdout);
}

files::reduction parse_reduction(std::string_view text) {
  std::string known;
  for (const auto& r : files::reductions) {
    if (r.name == text) return r.op;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", r.name);
  }
  throw usage_error(fmt::format("--op {}: there are {}", text, known));
}

column_file::column_file(const std::string& path, const char* option, const data::number_input& in,
                         value_type type, bool force)
    : file_(
          [&]() -> const std::string& {
            if (path.empty()) throw usage_error(fmt::format("{}: say which file to write", option));
            if (in.is_same_file(path)) {
              throw usage_error(
                  fmt::format("{} {}: is the input; choose another name", option, in.name()));
            }
            if (in.shape().size() > 1) {
              throw usage_error(
                  fmt::format("{}: has {} dimensions, and this takes one; save a.ravel()",
                              in.name(), in.shape().size()));
            }
            return path;
          }(),
          force ? data::output_file::over::anything : data::output_file::over::nothing),
      type_(type),
      scalar_(!in.in_order() && in.shape().empty()) {
  const bool is_npy = path.ends_with(".npy");
  // Of one dimension, the header has the same length for every number of elements.
  const std::size_t one[] = {1};
  if (is_npy) begin_ = data::make_npy_header(type_, std::span(one, scalar_ ? 0 : 1)).size();
}

void column_file::reserve(std::uint64_t elements) {
  file_.reserve(begin_ + elements * size_of(type_));
}

void column_file::write_header(std::uint64_t elements) {
  if (begin_ == 0) return;
  const std::size_t extent[] = {elements};
  const auto header = data::make_npy_header(type_, std::span(extent, scalar_ ? 0 : 1));
  if (header.size() != begin_) throw error("column_file: the header's length has changed");
  file_.write(0, std::as_bytes(std::span(header)));
}

}  // namespace warpfold::cli
