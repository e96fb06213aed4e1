#include "heads.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include <unistd.h>

#include "scratch.hpp"
#include "text_lines.hpp"

namespace simt::source_step {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_heads = 32;   // of 12 MB
constexpr std::size_t most_names = 512;  // of heads that came once
constexpr std::chrono::hours may_be_in_use{1};

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
  return file.string() + '\t' + std::to_string(fs::file_size(file, none)) + ' ' +
         std::to_string(fs::last_write_time(file, none).time_since_epoch().count());
}

/// Of the files with this ending, the ones that were not used for the longest time go, but for
/// those that another process may be about to read.
void drop_old(const fs::path& directory, const char* ending, std::size_t most) {
  std::error_code none;
  const auto in_use = fs::file_time_type::clock::now() - may_be_in_use;
  std::vector<std::pair<fs::file_time_type, fs::path>> all;
  for (const auto& entry : fs::directory_iterator(directory, none)) {
    if (entry.path().extension() == ending) all.emplace_back(entry.last_write_time(none), entry);
  }
  std::sort(all.rbegin(), all.rend());
  for (std::size_t i = most; i < all.size(); ++i) {
    if (all[i].first < in_use) fs::remove(all[i].second, none);
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

namespace {

/// A command that parses a head into a file of its own. Without instances of the templates that the
/// head's functions use each file would make them anew.
words parses_head(const words& parse) {
  words make = parse;
  make.insert(make.end(), {"-Xclang", "-fpch-instantiate-templates", "-c", "-Xclang", "-emit-pch"});
  return make;
}

fs::path place_of(const words& make, std::string_view what) {
  const fs::path directory = directory_of_heads();
  hash h;
  h.add(file_in_words(make[0]));
  for (const auto& w : make) h.add(w);
  h.add(what);
  return directory.empty() ? directory : directory / h.in_words();
}

std::string with_end(const fs::path& place, const char* end) { return place.string() + end; }

words use_of(const std::string& parsed) {
  std::error_code none;
  fs::last_write_time(parsed, fs::file_time_type::clock::now(), none);
  if (none || fs::file_size(parsed, none) == 0) return {};
  return {"-Xclang", "-include-pch", "-Xclang", parsed, "-Xclang", "-fno-validate-pch"};
}

/// Parses the text, which the file holds, too. An empty file: the compiler has something to say
/// about it, and it is not tried again.
words made_at(const fs::path& place, words make, std::string_view head) {
  std::error_code failed;
  const std::string own = with_end(place, ".") + std::to_string(getpid()),
                    kept = with_end(place, ".pch");
  const scratch_file text{own + ".cu"}, made{own + ".pch"}, said{own + ".txt"};
  if (!write_file(text.path, head)) return {};
  make.insert(make.end(),
              {"-Xclang", "-fmodules-embed-file=" + text.path, "-o", made.path, text.path});
  const bool silent = run(make, said.path) == 0 && contents(said.path).empty();
  if (!silent && !write_file(made.path, "")) return {};
  fs::rename(made.path, kept, failed);
  if (failed) return {};
  drop_old(place.parent_path(), ".pch", most_heads);
  drop_old(place.parent_path(), ".seen", most_names);
  drop_old(place.parent_path(), ".files", most_names);
  return use_of(kept);
}

}  // namespace

words options_for_head(const words& parse, std::string_view head, head_use use) {
  const words make = parses_head(parse);
  const fs::path place = place_of(make, head);
  std::error_code failed;
  if (head.empty() || place.empty()) return {};
  const std::string kept = with_end(place, ".pch"), seen = with_end(place, ".seen");
  if (fs::exists(kept, failed)) return use_of(kept);
  fs::create_directories(place.parent_path(), failed);
  if (use == head_use::if_it_comes_again && !fs::exists(seen, failed)) {
    write_file(seen, "");
    return {};
  }
  return made_at(place, make, head);
}

namespace {

/// The files of a rule for make, each with its size and when it was written, but for those whose
/// names begin with `own`. Empty: one is as new as `since`, so it may have been another one when it
/// was read.
std::string files_in_words(std::string_view rule, fs::file_time_type since, std::string_view own) {
  std::string all, name;
  std::error_code none;
  rule.remove_prefix(std::min(rule.find(": ") + 1, rule.size()));
  for (std::size_t i = 0; i <= rule.size(); ++i) {
    const char c = i < rule.size() ? rule[i] : '\n';
    if (c == '\\' && i + 1 < rule.size()) {
      if (rule[++i] != '\n') name += rule[i];
    } else if (c != ' ' && c != '\n') {
      name += c;
    } else if (!name.empty()) {
      if (name.starts_with(own)) name.clear();
      if (name.empty()) continue;
      if (fs::last_write_time(name, none) >= since) return {};
      all += file_in_words(fs::absolute(name)) + '\n';
      name.clear();
    }
  }
  return all;
}

/// Whether the files that a list of these names are what they were.
bool are_as_before(std::string_view list) {
  bool same = !list.empty();
  for_each_line(list, [&](std::string_view line) {
    same = same && file_in_words(std::string(line.substr(0, line.find('\t')))) == line;
  });
  return same;
}

}  // namespace

words options_for_header(const words& parse, const std::string& header) {
  words make = parses_head(parse);
  std::error_code failed;
  const std::string file = fs::exists(header, failed) ? fs::absolute(header).string() : header;
  const fs::path place = place_of(make, file + '\n' + fs::current_path(failed).string());
  if (place.empty()) return {};
  const std::string list = with_end(place, ".files");  // which is parsed, and from what
  if (fs::exists(list, failed)) {
    const std::string known = contents(list);
    const std::size_t end = std::min(known.find('\n'), known.size());
    const std::string kept = known.substr(0, end);
    if (fs::exists(kept, failed) && are_as_before(std::string_view(known).substr(end + 1))) {
      return use_of(kept);
    }
  }
  fs::create_directories(place.parent_path(), failed);
  const std::string own = with_end(place, ".") + std::to_string(getpid());
  const scratch_file rule{own + ".d"}, written{own + ".files"};
  const auto now = fs::file_time_type::clock::now();
  // Under a name of its own: what another process makes of other files does not take its place.
  const fs::path once = place_of(make, own + std::to_string(now.time_since_epoch().count()));
  make.insert(make.end(), {"-MD", "-MT", "x", "-MF", rule.path});
  const words found = made_at(once, make, "#include \"" + file + "\"\n");
  std::ifstream in(rule.path);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const std::string files = files_in_words(text, now - std::chrono::seconds(1), once.string());
  if (files.empty() || !write_file(written.path, with_end(once, ".pch\n") + files)) return {};
  fs::rename(written.path, list, failed);
  return found;
}

std::string without_heads(std::string_view rule) {
  const std::string begin = directory_of_heads().string() + '/';
  std::string all;
  for_each_line(rule, [&](std::string_view line) {
    const auto at = line.find(begin), end = std::min(line.find(' ', at), line.size());
    all.append(line.substr(0, at));
    if (at != npos) all.append(line.substr(end));
    all += '\n';
  });
  return all;
}

}  // namespace simt::source_step
