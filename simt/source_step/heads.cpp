#include "heads.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include <unistd.h>

#include "scratch.hpp"

namespace simt::source_step {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_heads = 24;  // of 12 MB

fs::path directory_of_heads() {
  if (const char* const named = std::getenv("SIMT_CACHE")) return named;
  if (const char* const caches = std::getenv("XDG_CACHE_HOME"); caches != nullptr && *caches != 0) {
    return fs::path(caches) / "warpfold";
  }
  const char* const home = std::getenv("HOME");
  return home != nullptr && *home != 0 ? fs::path(home) / ".cache" / "warpfold" : fs::path();
}

/// FNV-1a, 8 bytes a step.
class hash {
 public:
  void add(std::string_view text) {
    for (; text.size() >= 8; text.remove_prefix(8)) {
      std::uint64_t word = 0;
      std::copy_n(text.begin(), 8, reinterpret_cast<char*>(&word));
      step(word);
    }
    for (const char c : text) step(static_cast<unsigned char>(c));
    step(text.size() + 0x100);
  }
  [[nodiscard]] std::string in_words() const {
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%016llx%016llx", static_cast<unsigned long long>(a_),
                  static_cast<unsigned long long>(b_));
    return text.data();
  }

 private:
  void step(std::uint64_t word) {
    a_ = (a_ ^ word) * 0x100000001b3U;
    a_ ^= a_ >> 29;
    b_ = (b_ + word) * 0x9e3779b97f4a7c15U;
    b_ ^= b_ >> 32;
  }
  std::uint64_t a_ = 0xcbf29ce484222325U, b_ = 0x1234567U;
};

/// A compiler is known by its file: its size and when it was written.
std::string compiler_in_words(const std::string& compiler) {
  std::error_code none;
  fs::path file = compiler;
  if (compiler.find('/') == std::string::npos) {
    const char* const variable = std::getenv("PATH");
    std::string_view path = variable != nullptr ? variable : "";
    while (!path.empty() && !fs::exists(file, none)) {
      const auto end = std::min(path.find(':'), path.size());
      file = fs::path(path.substr(0, end)) / compiler;
      path.remove_prefix(std::min(end + 1, path.size()));
    }
  }
  file = fs::canonical(file, none);
  return file.string() + ' ' + std::to_string(fs::file_size(file, none)) + ' ' +
         std::to_string(fs::last_write_time(file, none).time_since_epoch().count());
}

/// The ones that were not used for the longest time go.
void drop_old(const fs::path& directory) {
  std::error_code none;
  std::vector<std::pair<fs::file_time_type, fs::path>> all;
  for (const auto& entry : fs::directory_iterator(directory, none)) {
    if (entry.path().extension() == ".pch") all.emplace_back(entry.last_write_time(none), entry);
  }
  std::sort(all.rbegin(), all.rend());
  for (std::size_t i = most_heads; i < all.size(); ++i) {
    fs::remove(all[i].second, none);
    fs::remove(all[i].second.replace_extension(".cu"), none);
  }
}

}  // namespace

words options_for_head(const words& parse, std::string_view head) {
  const fs::path directory = directory_of_heads();
  std::error_code failed;
  if (head.empty() || directory.empty()) return {};
  hash h;
  h.add(compiler_in_words(parse[0]));
  for (const auto& w : parse) h.add(w);
  h.add(head);
  const std::string name = (directory / h.in_words()).string();
  const std::string kept = name + ".pch",
                    text = name + ".cu";  // clang reads the text for its notes
  const words found{"-Xclang", "-include-pch", "-Xclang", kept, "-Xclang", "-fno-validate-pch"};
  if (fs::exists(kept, failed)) {
    fs::last_write_time(kept, fs::file_time_type::clock::now(), failed);
    return found;
  }
  fs::create_directories(directory, failed);
  const std::string own = name + "." + std::to_string(getpid());
  const scratch_file written{own + ".cu"}, made{own + ".pch"}, said{own + ".txt"};
  if (!write_file(written.path, head)) return {};
  fs::rename(written.path, text, failed);
  words make = parse;
  make.insert(make.end(), {"-c", "-Xclang", "-emit-pch", "-o", made.path, text});
  if (run(make, said.path) != 0) return {};
  fs::rename(made.path, kept, failed);
  if (failed) return {};
  drop_old(directory);
  return found;
}

}  // namespace simt::source_step
