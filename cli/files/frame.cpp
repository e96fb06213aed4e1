#include "cli/files/frame.hpp"

#include <cmath>
#include <cstdio>

#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>

#include "cli/launcher.hpp"
#include "cli/parse.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {
namespace {

file_backend parse_file_backend(std::string_view option, std::string_view text) {
  if (text == "auto") return file_backend::automatic;
  if (text == "cuda") return file_backend::cuda;
  if (text == "host") return file_backend::host;
  throw usage_error(fmt::format("{} {}: must be auto, cuda or host", option, text));
}

bool parse_gpu_to_gpu(std::string_view option, std::string_view text) {
  if (text == "run_to_run") return false;
  if (text == "gpu_to_gpu") return true;
  throw usage_error(fmt::format("{} {}: must be run_to_run or gpu_to_gpu", option, text));
}

/// As many as the system lets this user have: shells begin with fewer.
void raise_most_open_files() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

void add_file_options(options& to, file_options& o, const char* output) {
  to.value("--type", o.type, parse_type, "Element type of a raw file or a stream: i32, i64, u8, …");
  to.value("--memory", o.memory, parse_bytes,
           "Bytes of data to hold in memory at once; under mpirun, of each rank",
           {.shown = "512MiB"});
  to.value("--threads", o.threads, parse_number<unsigned>, "Threads; 0: one for each processor",
           {.shown = "0"});
  to.value("--backend", o.backend, parse_file_backend, "auto, cuda or host", {.shown = "auto"});
  to.value("--progress", o.progress, parse_when_shown,
           "Progress on standard error: auto (on a terminal), always, never", {.shown = "auto"});
  to.value("--json", o.json,
           "Write the result and the rates of all stages to this file; - for standard output");
  to.value("-o,--output", o.output, output);
  to.value("--format", o.format, parse_file_format,
           "Format of outputs: auto (.npy by the name, raw otherwise), npy, raw",
           {.shown = "auto"});
  to.flag("--force", o.force, "Replace an existing output");
  if (are_ranks()) {
    to.refused_by([](const std::string& what) { return join_ranks({})->fail({2, what}); });
  }
}

void add_determinism(options& to, file_options& o) {
  to.value("--determinism", o.gpu_to_gpu, parse_gpu_to_gpu,
           "run_to_run, or gpu_to_gpu: on the host, with the same bits on every machine",
           {.shown = "run_to_run"});
}

file_run::file_run(const file_options& o)
    : signals_(are_ranks()),
      progress_(o.progress),
      chooses_(o.backend == file_backend::automatic && !o.gpu_to_gpu) {
#if defined(M_MMAP_THRESHOLD)
  // Room for data goes back to the system when it is given up. Else each thread's heap keeps what
  // it once had, on top of --memory.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
  raise_most_open_files();
  limits_ = {.memory = o.memory,
             .threads = o.threads,
             .on_device = o.backend == file_backend::cuda,
             .gpu_to_gpu = o.gpu_to_gpu,
             .stop = signals_.token(),
             .watcher = &progress_};
}

void file_run::check() const {
  files::check_memory(limits_);
  if (limits_.gpu_to_gpu && limits_.on_device) {
    throw usage_error("--determinism gpu_to_gpu: runs on the host; leave out --backend cuda");
  }
}

void file_run::join(ranks& all) {
  limits_.ranks = &all;
  if (!is_first()) limits_.watcher = nullptr;
  chooses_ = false;
  if (limits_.on_device) {
    throw usage_error("--backend cuda: ranks of MPI work on the host; leave it out");
  }
}

void file_run::share(const data::number_input& in) const {
  if (limits_.ranks == nullptr) return;
  if (in.in_order()) {
    throw usage_error(in.name() +
                      ": is a stream, which ranks cannot read in parts; write it to a file first");
  }
  const auto layout = fmt::format("{} {}", fmt::join(in.bytes_of_files(), " "), name_of(in.type()));
  if (limits_.ranks->agrees(std::hash<std::string>{}(layout))) return;
  throw data_error(fmt::format(
      "{}: holds {} bytes of {} here and differs on another rank; use a file that all ranks share",
      in.name(), *in.bytes(), name_of(in.type())));
}

void file_run::require_host() const {
  if (limits_.on_device) throw usage_error("--backend cuda: this runs on the host; leave it out");
}

void file_run::choose_backend(files::task what, const data::number_input& in,
                              const data::number_input* more) {
  if (!chooses_ || in.in_order()) return;
  const std::uint64_t bytes = *in.bytes() + (more != nullptr ? *more->bytes() : 0);
  limits_.on_device = files::auto_takes_device({what, bytes, limits_.memory}, limits_);
}

int run_on_files(const file_options& o, std::vector<std::string> outputs,
                 const std::function<int(file_run&)>& command) {
  file_run run(o);
  if (!are_ranks()) {
    run.check();
    return command(run);
  }
  outputs.insert(outputs.end(), {o.output, o.json});
  const auto all = join_ranks(outputs);
  try {
    all->check();
    run.check();
    run.join(*all);
    const int code = command(run);
    all->meet();
    return code;
  } catch (...) {
    return all->fail(failure_of(std::current_exception()));
  }
}

nlohmann::ordered_json file_run::about(const data::number_input& in) const {
  nlohmann::ordered_json report{{"schema", 2}, {"file", in.paths().front()}};
  if (in.paths().size() > 1) report["files"] = in.paths();
  report["type"] = name_of(in.type());
  report["shape"] = in.shape();
  report["backend"] = backend();
  return report;
}

nlohmann::ordered_json file_run::with_stages(nlohmann::ordered_json report) const {
  report["stages"] = progress_.stages();
  return report;
}

std::filesystem::path scratch_folder(const std::string& tmp, const outputs& all,
                                     const data::output* beside) {
  const std::filesystem::path folder = tmp.empty() ? all.folder_beside(beside) : tmp.c_str();
  if (!std::filesystem::is_directory(folder)) {
    throw data_error(
        fmt::format("--tmp '{}': is not a folder; create it or choose another", folder.string()));
  }
  return folder;
}

void flush_text() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw data_error("could not write to standard output");
  }
}

nlohmann::ordered_json json_of(const files::number& value) {
  return std::visit(
      [&](auto v) -> nlohmann::ordered_json {
        if (!std::isfinite(static_cast<double>(v))) return files::text_of(value);
        return v;
      },
      value);
}

files::reduction parse_reduction(std::string_view text) {
  std::string known;
  for (const auto& r : files::reductions) {
    if (r.name == text) return r.op;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", r.name);
  }
  throw usage_error(fmt::format("--op {}: must be one of {}", text, known));
}

void check_one_dimension(const data::number_input& in) {
  if (in.dimensions() <= 1) return;
  throw usage_error(fmt::format("{}: has {} dimensions instead of one; save a.ravel()", in.name(),
                                in.dimensions()));
}

bool is_scalar(const data::number_input& in) { return in.bytes() && in.shape().empty(); }

std::optional<std::uint64_t> elements_of(const data::number_input& in) {
  if (!in.bytes()) return std::nullopt;
  return *in.bytes() / size_of(in.type());
}

}  // namespace warpfold::cli
