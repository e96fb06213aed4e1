// warpfold: finds the program of a command beside itself and becomes it, as git does. It knows the
// commands' names and what each is for, and nothing else of them.
#include "cli/front.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/launcher.hpp"
#include "cli/program.hpp"
#include "cli/words.hpp"
#include "commit.hpp"  // generated at each build
#include "warpfold/error.hpp"
#include "warpfold/version.hpp"

namespace warpfold::cli {

namespace {

using strings = std::vector<std::string>;

strings split(std::string_view words) {
  strings all;
  for (std::size_t from = 0; from <= words.size();) {
    const auto to = std::min(words.find(' ', from), words.size());
    all.emplace_back(words.substr(from, to - from));
    from = to + 1;
  }
  return all;
}

bool asks_for_help(std::string_view word) {
  return word == "--help" || word == "-h" || word == "help";
}

int refuse(const std::string& what, const std::string& where) {
  if (another_rank_speaks()) return 2;
  std::fprintf(stderr, "warpfold: %s (see '%s --help')\n", printable(what).c_str(), where.c_str());
  return 2;
}

std::string joined(const strings& words, const char* between = " ") {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

strings with(strings words, const std::string& last) {
  words.push_back(last);
  return words;
}

/// "warpfold ladder"
std::string called(const strings& words) {
  return words.empty() ? "warpfold" : "warpfold " + joined(words);
}

/// The next words of the commands whose names begin with these.
strings next_words(const strings& begin) {
  strings next;
  for (const command_name& c : commands()) {
    const strings words = split(c.words);
    if (words.size() <= begin.size() || !std::equal(begin.begin(), begin.end(), words.begin())) {
      continue;
    }
    const std::string& word = words[begin.size()];
    if (std::find(next.begin(), next.end(), word) == next.end()) next.push_back(word);
  }
  return next;
}

int print_help(const strings& group) {
  if (another_rank_speaks()) return 0;
  std::string text;
  if (group.empty()) {
    text = "Parallel reduction, scan and sort: every step from the first naive kernel on\n";
  }
  text += "Usage: " + called(group) + " COMMAND [OPTIONS]\n\nCommands:\n";
  for (const command_name& c : commands()) {
    const strings words = split(c.words);
    if (!std::equal(group.begin(), group.begin() + std::min(group.size(), words.size()),
                    words.begin())) {
      continue;
    }
    text += "  " + std::string(c.words) +
            std::string(18 - std::min<std::size_t>(17, c.words.size()), ' ') +
            std::string(c.about) + "\n";
  }
  text += "\n'warpfold COMMAND --help' lists a command's options. Version " + std::string(version) +
          ".\n";
  std::fputs(text.c_str(), stdout);
  return std::fflush(stdout) == 0 ? 0 : 4;
}

int print_man() {
  std::string text =
      ".TH warpfold 1 \"\" \"warpfold " + std::string(version) +
      "\" \"warpfold\"\n.SH NAME\nwarpfold \\- parallel reduction, scan and sort, from "
      "the first naive kernel on\n.SH SYNOPSIS\n.B warpfold\n\\fIcommand\\fR "
      "[\\fIoptions\\fR]\n.SH COMMANDS\n";
  for (const command_name& c : commands()) {
    text += ".TP\n.BR " + program_of(c.words) + " (1)\n" + std::string(c.about) + "\n";
  }
  text += ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nno colour on a terminal\n";
  std::fputs(text.c_str(), stdout);
  return std::fflush(stdout) == 0 ? 0 : 4;
}

const command_name* find(const strings& words) {
  for (const command_name& c : commands()) {
    if (split(c.words) == words) return &c;
  }
  return nullptr;
}

/// Prints what may come after these words, a line each with what it is for; behind a command, what
/// its own program says.
int print_next(std::span<const std::string> typed) {
  strings words;
  for (std::size_t i = 0; i < typed.size(); ++i) {
    words.push_back(typed[i].substr(0, typed[i].find('/')));
    if (const auto* const command = find(words)) {
      strings rest{"--complete"};
      rest.insert(rest.end(), typed.begin() + static_cast<std::ptrdiff_t>(i) + 1, typed.end());
      become(program_of(command->words), rest);
    }
  }
  for (const std::string& word : next_words(words)) {
    const auto* const command = find(with(words, word));
    std::printf("%s\t%s\n", word.c_str(),
                command != nullptr ? std::string(command->about).c_str() : "");
  }
  return std::fflush(stdout) == 0 ? 0 : 4;
}

int run(const strings& arguments) {
  if (!arguments.empty() && arguments.front() == "--man") return print_man();
  if (!arguments.empty() && arguments.front() == "--complete") {
    return print_next(std::span(arguments).subspan(1));
  }
  strings words;  // of the command, as far as they are known
  std::size_t taken = 0;
  for (; taken < arguments.size(); ++taken) {
    const std::string& word = arguments[taken];
    const strings known = next_words(words);
    // A rung is named with its ladder: reduce/12 belongs to the command that ends in reduce.
    const std::string name = words.empty() ? word : word.substr(0, word.find('/'));
    if (std::find(known.begin(), known.end(), name) == known.end()) break;
    words.push_back(name);
    if (name != word) break;
  }
  if (const auto* const command = find(words)) {
    become(program_of(command->words), std::span(arguments).subspan(taken));
  }
  if (taken == arguments.size()) {
    if (words.empty()) return print_help({});
    return refuse(joined(words) + ": say which: " + joined(next_words(words), ", "), called(words));
  }
  const std::string& word = arguments[taken];
  if (asks_for_help(word)) {
    if (taken + 1 == arguments.size()) return print_help(words);
    strings named(arguments.begin(), arguments.end());  // help scan: scan --help
    named.erase(named.begin() + static_cast<std::ptrdiff_t>(taken));
    if (word == "help") {
      named.emplace_back("--help");
      return run(named);
    }
    return print_help(words);
  }
  if (words.empty() && word == "--version") {
    const std::string_view from = commit;  // "" without git
    std::printf("%s%s\n", std::string(version).c_str(),
                from.empty() ? "" : (" (" + std::string(from) + ")").c_str());
    return std::fflush(stdout) == 0 ? 0 : 4;
  }
  const std::string what = word.starts_with("-")
                               ? "'" + word + "': expected a command"
                               : "there is no command '" + joined(with(words, word)) + "'";
  return refuse(what + "; " + suggestion(word, next_words(words)), called(words));
}

}  // namespace
}  // namespace warpfold::cli

int main(int argc, char** argv) {
  try {
    return warpfold::cli::run({argv + 1, argv + argc});
  } catch (const std::bad_alloc&) {
    std::fputs("warpfold: not enough memory\n", stderr);
    return 3;
  } catch (const warpfold::data_error& e) {
    std::fprintf(stderr, "warpfold: %s\n", e.what());
    return 4;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "warpfold: %s\n", e.what());
    return 5;
  }
}
