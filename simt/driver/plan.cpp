#include "plan.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

#include "options.hpp"

namespace simt::driver {

namespace {

/// What a program of the CPU machine needs none of.
constexpr std::array<std::string_view, 9> needless_libraries{
    "cudart",     "cudart_static", "cudadevrt", "cuda",         "culibos",
    "nvToolsExt", "nvtx3",         "cupti",     "cudart_shared"};

/// NVIDIA's, which nobody has the source of.
constexpr std::array<std::string_view, 18> closed_libraries{
    "cublas", "cublasLt", "cublas_static", "cudnn",  "cufft",  "cufftw",
    "curand", "cusolver", "cusparse",      "cufile", "nvjpeg", "nvrtc",
    "nppc",   "nppi",     "nppif",         "nppial", "npps",   "nvgraph"};

/// The kinds of warnings that nvcc makes errors of.
constexpr std::array<std::string_view, 7> kinds_of_warnings{"all-warnings",
                                                            "cross-execution-space-call",
                                                            "default-stream-launch",
                                                            "deprecated-declarations",
                                                            "ext-lambda-captures-this",
                                                            "missing-launch-bounds",
                                                            "reorder"};

template <class List>
bool contains(const List& list, std::string_view what) {
  return std::find(std::begin(list), std::end(list), what) != std::end(list);
}

words split(const std::string& text, char at) {
  words parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
  return parts;
}

language language_of(const std::string& file, const std::string& forced) {
  const auto dot = file.rfind('.');
  const std::string end = dot == std::string::npos ? "" : file.substr(dot + 1);
  const bool source = contains(std::array{"cu", "cuh", "cc", "cpp", "cxx", "c", "C", "c++"}, end);
  const bool object = contains(std::array{"o", "obj", "a", "so"}, end);
  if (!source && (object || forced.empty())) return language::object;
  if (forced == "cu") return language::cuda;
  if (forced == "c++") return language::cxx;
  if (forced == "c") return language::c;
  if (end == "cu" || end == "cuh") return language::cuda;
  return end == "c" ? language::c : language::cxx;
}

class reader {
 public:
  explicit reader(words arguments) : rest_(std::move(arguments)) {}

  plan read() {
    for (at_ = 0; at_ < rest_.size(); ++at_) word(rest_[at_]);
    if (unknown_to_linker_) append(plan_.for_linker, unknown_);
    if (unknown_to_compiler_) {
      for (const auto& option : unknown_) host_option(option);
    }
    return std::move(plan_);
  }

 private:
  /// The value of an option: in its word, or the next word.
  std::string value(const option_word& w) {
    if (w.has_value) return w.value;
    if (at_ + 1 == rest_.size()) throw usage(std::string(w.known->brief) + " needs a value");
    return rest_[++at_];
  }

  /// The next word, if it is one of those that may follow.
  bool next_is(std::initializer_list<std::string_view> all) {
    return at_ + 1 < rest_.size() && contains(all, rest_[at_ + 1]);
  }

  void word(const std::string& text) {
    if (text.size() < 2 || text[0] != '-') {
      plan_.inputs.push_back({text, language_of(text, forced_)});
      return;
    }
    const option_word w = read_option(text);
    if (w.known == nullptr) {
      unknown_.push_back(text);
      return;
    }
    // `-Werror` alone is the host compiler's.
    if (w.known->is == sense::error_kinds && !w.has_value &&
        (at_ + 1 == rest_.size() ||
         !contains(kinds_of_warnings, rest_[at_ + 1].substr(0, rest_[at_ + 1].find(','))))) {
      return host_option(text);
    }
    const bool truth = w.known->value == "true|false";
    option_word read = w;
    if (w.known->is == sense::optimise && !w.has_value &&
        (at_ + 1 == rest_.size() || rest_[at_ + 1].size() != 1)) {
      read = {w.known, true, ""};  // `-O`, as host compilers have it
    } else if (truth && !w.has_value && !next_is({"true", "false"})) {
      read = {w.known, true, "true"};
    } else if (!w.known->value.empty()) {
      read = {w.known, true, value(w)};
    }
    follow(*read.known, read.value);
  }

