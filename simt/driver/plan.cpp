#include "plan.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string_view>

namespace simt::driver {

namespace {

/// Long names to those that everybody knows.
const std::map<std::string_view, std::string_view> short_names{
    {"--compile", "-c"},
    {"--device-c", "-c"},
    {"-dc", "-c"},
    {"--device-w", "-c"},
    {"-dw", "-c"},
    {"--output-file", "-o"},
    {"--library", "-l"},
    {"--library-path", "-L"},
    {"--include-path", "-I"},
    {"--system-include", "-isystem"},
    {"--define-macro", "-D"},
    {"--undefine-macro", "-U"},
    {"--pre-include", "-include"},
    {"--optimize", "-O"},
    {"--debug", "-g"},
    {"--std", "-std"},
    {"--shared", "-shared"},
    {"--x", "-x"},
    {"--preprocess", "-E"},
    {"--cuda", "-cuda"},
    {"--generate-dependencies", "-M"},
    {"--generate-nonsystem-dependencies", "-MM"},
    {"--generate-dependencies-with-compile", "-MD"},
    {"--generate-nonsystem-dependencies-with-compile", "-MMD"},
    {"--dependency-output", "-MF"},
    {"--compiler-options", "-Xcompiler"},
    {"--linker-options", "-Xlinker"},
    {"--lib", "-lib"},
    {"--verbose", "-v"},
    {"--disable-warnings", "-w"},
    {"--version", "-V"},
    {"--options-file", "-optf"}};

/// About code of a device or the toolkit's own working; each takes a value.
constexpr std::array<std::string_view, 32> dropped_with_value{"-arch",
                                                              "--gpu-architecture",
                                                              "-code",
                                                              "--gpu-code",
                                                              "-gencode",
                                                              "--generate-code",
                                                              "-maxrregcount",
                                                              "--maxrregcount",
                                                              "-ccbin",
                                                              "--compiler-bindir",
                                                              "-cudart",
                                                              "--cudart",
                                                              "-cudadevrt",
                                                              "--cudadevrt",
                                                              "-Xptxas",
                                                              "--ptxas-options",
                                                              "-Xnvlink",
                                                              "--nvlink-options",
                                                              "-Xcudafe",
                                                              "-Xfatbin",
                                                              "-Xarchive",
                                                              "-t",
                                                              "--threads",
                                                              "-ftz",
                                                              "--ftz",
                                                              "-diag-suppress",
                                                              "--diag-suppress",
                                                              "-odir",
                                                              "--output-directory",
                                                              "-default-stream",
                                                              "--default-stream",
                                                              "--split-compile"};

/// The same, without one (or with one behind an equals sign).
constexpr std::array<std::string_view, 39> dropped{"-rdc",
                                                   "--relocatable-device-code",
                                                   "--expt-relaxed-constexpr",
                                                   "-expt-relaxed-constexpr",
                                                   "--expt-extended-lambda",
                                                   "-expt-extended-lambda",
                                                   "--extended-lambda",
                                                   "-extended-lambda",
                                                   "-use_fast_math",
                                                   "--use_fast_math",
                                                   "-prec-div",
                                                   "--prec-div",
                                                   "-prec-sqrt",
                                                   "--prec-sqrt",
                                                   "-fmad",
                                                   "--fmad",
                                                   "-lineinfo",
                                                   "--generate-line-info",
                                                   "-ewp",
                                                   "--extensible-whole-program",
                                                   "--resource-usage",
                                                   "-res-usage",
                                                   "-keep",
                                                   "--keep",
                                                   "-restrict",
                                                   "--restrict",
                                                   "-src-in-ptx",
                                                   "--source-in-ptx",
                                                   "-m64",
                                                   "--machine",
                                                   "-noprof",
                                                   "-dlto",
                                                   "-forward-unknown-to-host-compiler",
                                                   "--forward-unknown-to-host-compiler",
                                                   "-Wno-deprecated-gpu-targets",
                                                   "-clean",
                                                   "-dlcm",
                                                   "--extra-device-vectorization",
                                                   "-pg-device"};

/// What a program of the CPU machine needs none of.
constexpr std::array<std::string_view, 9> needless_libraries{
    "cudart",     "cudart_static", "cudadevrt", "cuda",         "culibos",
    "nvToolsExt", "nvtx3",         "cupti",     "cudart_shared"};

/// NVIDIA's, which nobody has the source of.
constexpr std::array<std::string_view, 18> closed_libraries{
    "cublas", "cublasLt", "cublas_static", "cudnn",  "cufft",  "cufftw",
    "curand", "cusolver", "cusparse",      "cufile", "nvjpeg", "nvrtc",
    "nppc",   "nppi",     "nppif",         "nppial", "npps",   "nvgraph"};

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
  if (!source) return language::object;
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
    return std::move(plan_);
  }

 private:
  /// The value of an option: behind its equals sign, or the next word.
  std::string value(const std::string& name) {
    if (has_value_) return value_;
    if (at_ + 1 == rest_.size()) throw usage(name + " without its value");
    return rest_[++at_];
  }

