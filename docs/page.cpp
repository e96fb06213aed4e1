#include "docs/page.hpp"

#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "warpfold/error.hpp"

using warpfold::data_error;
using warpfold::error;
namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw data_error(path.string() + ": can't be read");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string output_of(const std::string& arguments, const std::string& program) {
  FILE* const pipe = popen((program + " " + arguments).c_str(), "r");
  if (pipe == nullptr) throw error("can't run " + program);
  std::string out;
  std::array<char, 4096> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    out.append(buffer.data(), got);
  }
  if (pclose(pipe) != 0) throw error(program + " " + arguments + " failed");
  return out;
}

std::string same_anywhere(std::string text) {
  const auto at = text.find("CPU machine, ");
  if (at != std::string::npos) text.erase(at + 11, text.find('\n') - at - 11);
  return text;
}

std::string in_fence(const std::string& text) {
  std::string trimmed;  // without the spaces that fill the table's lines
  for (const char c : text) {
    if (c == '\n') trimmed.erase(trimmed.find_last_not_of(' ') + 1);
    trimmed += c;
  }
  return "```text\n" + trimmed + "```\n";
}

std::string in_fence_of(const std::string& language, const std::string& text) {
  return "```" + language + "\n" + text + "```\n";
}

std::string excerpt(const fs::path& path, const std::string& begin, const std::string& closing,
                    const std::string& name) {
  const std::string text = read(path);
  std::string found;
  for (std::size_t at = 0; (at = text.find("\n" + begin, at)) != std::string::npos;) {
    const std::size_t end = text.find("\n" + closing + "\n", at) + closing.size() + 2;
    const std::string test = text.substr(at + 1, end - at - 1);
    if (test.substr(0, test.find('{')).find(name) != std::string::npos) found += test;
    at = end;
  }
  return found;
}

std::string filled(const fs::path& path, const generated_parts& known) {
  constexpr std::string_view open = "<!-- generated: ", close = " -->\n", end = "<!-- end -->";
  std::string text = read(path);
  for (std::size_t at = 0; (at = text.find(open, at)) != std::string::npos;) {
    const auto name_end = text.find(close, at);
    const auto stop = text.find(end, at);
    if (name_end == std::string::npos || stop == std::string::npos) {
      throw error(path.string() + ": a generated part has no end");
    }
    const std::string name = text.substr(at + open.size(), name_end - at - open.size());
    const auto part = known.find(name);
    if (part == known.end()) throw error(path.string() + ": nothing generates " + name);
    const auto from = name_end + close.size();
    const std::string content = part->second();
    text.replace(from, stop - from, content);
    at = from + content.size();
  }
  return text;
}