  // NOLINTNEXTLINE(readability-function-size): one line an option
  void follow(const option& o, const std::string& value) {
    const std::string brief(o.brief);
    switch (o.is) {
      case sense::ignored: break;
      case sense::refused: throw usage(brief + ": " + std::string(o.note));
      case sense::handed_on:
        plan_.for_compiler.push_back(o.value.empty() ? brief : brief + "=" + value);
        if (brief == "-pg") plan_.for_linker.push_back(brief);
        break;
      case sense::architecture: architecture(value); break;
      case sense::archiver: plan_.archiver = value; break;
      case sense::architectures: plan_.asks = question::architectures; break;
      case sense::architecture_codes: plan_.asks = question::architecture_codes; break;
      case sense::archive: go_until(stage::archive); break;
      case sense::clean: plan_.cleans = true; break;
      case sense::compile: go_until(stage::compile); break;
      case sense::compiler_options: host_options(packed_options(value)); break;
      case sense::cuda:
        go_until(stage::preprocess);
        plan_.output_ends = ".cu.cpp.ii";
        break;
      case sense::debug: host_option(brief); break;
      case sense::debug_device:
        plan_.debugs = true;
        plan_.macros_of_cuda.emplace_back("-D__CUDACC_DEBUG__");
        break;
      case sense::define:
      case sense::undefine: plan_.for_preprocessor.push_back(brief + value); break;
      case sense::dependencies: go_until(stage::dependencies); [[fallthrough]];
      case sense::dependencies_aside:
      case sense::dependency_file:
      case sense::dependency_phony:
      case sense::dependency_target: rule(brief, value); break;
      case sense::device_link: go_until(stage::device_link); break;
      case sense::directory: plan_.directory = value; break;
      case sense::dry_run:
        plan_.shows_commands = true;
        plan_.runs_commands = false;
        break;
      case sense::error_kinds:
        for (const auto& kind : split(value, ',')) error_kind(kind);
        break;
      case sense::extended_lambda:
        plan_.macros_of_cuda.emplace_back("-D__CUDACC_EXTENDED_LAMBDA__");
        break;
      case sense::forward_to_both: unknown_to_linker_ = true; break;
      case sense::forward_to_compiler: break;
      case sense::forward_to_linker:
        unknown_to_linker_ = true;
        unknown_to_compiler_ = false;
        break;
      case sense::help: plan_.asks = question::help; break;
      case sense::include_file:
      case sense::system_path:
        for (const auto& part : split(value, ',')) append(plan_.for_preprocessor, {brief, part});
        break;
      case sense::include_path:
        for (const auto& part : split(value, ',')) plan_.for_preprocessor.push_back("-I" + part);
        break;
      case sense::language: forced_ = value == "cuda" ? "cu" : value; break;
      case sense::library:
        for (const auto& part : split(value, ',')) library(part);
        break;
      case sense::library_path:
        for (const auto& part : split(value, ',')) plan_.for_linker.push_back("-L" + part);
        break;
      case sense::link: go_until(stage::link); break;
      case sense::linker_options:
        for (const auto& part : packed_options(value)) append(plan_.for_linker, {"-Xlinker", part});
        break;
      case sense::linker_script:
        if (value == "gen-lcs") throw usage(brief + "=gen-lcs: objects need no linker script");
        break;
      case sense::no_exceptions: plan_.for_host.emplace_back("-fno-exceptions"); break;
      case sense::optimise: host_option("-O" + value); break;
      case sense::options_file: read_options_of(value); break;
      case sense::output: plan_.output = value; break;
      case sense::preprocess: go_until(stage::preprocess); break;
      case sense::relaxed_constexpr:
        plan_.macros_of_cuda.emplace_back("-D__CUDACC_RELAXED_CONSTEXPR__");
        break;
      case sense::relocatable: plan_.relocatable = true; break;
      case sense::run: plan_.starts = true; break;
      case sense::run_arguments: append(plan_.starts_with, packed_options(value)); break;
      case sense::share: host_option(brief); break;
      case sense::per_unit:
      case sense::shared_device_code: go_until(stage::compile); [[fallthrough]];
      case sense::shares_device_code:
        plan_.shares_device_code = o.is == sense::shared_device_code || value == "true";
        break;
      case sense::standard: plan_.standard = value; break;
      case sense::verbose: plan_.shows_commands = true; break;
      case sense::version: plan_.asks = question::version; break;
    }
  }

