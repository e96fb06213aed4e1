// The one place that knows CLI11.
#include "cli/command.hpp"

#include <algorithm>
#include <cstdio>
#include <span>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/failure.hpp"
#include "cli/launcher.hpp"
#include "cli/words.hpp"
#include "warpfold/error.hpp"
#include "warpfold/version.hpp"

namespace warpfold::cli {

struct options::parser {
  explicit parser(CLI::App* below) : app(below) {}
  explicit parser(std::unique_ptr<CLI::App> owned) : app(owned.get()), top(std::move(owned)) {}

  CLI::App* app;
  std::unique_ptr<CLI::App> top;  // of the program's own command
  std::vector<std::unique_ptr<options>> below;
  action run;
  refusal refused = [](const std::string& what) { return say(2, what); };
  std::vector<std::string>*words = nullptr, *rest = nullptr;
  std::vector<std::pair<std::string, std::string>> trailing;  // these two's names, and their help

  void add_trailing(const std::string& name, const std::string& help) {
    trailing.emplace_back(name, help);
    std::string text;
    for (const auto& [n, h] : trailing) text += n + "\n    " + h + "\n";
    app->footer(text);
  }
};

namespace {

/// "warpfold ladder reduce"
std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name()
                                     : full_name(*app.get_parent()) + " " + app.get_name();
}

std::vector<std::string> names_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (const auto* below : app.get_subcommands({})) names.push_back(below->get_name());
  return names;
}

/// What is wrong with the command line, and where to read on.
std::string complaint(const CLI::App& app, const std::string& what) {
  return what + " (see '" + full_name(app) + " --help')";
}

std::string about_word(const CLI::App& app, const std::string& word) {
  const bool dashed = word.starts_with("-") && word != "-";
  std::string what = "'" + word + "': ";
  if (!app.get_subcommands({}).empty()) {
    what += "there is no such command";
  } else {
    what += dashed ? "there is no such option" : "is not expected here";
  }
  if (const auto near = nearest(word, names_of(app)); !near.empty()) {
    what += "; did you mean " + near + "?";
  } else if (dashed && !word.starts_with("--")) {
    what += "; put a file name that begins with a dash after --";
  }
  return what;
}

/// Whether a word among those that another program shall have is one of our options, misspelt. What
/// goes on behind an option's name, as nvcc's --device-c does, is another option.
bool is_slip(const CLI::App& app, const std::string& word) {
  if (!word.starts_with("--")) return false;
  const auto names = names_of(app);
  return !nearest(word.substr(0, word.find('=')), names).empty() &&
         std::none_of(names.begin(), names.end(),
                      [&](const std::string& name) { return word.starts_with(name + "-"); });
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// Text as troff takes it: no dash a hyphen, no line a request.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '-') out += '\\';
    const bool begins = out.empty() || out.back() == '\n';
    if (begins && (c == '.' || c == '\'')) out += "\\&";
    out += c;
  }
  return out;
}

bool takes_value(const CLI::Option& option) { return option.get_expected_max() != 0; }

/// "-o, --output TEXT"
std::string shown_name(const CLI::Option& option) {
  std::string text;
  for (const auto& name : option.get_snames()) text += "-" + name + ", ";
  for (const auto& name : option.get_lnames()) text += "--" + name + ", ";
  if (text.empty()) return option.get_name();
  text.resize(text.size() - 2);
  return takes_value(option) ? text + " " + option.get_type_name() : text;
}

void print_options(const CLI::App& app) {
  for (const auto* option : app.get_options()) {
    std::string help = roff(option->get_description());
    for (std::size_t at = 0; (at = help.find('\n', at)) != std::string::npos; at += 5) {
      help.replace(at, 1, "\n.br\n");
    }
    if (!option->get_default_str().empty()) help += " [" + roff(option->get_default_str()) + "]";
    std::printf(".TP\n.B %s\n%s\n", roff(shown_name(*option)).c_str(), help.c_str());
  }
}

