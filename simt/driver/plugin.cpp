#include "plugin.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <stdexcept>
#include <string_view>

#include "quoting.hpp"
#include "simt/source_step/compile.hpp"
#include "simt/source_step/heads.hpp"

namespace simt::driver {

namespace {

/// "14": of `compiler`, or nothing.
std::string read_version(const std::string& compiler) {
  FILE* const pipe = popen(("'" + compiler + "' -dumpversion 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return {};
  std::array<char, 64> line{};
  const bool read = std::fgets(line.data(), line.size(), pipe) != nullptr;
  pclose(pipe);
  const std::string version = read ? line.data() : "";
  return version.substr(0, version.find_first_not_of("0123456789"));
}

/// The plugin's option that an environment variable sets, if it is there.
void add_asked(std::vector<std::string>& options, const char* variable, const char* option,
               std::initializer_list<std::string_view> words) {
  const char* const asked = std::getenv(variable);
  if (asked == nullptr) return;
  if (std::find(words.begin(), words.end(), asked) == words.end()) {
    std::string all;
    for (const std::string_view word : words) all.append(all.empty() ? "" : ", ").append(word);
    throw std::invalid_argument(std::string(variable) + "=" + asked + ": it takes one of " + all);
  }
  options.insert(options.end(), {"-mllvm", std::string(option) + asked});
}

}  // namespace

plugins::found plugins::find(const std::string& name) const {
  const std::filesystem::path file = directory_ / ("simt-" + name + "-" + version_ + ".so");
  std::error_code none;
  if (!std::filesystem::exists(file, none))
    return {"", "there is no " + file.string() + " for " + compiler_};
  const auto loads = [&] {
    const bool does = source_step::run({compiler_, "-fpass-plugin=" + file.string(), "-x", "c++",
                                        "-c", "/dev/null", "-o", "/dev/null"}) == 0;
    return std::string(does ? "loads" : "");
  };
  if (source_step::remembered({compiler_, file.string()}, loads).empty())
    return {"", compiler_ + " can't load " + file.string()};
  return {file.string(), ""};
}

void plugins::look() {
  version_ = source_step::remembered({compiler_}, [&] { return read_version(compiler_); });
  if (version_.empty()) return;  // the compiler's own message says why
  const found observe = find("observe");
  if (observe.file.empty()) {
    throw usage(observe.reason + "; install llvm-" + version_ +
                "-dev and build warpfold with that compiler");
  }
  observe_ = observe.file;
  plain_ = find("plain");
}

std::vector<std::string> plugins::options(bool alone) const {
  if (version_.empty()) return {};  // nothing is compiled
  // As in kernels.cmake: lanes hand on values that they have not got.
  std::vector<std::string> all{
      "-Xclang", version_ == "14" ? "-disable-noundef-analysis" : "-no-enable-noundef-analysis"};
  std::vector<std::string> asked;
  add_asked(asked, "SIMT_LEVELS", "-simt-levels=", {"avx2", "all"});
  add_asked(asked, "SIMT_LANES", "-simt-lanes=", {"none", "some", "all"});
  all.insert(all.end(), {"-fplugin=" + observe_, "-fpass-plugin=" + observe_});
  if (plain_.file.empty()) return all;
  all.insert(all.end(), {"-fplugin=" + plain_.file, "-fpass-plugin=" + plain_.file});
  all.insert(all.end(), asked.begin(), asked.end());
  if (alone) all.insert(all.end(), {"-mllvm", "-simt-alone"});
  return all;
}

std::string plugins::in_words() const {
  return !plain_.file.empty() ? "simt++: fast kernels by " + plain_.file
                              : "simt++: kernels run instrumented only: " + plain_.reason;
}

}  // namespace simt::driver
