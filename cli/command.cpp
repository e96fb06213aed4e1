// The one place that knows CLI11.
#include "cli/command.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/words.hpp"

namespace warpfold::cli {

struct options::parser {
  explicit parser(CLI::App* below) : app(below) {}
  explicit parser(std::unique_ptr<CLI::App> owned) : app(owned.get()), top(std::move(owned)) {}

  CLI::App* app;
  std::unique_ptr<CLI::App> top;  // of the program's own command
  std::vector<std::unique_ptr<options>> below;
  action run;
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

/// Says what is wrong with the command line, on one line with where to read on.
int refuse(const CLI::App& app, const std::string& what) {
  std::fprintf(stderr, "warpfold: %s; try '%s --help'\n", printable(what).c_str(),
               full_name(app).c_str());
  return 2;
}

int refuse_word(const CLI::App& app, const std::string& word) {
  const bool dashed = word.starts_with("-") && word != "-";
  std::string what = "'" + word + "': ";
  if (!app.get_subcommands({}).empty()) {
    what += "there is no such command";
  } else {
    what += dashed ? "there is no such option" : "is one word too many";
  }
  if (const auto near = nearest(word, names_of(app)); !near.empty()) {
    what += "; did you mean " + near + "?";
  } else if (dashed && !word.starts_with("--")) {
    what += "; a file whose name begins with a dash goes behind --";
  }
  return refuse(app, what);
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
                   const std::string& help, details more) {
  auto* const option = parser_->app->add_option_function<std::string>(names, std::move(read), help);
  option->required(more.required)->default_str(more.shown);
  if (!more.group.empty()) option->group(more.group);
}

void options::flag(const std::string& names, bool& to, const std::string& help, details more) {
  auto* const option = parser_->app->add_flag(names, to, help);
  if (!more.group.empty()) option->group(more.group);
}

options& options::command(const std::string& name, const std::string& about) {
  auto* const app = parser_->app->add_subcommand(name, about);
  app->allow_extras();
  parser_->below.push_back(std::unique_ptr<options>(new options(std::make_unique<parser>(app))));
  return *parser_->below.back();
}

void options::then(action run) { parser_->run = std::move(run); }

int options::run(int argc, char** argv) {
  const CLI::App& app = *parser_->app;
  const auto extras = [](const CLI::App& of) { return of.remaining(); };
  try {
    parser_->app->parse(argc, argv);
  } catch (const CLI::CallForHelp& e) {
    return parser_->app->exit(e);
  } catch (const CLI::ParseError& e) {
    const CLI::App& chosen = chosen_of(app);
    if (const auto words = extras(chosen); !words.empty())
      return refuse_word(chosen, words.front());
    return refuse(chosen, e.what());
  }
  const CLI::App& chosen = chosen_of(app);
  if (const auto words = extras(chosen); !words.empty()) return refuse_word(chosen, words.front());
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