/// A page for section 1 of the manual.
int print_man(const CLI::App& app,
              const std::vector<std::pair<std::string, std::string>>& trailing) {
  std::string title = full_name(app);
  std::replace(title.begin(), title.end(), ' ', '-');
  std::printf(".TH %s 1 \"\" \"warpfold %s\" \"warpfold\"\n.SH NAME\n%s \\- %s\n", title.c_str(),
              std::string(version).c_str(), roff(title).c_str(),
              roff(app.get_description()).c_str());
  std::printf(".SH SYNOPSIS\n.B %s\n", roff(full_name(app)).c_str());
  const auto below = app.get_subcommands({});
  if (!below.empty()) std::printf(".I command\n");
  std::printf("[\\fIoptions\\fR]");
  for (const auto* option : app.get_options()) {
    if (!option->get_positional()) continue;
    const bool many = option->get_expected_max() > 1;
    const std::string name = roff(option->get_name() + (many ? "..." : ""));
    std::printf(option->get_required() ? " \\fI%s\\fR" : " [\\fI%s\\fR]", name.c_str());
  }
  for (const auto& [name, help] : trailing) std::printf(" \\fI%s\\fR", roff(name).c_str());
  std::printf("\n.SH OPTIONS\n");
  print_options(app);
  for (const auto& [name, help] : trailing) {
    std::printf(".TP\n.B %s\n%s\n", roff(name).c_str(), roff(help).c_str());
  }
  for (const auto* command : below) {
    std::printf(".SH \"%s\"\n%s.\n", roff(full_name(*command)).c_str(),
                roff(command->get_description()).c_str());
    print_options(*command);
  }
  std::printf(
      ".SH EXIT STATUS\n0 success, 1 a check failed, 2 wrong usage, 3 no usable device or no "
      "memory, "
      "4 bad data or an input or output error, 5 an internal error. On SIGINT, SIGTERM or SIGHUP a "
      "command cleans up, then ends by that signal.\n.SH SEE ALSO\n.BR warpfold (1)\n");
  return 0;
}

/// What may come after these words, with what it is for: the values of an option that lists some.
int print_next(const CLI::App& app, std::span<char* const> words) {
  const CLI::App* at = &app;
  for (const char* const word : words) {
    for (const auto* below : at->get_subcommands({})) {
      if (below->get_name() == word) at = below;
    }
  }
  const auto* const last = words.empty() ? nullptr : at->get_option_no_throw(words.back());
  if (last != nullptr && !last->get_positional() && takes_value(*last)) {
    for (const auto& [value, about] : listed_values(last->get_description())) {
      std::printf("%s\t%s\n", value.c_str(), about.c_str());
    }
    return 0;
  }
  for (const auto* below : at->get_subcommands({})) {
    std::printf("%s\t%s\n", below->get_name().c_str(), below->get_description().c_str());
  }
  for (const auto* option : at->get_options()) {
    if (option->get_lnames().empty()) continue;
    std::printf("--%s\t%s\n", option->get_lnames().front().c_str(),
                first_line(option->get_description()).c_str());
  }
  return 0;
}

const CLI::App& chosen_of(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : chosen_of(*chosen.front());
}

}  // namespace

options::options(const std::string& name, const std::string& about)
    : parser_(std::make_unique<parser>(std::make_unique<CLI::App>(about, name))) {
  parser_->app->allow_extras();
}
options::options(std::unique_ptr<parser> below) : parser_(std::move(below)) {}
options::~options() = default;

std::string options::long_name(const std::string& names) {
  return names.substr(names.find(',') + 1);
}

void options::take(const std::string& names, std::function<void(const std::string&)> read,
                   const std::string& help, option_details more) {
  auto* const option = parser_->app->add_option_function<std::string>(names, std::move(read), help);
  option->required(more.required)->default_str(more.shown);
  if (!more.group.empty()) option->group(more.group);
}

