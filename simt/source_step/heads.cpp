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

constexpr std::size_t most_heads = 32;   // of 12 MB
constexpr std::size_t most_names = 512;  // of heads that came once

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

/// A program is known by its file: its size and when it was written.
std::string file_in_words(const std::string& program) {
  std::error_code none;
  fs::path file = program;
  if (program.find('/') == std::string::npos) {
    const char* const variable = std::getenv("PATH");
    std::string_view path = variable != nullptr ? variable : "";
    while (!path.empty() && !fs::exists(file, none)) {
      const auto end = std::min(path.find(':'), path.size());
      file = fs::path(path.substr(0, end)) / program;
      path.remove_prefix(std::min(end + 1, path.size()));
    }
  }
  file = fs::canonical(file, none);
  return file.string() + ' ' + std::to_string(fs::file_size(file, none)) + ' ' +
         std::to_string(fs::last_write_time(file, none).time_since_epoch().count());
}

/// Of the files with this ending, the ones that were not used for the longest time go.
void drop_old(const fs::path& directory, const char* ending, std::size_t most) {
  std::error_code none;
  std::vector<std::pair<fs::file_time_type, fs::path>> all;
  for (const auto& entry : fs::directory_iterator(directory, none)) {
    if (entry.path().extension() == ending) all.emplace_back(entry.last_write_time(none), entry);
  }
  std::sort(all.rbegin(), all.rend());
  for (std::size_t i = most; i < all.size(); ++i) {
    fs::remove(all[i].second, none);
    fs::remove(all[i].second.replace_extension(".cu"), none);
  }
}

}  // namespace

std::string remembered(const words& files, const std::function<std::string()>& find_out) {
  const fs::path directory = directory_of_heads();
  if (directory.empty()) return find_out();
  hash h;
  for (const auto& file : files) h.add(file_in_words(file));
  const std::string kept = (directory / h.in_words()).string() + ".known";
  std::error_code failed;
  if (fs::exists(kept, failed)) return contents(kept);
  std::string found = find_out();
  if (found.empty()) return found;
  fs::create_directories(directory, failed);
  const scratch_file own{kept + "." + std::to_string(getpid())};
  if (write_file(own.path, found)) fs::rename(own.path, kept, failed);
  return found;
}

words options_for_head(const words& parse, std::string_view head, head_use use) {
  const fs::path directory = directory_of_heads();
  std::error_code failed;
  if (head.empty() || directory.empty()) return {};
  // Else each file would instantiate all templates that the head's own functions use.
  words make = parse;
  make.insert(make.end(), {"-Xclang", "-fpch-instantiate-templates", "-c", "-Xclang", "-emit-pch"});
  hash h;
  h.add(file_in_words(make[0]));
  for (const auto& w : make) h.add(w);
  h.add(head);
  const std::string name = (directory / h.in_words()).string();
  const std::string kept = name + ".pch",
                    text = name + ".cu";  // clang reads the text for its notes
  const words found{"-Xclang", "-include-pch", "-Xclang", kept, "-Xclang", "-fno-validate-pch"};
  if (fs::exists(kept, failed)) {
    fs::last_write_time(kept, fs::file_time_type::clock::now(), failed);
    return fs::file_size(kept, failed) != 0 ? found : words{};
  }
  fs::create_directories(directory, failed);
  const std::string seen = name + ".seen";
  if (use == head_use::if_it_comes_again && !fs::exists(seen, failed)) {
    write_file(seen, "");
    return {};
  }
  const std::string own = name + "." + std::to_string(getpid());
  const scratch_file written{own + ".cu"}, made{own + ".pch"}, said{own + ".txt"};
  if (!write_file(written.path, head)) return {};
  fs::rename(written.path, text, failed);
  make.insert(make.end(), {"-o", made.path, text});
  const bool silent = run(make, said.path) == 0 && contents(said.path).empty();
  if (!silent && !write_file(made.path, "")) return {};  // it is not tried again
  fs::rename(made.path, kept, failed);
  if (failed) return {};
  drop_old(directory, ".pch", most_heads);
  drop_old(directory, ".seen", most_names);
  return silent ? found : words{};
}

}  // namespace simt::source_step