  /// -M beside -c only names the files.
  void go_until(stage s) {
    if (plan_.until != stage::dependencies) plan_.until = s;
  }

  void rule(const std::string& option, const std::string& value) {
    if (option == "-MP") {
      plan_.rule.phony = true;
    } else if (option == "-MF") {
      plan_.rule.file = value;
    } else if (option == "-MJ") {
      plan_.rule.database = value;
    } else if (option == "-MT" || option == "-MQ") {
      append(plan_.rule.targets, {option, value});
    } else {
      plan_.rule.kind = option;
    }
  }

  void architecture(const std::string& value) {
    const auto mark = value.find('_');
    const std::string rest = mark == std::string::npos ? "" : value.substr(mark + 1);
    const std::string number = rest.substr(0, rest.find_first_not_of("0123456789"));
    if (!number.empty() && !contains(plan_.architectures, number)) {
      plan_.architectures.push_back(number);
    }
  }

  void error_kind(const std::string& kind) {
    if (kind == "reorder" || kind == "deprecated-declarations" ||
        !contains(kinds_of_warnings, kind)) {
      plan_.for_compiler.push_back("-Werror=" + kind);
    }
  }

  void read_options_of(const std::string& files) {
    auto at = rest_.begin() + static_cast<std::ptrdiff_t>(at_) + 1;
    for (const auto& file : split(files, ',')) {
      std::ifstream in(file);
      if (!in) throw usage(file + ": can't be read");
      const words more =
          shell_words({std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()});
      at = rest_.insert(at, more.begin(), more.end()) + static_cast<std::ptrdiff_t>(more.size());
    }
  }

  /// Those of -Xcompiler.
  void host_options(const words& options) {
    for (std::size_t i = 0; i < options.size(); ++i) {
      const std::string& w = options[i];
      if (w == "-MD" || w == "-MMD" || w == "-MP") {
        rule(w, "");
      } else if ((w == "-MF" || w == "-MT" || w == "-MQ") && i + 1 < options.size()) {
        rule(w, options[++i]);
      } else {
        host_option(w);
      }
    }
  }

  void host_option(const std::string& w) {
    if (w.starts_with("-g") && w != "-g0") plan_.debugs = true;
    if (w.starts_with("-O")) {
      plan_.for_host.push_back(w);
    } else if (w.starts_with("-std=")) {
      plan_.standard = w.substr(5);
    } else if (w.starts_with("-Wl,") || w == "-rdynamic" || w == "-static" || w == "-pie") {
      plan_.for_linker.push_back(w);
    } else if (w == "-shared" || w == "-fopenmp" || w == "-pthread" ||
               w.starts_with("-fsanitize")) {
      plan_.for_linker.push_back(w);
      if (w != "-shared") plan_.for_compiler.push_back(w);
    } else if (w.starts_with("-I") || w.starts_with("-D") || w.starts_with("-U")) {
      plan_.for_preprocessor.push_back(w);
    } else if (w.starts_with("-L") || w.starts_with("-l")) {
      plan_.for_linker.push_back(w);
    } else if (!w.empty()) {
      plan_.for_compiler.push_back(w);
    }
  }

  void library(const std::string& name) {
    if (contains(needless_libraries, name)) return;
    if (name == "gomp") return plan_.for_linker.push_back("-fopenmp");  // by clang's own runtime
    if (contains(closed_libraries, name)) {
      throw usage(
          "-l" + name +
          ": the CPU machine lacks NVIDIA's closed libraries; build the program without them");
    }
    plan_.for_linker.push_back("-l" + name);
  }

  words rest_, unknown_;
  std::size_t at_ = 0;
  std::string forced_;
  bool unknown_to_compiler_ = true, unknown_to_linker_ = false;
  plan plan_;
};

}  // namespace

plan read_command_line(const words& arguments) { return reader(arguments).read(); }

}  // namespace simt::driver
