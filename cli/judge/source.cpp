#include "cli/judge/source.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <regex>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "cli/judge/texts.hpp"

namespace warpfold::cli::judge {

namespace {

using ladder::ladder_kind;

constexpr std::size_t most_bytes = std::size_t{1} << 20;

std::string value_of(ladder_kind kind) {
  return kind == ladder_kind::sort || kind == ladder_kind::histogram ? "unsigned" : "int";
}

/// What a ladder's function takes behind `in`, with its types and without.
std::string parameters_of(ladder_kind kind) {
  if (kind == ladder_kind::histogram) return "unsigned* counts, size_t n, unsigned bins";
  if (kind == ladder_kind::select) return "int* out, unsigned long long* kept, size_t n";
  return value_of(kind) + "* out, size_t n";
}
std::string_view arguments_of(ladder_kind kind) {
  if (kind == ladder_kind::histogram) return "in, counts, n, bins";
  if (kind == ladder_kind::select) return "in, out, kept, n";
  return "in, out, n";
}

bool is_utf8(const std::string& text) {
  try {
    static_cast<void>(nlohmann::json(text).dump());
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

std::string trimmed(std::string_view text) {
  const auto from = text.find_first_not_of(" \t");
  if (from == std::string_view::npos) return {};
  return std::string(text.substr(from, text.find_last_not_of(" \t") - from + 1));
}

/// The expressions between commas that are in no brackets.
std::vector<std::string> parts_of(std::string_view list) {
  std::vector<std::string> parts;
  int depth = 0;
  std::size_t from = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    const char c = i < list.size() ? list[i] : ',';
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c != ',' || (depth > 0 && i < list.size())) continue;
    parts.push_back(trimmed(list.substr(from, i - from)));
    from = i + 1;
  }
  return parts;
}

/// Blanks in place of comments and of what stands in quotes, so that columns and lines stay.
std::string code_of(std::string_view text) {
  std::string code(text);
  enum { plain, line, block, quoted, character } in = plain;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    const bool ends = (in == line && c == '\n') ||
                      (in == block && c == '/' && i > 0 && text[i - 1] == '*') ||
                      (in == quoted && c == '"' && text[i - 1] != '\\') ||
                      (in == character && c == '\'' && text[i - 1] != '\\');
    if (in != plain) {
      if (c != '\n') code[i] = ' ';
      if (ends) in = plain;
    } else if (c == '/' && (next == '/' || next == '*')) {
      in = next == '/' ? line : block;
      code[i] = ' ';
      if (next == '*') code[++i] = ' ';
    } else if (c == '"') {
      in = quoted;
    } else if (c == '\'' &&
               (i == 0 || std::isalnum(static_cast<unsigned char>(text[i - 1])) == 0)) {
      in = character;
    }
  }
  return code;
}

struct declaration {
  std::string text;  // on one line, without the body
  int line = 0;
  bool is_kernel = false;
};

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The functions of this name that the text defines or declares.
std::vector<declaration> find_functions(std::string_view text, std::string_view name) {
  const std::string code = code_of(text);
  std::vector<declaration> all;
  for (std::size_t at = 0; (at = code.find(name, at)) != std::string::npos; ++at) {
    const std::size_t open = code.find_first_not_of(" \t\r\n", at + name.size());
    const std::size_t before = code.find_last_not_of(" \t\r\n", at == 0 ? 0 : at - 1);
    if (at == 0 || in_word(code[at - 1]) || before == std::string::npos) continue;
    if (open == std::string::npos || code[open] != '(') continue;
    if (!in_word(code[before]) && code[before] != '*' && code[before] != '&') continue;
    const std::size_t close = code.find(')', open);
    const std::size_t next =
        close == std::string::npos ? close : code.find_first_not_of(" \t\r\n", close + 1);
    if (next == std::string::npos || (code[next] != '{' && code[next] != ';')) continue;
    std::size_t begin = code.find_last_of(";{}", at);
    begin = code.find_first_not_of(" \t\r\n", begin == std::string::npos ? 0 : begin + 1);
    for (std::size_t hash;
         (hash = code.find('#', begin)) < at;) {  // a directive of the preprocessor
      begin = std::min(code.find('\n', hash), at);
    }
    begin = code.find_first_not_of(" \t\r\n", begin);
    std::string shown(text.substr(begin, std::min<std::size_t>(close + 1 - begin, 200)));
    shown = std::regex_replace(shown, std::regex(R"(\s+)"), " ");
    if (shown.starts_with("return ")) continue;
    const auto lines =
        std::count(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    all.push_back(
        {shown, 1 + static_cast<int>(lines), shown.find("__global__") != std::string::npos});
  }
  return all;
}

}  // namespace

std::string signature_of(ladder_kind kind) {
  return fmt::format("{}void {}(const {}* in, {})",
                     kind == ladder_kind::select ? "" : "extern \"C\" ", name_of(kind),
                     value_of(kind), parameters_of(kind));
}

std::string read_hand_in(const std::string& file) {
  struct stat is {};
  if (stat(file.c_str(), &is) != 0) throw refused(std::strerror(errno));
  if (!S_ISREG(is.st_mode)) throw refused("is not a file");
  const auto bytes = static_cast<std::size_t>(is.st_size);
  if (bytes > most_bytes) {
    throw refused(fmt::format("has {:.1f} MiB; a hand-in has at most 1 MiB",
                              static_cast<double>(bytes) / static_cast<double>(most_bytes)));
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) throw refused(std::strerror(errno));
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (text.find_first_not_of(" \t\r\n\f\v") == std::string::npos) {
    throw refused("is empty; 'warpfold judge reduce --template' prints a file to begin with");
  }
  if (text.find('\0') != std::string::npos || !is_utf8(text)) {
    throw refused("is not UTF-8 text; save it as UTF-8");
  }
  return text;
}

std::optional<launch_line> find_launch_line(ladder_kind kind, std::string_view text) {
  static const std::regex marked(R"(^\s*//\s*launch:\s*(.*?)\s*;?\s*$)");
  static const std::regex launch(R"(^(.+?)\s*<<<(.+)>>>\s*\((.*)\)$)");
  int number = 0;
  for (std::size_t from = 0; from < text.size();) {
    const auto to = std::min(text.find('\n', from), text.size());
    const std::string line(text.substr(from, to - from));
    from = to + 1;
    ++number;
    std::smatch found;
    if (line.size() > 1000 || !std::regex_match(line, found, marked)) continue;
    const std::string said = found.str(1);
    const auto shape =
        std::regex_match(said, found, launch) ? parts_of(found.str(2)) : std::vector<std::string>{};
    if (shape.size() < 2 || shape.size() > 3) {
      throw refused(
          fmt::format("line {}: the launch is not of the form "
                      "'// launch: kernel<<<grid, block, shared>>>({})'",
                      number, arguments_of(kind)));
    }
    return launch_line{
        number, found.str(1), shape[0], shape[1], shape.size() > 2 ? shape[2] : "0", found.str(3)};
  }
  return {};
}

namespace {

/// Zeroes what a bare kernel adds to.
std::string clearing(ladder_kind kind) {
  if (kind == ladder_kind::histogram) return "cudaMemset(counts, 0, bins * sizeof(unsigned));";
  return kind == ladder_kind::select ? "cudaMemset(kept, 0, sizeof *kept);" : "";
}

/// A function that launches a bare kernel as its comment says; of a reduction again on the blocks'
/// partials until one is left.
std::string launching_function(ladder_kind kind, const launch_line& l) {
  const std::string type = value_of(kind);
  const std::string grid = fmt::format("\nconst std::size_t blocks_of_it = {};\n", l.grid);
  const std::string launch =
      fmt::format("\n{}<<<blocks, {}, {}>>>({});\n", l.kernel, l.block, l.shared, l.arguments);
  const std::string head =
      fmt::format("inline void warpfold_judge_launch({}* in, {}) {{\n", type, parameters_of(kind));
  if (kind != ladder_kind::reduce) {
    return head + clearing(kind) + grid +
           "const unsigned blocks = blocks_of_it == 0 ? 1 : blocks_of_it;" + launch + "}\n";
  }
  return head + fmt::format(R"(  {0}* partials[2] = {{nullptr, nullptr}};
  {0}* const result = out;
  for (int pass = 0;; ++pass) {{{1}
    const unsigned blocks = blocks_of_it == 0 ? 1 : blocks_of_it;
    {0}*& mine = partials[pass % 2];
    if (blocks > 1 && mine == nullptr) cudaMalloc(&mine, blocks * sizeof({0}));
    {0}* const out = blocks > 1 ? mine : result;{2}
    if (blocks == 1 || blocks >= n || cudaPeekAtLastError() != cudaSuccess) break;
    in = out;
    n = blocks;
  }}
  cudaFree(partials[0]);
  cudaFree(partials[1]);
}}
)",
                            type, grid, launch);
}

}  // namespace