void options::values(const std::string& names, std::vector<std::string>& to,
                     const std::string& help, option_details more) {
  auto* const option = parser_->app->add_option(names, to, help);
  option->required(more.required);
  // An option takes the one word behind it: the next may be a word by its place.
  if (!option->get_positional()) option->allow_extra_args(false);
}

void options::list(const std::string& names, std::vector<std::string>& to,
                   const std::string& help) {
  parser_->app->add_option(names, to, help);
}

void options::words(const std::string& name, std::vector<std::string>& to,
                    const std::string& help) {
  parser_->words = &to;
  parser_->add_trailing(name, help);
}
void options::rest(const std::string& name, std::vector<std::string>& to, const std::string& help) {
  parser_->rest = &to;
  parser_->add_trailing("-- " + name, help);
}

void options::flag(const std::string& names, bool& to, const std::string& help,
                   option_details more) {
  auto* const option = parser_->app->add_flag(names, to, help);
  if (!more.group.empty()) option->group(more.group);
}

options& options::command(const std::string& name, const std::string& about) {
  auto* const app = parser_->app->add_subcommand(name, about);
  app->allow_extras();
  parser_->below.push_back(std::unique_ptr<options>(new options(std::make_unique<parser>(app))));
  return *parser_->below.back();
}

void options::refused_by(refusal say) { parser_->refused = std::move(say); }

void options::then(action run) { parser_->run = std::move(run); }

int options::run(int argc, char** argv) {
  const CLI::App& app = *parser_->app;
  std::span<char* const> given(argv, static_cast<std::size_t>(argc));
  if (given.size() == 2 && std::string_view(given[1]) == "--man")
    return print_man(app, parser_->trailing);
  if (given.size() > 1 && std::string_view(given[1]) == "--complete") {
    return print_next(app, given.subspan(2));
  }
  const auto refuse = [&](const CLI::App& of, const std::string& what) {
    return parser_->refused(complaint(of, what));
  };
  const auto extras = [&](const CLI::App& of) {
    return parser_->words == nullptr ? of.remaining() : std::vector<std::string>();
  };
  if (parser_->rest != nullptr) {
    const auto dashes = std::find(given.begin(), given.end(), std::string_view("--"));
    if (dashes != given.end()) parser_->rest->assign(dashes + 1, given.end());
    given = {given.begin(), dashes};
  }
  try {
    parser_->app->parse(static_cast<int>(given.size()), given.data());
    if (parser_->words != nullptr) {
      *parser_->words = app.remaining();
      for (const auto& word : *parser_->words) {
        if (is_slip(app, word)) return refuse(app, about_word(app, word.substr(0, word.find('='))));
      }
    }
  } catch (const CLI::CallForHelp& e) {
    return another_rank_speaks() ? 0 : parser_->app->exit(e);
  } catch (const CLI::ArgumentMismatch& e) {
    const std::string what = e.what();
    const bool again = what.find("received") != what.npos;
    return refuse(chosen_of(app),
                  what.substr(0, what.find(':')) +
                      (again ? ": is given more than once" : ": its value is missing"));
  } catch (const CLI::ParseError& e) {
    const CLI::App& chosen = chosen_of(app);
    if (const auto words = extras(chosen); !words.empty())
      return refuse(chosen, about_word(chosen, words.front()));
    return refuse(chosen, e.what());
  } catch (const usage_error& e) {  // a value's
    return parser_->refused(e.what());
  }
  const CLI::App& chosen = chosen_of(app);
  if (const auto words = extras(chosen); !words.empty()) {
    return refuse(chosen, about_word(chosen, words.front()));
  }
  const options* running = this;
  for (const auto& each : parser_->below) {
    if (each->parser_->app == &chosen) running = each.get();
  }
  if (!running->parser_->run) {
    std::string known;
    for (const auto* below : app.get_subcommands({})) {
      known += (known.empty() ? "" : ", ") + below->get_name();
    }
    return refuse(app, "say which: " + known);
  }
  return running->parser_->run();
}

}  // namespace warpfold::cli
