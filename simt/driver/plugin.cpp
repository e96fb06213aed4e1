#include "plugin.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <stdexcept>
#include <string_view>

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

void plain_plugin::look() {
  version_ = source_step::remembered({compiler_}, [&] { return read_version(compiler_); });
  const std::string name = "simt-plain-" + version_ + ".so";
  const std::filesystem::path file = directory_ / name;
  std::error_code none;
  if (!std::filesystem::exists(file, none)) {
    reason_ = "there is no " + file.string() + " for " + compiler_;
  } else if (source_step::remembered({compiler_, file.string()}, [&] {
               const bool loads =
                   source_step::run({compiler_, "-fpass-plugin=" + file.string(), "-x", "c++", "-c",
                                     "/dev/null", "-o", "/dev/null"}) == 0;
               return std::string(loads ? "loads" : "");
             }).empty()) {
    reason_ = compiler_ + " can't load " + file.string();
  } else {
    file_ = file.string();
  }
}

std::vector<std::string> plain_plugin::options(bool alone) const {
  if (version_.empty()) return {};  // nothing is compiled
  // As in kernels.cmake: lanes hand on values that they have not got.
  std::vector<std::string> all{
      "-Xclang", version_ == "14" ? "-disable-noundef-analysis" : "-no-enable-noundef-analysis"};
  std::vector<std::string> asked;
  add_asked(asked, "SIMT_LEVELS", "-simt-levels=", {"avx2", "all"});
  add_asked(asked, "SIMT_LANES", "-simt-lanes=", {"none", "some", "all"});
  if (file_.empty()) return all;
  all.insert(all.end(), {"-fplugin=" + file_, "-fpass-plugin=" + file_});
  all.insert(all.end(), asked.begin(), asked.end());
  if (alone) all.insert(all.end(), {"-mllvm", "-simt-alone"});
  return all;
}

std::string plain_plugin::in_words() const {
  return !file_.empty() ? "simt++: fast kernels by " + file_
                        : "simt++: kernels run instrumented only: " + reason_;
}

}  // namespace simt::driver