std::string wrapped(ladder_kind kind, const std::string& path,
                    const std::optional<launch_line>& launch) {
  std::string text = "#include <cstddef>\n#define main warpfold_judge_main_of_hand_in\n";
  text += fmt::format("#include {}\n#undef main\n", nlohmann::json(path).dump());
  if (launch) text += launching_function(kind, *launch);
  text += fmt::format("#define WARPFOLD_JUDGED {}\n#define WARPFOLD_JUDGES_{}\n",
                      launch ? "warpfold_judge_launch" : name_of(kind), name_of(kind));
  std::string entries(entries_text());
  const std::string_view once = "#pragma once\n";
  entries.erase(entries.find(once), once.size());
  return text + entries + std::string(wrapper_text());
}

void refuse_bare_kernel(ladder_kind kind, std::string_view text) {
  const auto all = find_functions(text, name_of(kind));
  const auto is_kernel = [](const declaration& d) { return d.is_kernel; };
  if (all.empty() || !std::all_of(all.begin(), all.end(), is_kernel)) return;
  throw refused(
      fmt::format("line {}: {} is a kernel; state its launch in a comment, "
                  "'// launch: {}<<<grid, block, shared>>>({})'",
                  all.front().line, name_of(kind), name_of(kind), arguments_of(kind)));
}

std::string template_text(ladder_kind kind, std::string_view form) {
  std::string text(templates_text());
  const std::string mark = fmt::format("//--- {} {}\n", name_of(kind), form);
  const auto at = text.find(mark);
  if (at == std::string::npos) return {};
  const auto from = at + mark.size();
  return text.substr(from, text.find("//--- ", from) - from);
}

std::string signature_problem(ladder_kind kind, std::string_view text) {
  if (const auto own = find_functions(text, name_of(kind)); !own.empty()) {
    return fmt::format("line {}: '{}' is not '{}'", own.front().line, own.front().text,
                       signature_of(kind));
  }
  for (const ladder_kind other : ladder::ladder_kinds) {
    if (other != kind && !find_functions(text, name_of(other)).empty()) {
      return fmt::format("has a function {0} but no {1}; judge it with 'warpfold judge {0}'",
                         name_of(other), name_of(kind));
    }
  }
  return fmt::format(
      "has no function {}; it needs '{}', or a kernel and a comment "
      "'// launch: kernel<<<grid, block, shared>>>({})'",
      name_of(kind), signature_of(kind), arguments_of(kind));
}

}  // namespace warpfold::cli::judge