  void word(std::string w) {
    has_value_ = false;
    if (w.size() < 2 || w[0] != '-') return file(w);
    const auto equals = w.find('=');
    if (equals != std::string::npos) {
      has_value_ = true;
      value_ = w.substr(equals + 1);
    }
    std::string name = w.substr(0, equals);
    plan_.shares_device_code |=
        contains(std::array{"-dc", "--device-c", "-dw", "--device-w"}, std::string_view(name));
    if (const auto known = short_names.find(name); known != short_names.end()) {
      w = name = known->second;
      if (has_value_ && (name == "-I" || name == "-D" || name == "-L" || name == "-l")) {
        has_value_ = false;
        w += value_;
      }
    }
    if (contains(dropped_with_value, name)) {
      static_cast<void>(value(name));
    } else if (contains(dropped, name)) {
      const bool spelt_apart = name == "-rdc" || name == "--relocatable-device-code";
      const bool value_follows = spelt_apart && !has_value_ && at_ + 1 < rest_.size() &&
                                 (rest_[at_ + 1] == "true" || rest_[at_ + 1] == "false");
      if (value_follows) ++at_;
      const std::string said = has_value_ ? value_ : value_follows ? rest_[at_] : "true";
      if (spelt_apart) plan_.shares_device_code = said == "true";
    } else if (!stage_option(name) && !file_option(name, w) && !nvcc_option(name)) {
      host_option(w);
    }
  }

  bool stage_option(const std::string& name) {
    static const std::map<std::string_view, stage> stages{{"-c", stage::compile},
                                                          {"-E", stage::preprocess},
                                                          {"-lib", stage::archive},
                                                          {"-M", stage::dependencies},
                                                          {"-MM", stage::dependencies}};
    const auto known = stages.find(name);
    if (known == stages.end()) return false;
    plan_.until = known->second;
    if (known->second == stage::dependencies) plan_.dependencies.push_back(name);
    return true;
  }

  bool file_option(const std::string& name, const std::string& w) {
    if (name == "-o") {
      plan_.output = value(name);
    } else if (name == "-x") {
      forced_ = value(name);
      if (forced_ == "cuda") forced_ = "cu";
    } else if (name == "-MD" || name == "-MMD" || name == "-MP") {
      plan_.dependencies.push_back(name);
    } else if (name == "-MF" || name == "-MT" || name == "-MQ") {
      plan_.dependencies.insert(plan_.dependencies.end(), {name, value(name)});
    } else if (name == "-include" || name == "-isystem" || name == "-iquote" ||
               name == "-idirafter") {
      plan_.for_preprocessor.insert(plan_.for_preprocessor.end(), {name, value(name)});
    } else if (w.starts_with("-I") || w.starts_with("-D") || w.starts_with("-U")) {
      for (const auto& part : joined(w)) plan_.for_preprocessor.push_back(part);
    } else if (w.starts_with("-L")) {
      for (const auto& part : joined(w)) plan_.for_linker.push_back(part);
    } else if (w.starts_with("-l")) {
      for (const auto& part : joined(w)) library(part.substr(2));
    } else {
      return false;
    }
    return true;
  }

  /// `-Idir` or `-I dir`; nvcc also takes `-Ia,b`.
  words joined(const std::string& w) {
    const std::string name = w.substr(0, 2);
    has_value_ = false;
    const std::string text = w.size() > 2 ? w.substr(2) : value(name);
    words all;
    if (name == "-D" || name == "-U") return {name + text};
    for (const auto& part : split(text, ',')) all.push_back(name + part);
    return all;
  }

  bool nvcc_option(const std::string& name) {
    if (name == "-Xcompiler") {
      for (const auto& option : split(value(name), ',')) host_option(option);
    } else if (name == "-Xlinker") {
      for (const auto& option : split(value(name), ','))
        plan_.for_linker.push_back("-Wl," + option);
    } else if (name == "-optf") {
      std::ifstream in(value(name));
      words more{std::istream_iterator<std::string>(in), std::istream_iterator<std::string>()};
      rest_.insert(rest_.begin() + static_cast<std::ptrdiff_t>(at_) + 1, more.begin(), more.end());
    } else if (name == "-cuda") {  // what nvcc hands to the host compiler
      plan_.until = stage::preprocess;
      plan_.output_ends = ".cu.cpp.ii";
    } else if (name == "-G" || name == "--device-debug") {
      plan_.debugs = true;
    } else if (name == "-V") {
      plan_.asks_version = true;
    } else if (name == "-v" || name == "-dryrun" || name == "--dryrun") {
      plan_.shows_commands = true;
      plan_.runs_commands = name == "-v";
    } else if (name == "-std") {
      plan_.standard = value(name);
    } else if (name == "-dlink" || name == "--device-link") {
      throw usage("-dlink: the CPU machine links kernels as any function; leave the step out");
    } else if (contains(std::array{"-ptx", "--ptx", "-cubin", "--cubin", "-fatbin", "--fatbin"},
                        name)) {
      throw usage(name + ": there is no code of a device here; compile with -c");
    } else {
      return false;
    }
    return true;
  }

  void host_option(const std::string& w) {
    if (w.starts_with("-g") && w != "-g0") plan_.debugs = true;
    if (w.starts_with("-O")) {
      plan_.for_optimiser.push_back(
          w == "-O" && at_ + 1 < rest_.size() && rest_[at_ + 1].size() == 1 ? "-O" + rest_[++at_]
                                                                            : w);
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
      throw usage("-l" + name +
                  ": NVIDIA's closed libraries are not on the CPU machine; take a program or a "
                  "form of it that does without");
    }
    plan_.for_linker.push_back("-l" + name);
  }

  void file(const std::string& name) { plan_.inputs.push_back({name, language_of(name, forced_)}); }

  words rest_;
  std::size_t at_ = 0;
  bool has_value_ = false;
  std::string value_, forced_;
  plan plan_;
};

}  // namespace

plan read_command_line(const words& arguments) { return reader(arguments).read(); }

}  // namespace simt::driver
