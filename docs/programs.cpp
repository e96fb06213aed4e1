#include "docs/programs.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "warpfold/error.hpp"

namespace {

using warpfold::measure::json;

std::string text_of(const json& object, const char* key) {
  return object.contains(key) ? object.at(key).get<std::string>() : std::string();
}

/// A program is right when it ends without an error and nothing that checks its results objects.
bool is_right(const json& program) {
  return program.at("ran") == true && text_of(program, "self_check") != "failed";
}

auto count(const json& suite, bool (*has)(const json&)) {
  const json& all = suite.at("programs");
  return std::count_if(all.begin(), all.end(), has);
}

std::string yes(const json& value) { return value.get<bool>() ? "yes" : "no"; }

/// Empty if it was not examined.
std::string number_of(const json& program, const char* what) {
  return program.contains(what) ? std::to_string(program.at(what).get<int>()) : "";
}

/// What a look at all programs with counters and checks found.
std::string findings_sentence(const json& suite) {
  const json& all = suite.at("programs");
  int looked = 0, with = 0;
  for (const json& p : all) {
    if (!p.contains("findings")) continue;
    ++looked;
    if (p.at("findings") != 0) ++with;
  }
  if (looked == 0) return "";
  std::string text = fmt::format(
      "\n{} of these were run again, counted and checked; with findings: {}.", looked, with);
  if (looked != static_cast<int>(all.size())) {
    text +=
        " The others take more than 60 s of CPU time so, launch no kernel, or were not run again.";
  }
  return text + "\n";
}

}  // namespace

std::string programs_summary(const json& facts) {
  std::string text =
      "| suite | revision | programs | compile | run to their end | of these, checked by "
      "themselves |\n"
      "|---|---|---:|---:|---:|---:|\n";
  for (const json& suite : facts.at("suites")) {
    text += fmt::format("| {} | `{:.10}` | {} | {} | {} | {} |\n", text_of(suite, "repository"),
                        text_of(suite, "revision"), suite.at("programs").size(),
                        count(suite, [](const json& p) { return p.at("compiled") == true; }),
                        count(suite, is_right), count(suite, [](const json& p) {
                          return is_right(p) && text_of(p, "self_check") == "passed";
                        }));
  }
  return text + fmt::format("\n{}, {}, commit {}; limit: {}.\n", text_of(facts, "date"),
                            text_of(facts, "processor"), text_of(facts, "commit"),
                            text_of(facts, "limit"));
}

std::string programs_table(const json& facts, const std::string& name) {
  for (const json& suite : facts.at("suites")) {
    if (text_of(suite, "name") != name) continue;
    std::string text = fmt::format("`{}`\n\n", text_of(suite, "command"));
    text +=
        "| program | arguments | compiles | runs | self-check | kernels counted | findings | |\n"
        "|---|---|---|---|---|---:|---:|---|\n";
    for (const json& p : suite.at("programs")) {
      text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", text_of(p, "name"),
                          text_of(p, "arguments"), yes(p.at("compiled")), yes(p.at("ran")),
                          text_of(p, "self_check"), number_of(p, "kernels"),
                          number_of(p, "findings"), text_of(p, "note"));
    }
    text += findings_sentence(suite);
    if (!suite.contains("excluded")) return text;
    text += "\n| left out | why |\n|---|---|\n";
    for (const json& e : suite.at("excluded")) {
      text += fmt::format("| {} | {} |\n",
                          fmt::join(e.at("programs").get<std::vector<std::string>>(), ", "),
                          text_of(e, "why"));
    }
    return text;
  }
  throw warpfold::error("bench/results/programs.json has no suite " + name);
}

namespace {

/// An entry may stand for several kernels with the same mistake.
int kernels_in(const json& entry) { return entry.value("count", 1); }

/// Kernels with a mistake, and how many of these the checks and compute-sanitizer find.
struct found_counts {
  int all = 0, here = 0, sanitizer = 0;
};

found_counts count_found(const json& record) {
  found_counts counts;
  for (const json& k : record.at("wrong")) {
    counts.all += kernels_in(k);
    if (!text_of(k, "finding").empty()) counts.here += kernels_in(k);
    if (k.contains("sanitizer") && text_of(k, "sanitizer").ends_with("check")) {
      counts.sanitizer += kernels_in(k);
    }
  }
  return counts;
}

/// What compute-sanitizer reports of the same programs on a device.
std::string sanitizer_sentence(const json& record) {
  const json& beside = record.at("sanitizer");
  std::string text = fmt::format(
      " {} ({}) finds {} of them; {} kernels without a mistake have no error, and {} have one",
      text_of(beside, "tools"), text_of(beside, "device"), count_found(record).sanitizer,
      beside.at("silent").get<int>(), beside.at("alarms").size());
  const char* separator = ": ";
  for (const json& k : beside.at("alarms")) {
    text += fmt::format("{}{} ({}; {})", separator, text_of(k, "kernel"), text_of(k, "tool"),
                        text_of(k, "why"));
    separator = ", ";
  }
  return text + ".";
}

std::string record_of(const json& record) {
  const json &wrong = record.at("wrong"), &alarms = record.at("alarms");
  const found_counts found = count_found(record);
  const bool beside = record.contains("sanitizer");
  std::string text = fmt::format(
      "{} at `{:.10}`: {} of {} kernels with a mistake are found; {} kernels without one have no "
      "finding, and {} have one.{}\n\n| kernel with a mistake | finding |{} if none, why "
      "|\n|---|---|{}---|\n",
      text_of(record, "repository"), text_of(record, "revision"), found.here, found.all,
      record.at("silent").get<int>(), alarms.size(), beside ? sanitizer_sentence(record) : "",
      beside ? " compute-sanitizer |" : "", beside ? "---|" : "");
  for (const json& k : wrong) {
    const std::string several =
        k.contains("count") ? fmt::format(" ({} programs)", kernels_in(k)) : "";
    text +=
        fmt::format("| {}{} | {} |{} {} |\n", text_of(k, "kernel"), several, text_of(k, "finding"),
                    beside ? fmt::format(" {} |", text_of(k, "sanitizer")) : "", text_of(k, "why"));
  }
  if (alarms.empty()) return text;
  text += "\n| kernel called right, with a finding | which is |\n|---|---|\n";
  for (const json& k : alarms) {
    text += fmt::format("| {} | {} |\n", text_of(k, "kernel"), text_of(k, "why"));
  }
  return text;
}

}  // namespace

std::string checker_headline(const json& facts) {
  for (const json& record : facts.at("checkers")) {
    if (text_of(record, "repository") != "burtscher/IndigoSuite") continue;
    const found_counts found = count_found(record);
    const json& other = record.at("sanitizer");
    return fmt::format(
        "| | found, of {} kernels with a mistake | false alarms, in {} kernels without one "
        "|\n|---|---:|---:|\n| `warpfold check` | {} | {} |\n| compute-sanitizer | {} | {} |\n",
        found.all, record.at("silent").get<int>() + static_cast<int>(record.at("alarms").size()),
        found.here, record.at("alarms").size(), found.sanitizer, other.at("alarms").size());
  }
  throw warpfold::error("bench/results/programs.json has no record of burtscher/IndigoSuite");
}

std::string checker_record(const json& facts) {
  std::string text;
  for (const json& record : facts.at("checkers")) {
    text += (text.empty() ? "" : "\n") + record_of(record);
  }
  return text;
}

std::string checker_fixes(const json& facts) {
  const json& fixes = facts.at("fixes");
  const auto have = [&](const char* when) {
    return std::ranges::count_if(fixes, [&](const json& f) { return f.at(when) != "none"; });
  };
  std::string text = fmt::format(
      "{} fixes: before them {} kernels have a finding, after them {}.\n\n"
      "| repository | commit | file | fixed | before | after | |\n|---|---|---|---|---|---|---|\n",
      fixes.size(), have("before"), have("after"));
  for (const json& f : fixes) {
    text += fmt::format("| {} | `{:.9}` | {} | {} | {} | {} | {} |\n", text_of(f, "repository"),
                        text_of(f, "commit"), text_of(f, "file"), text_of(f, "fixed"),
                        text_of(f, "before"), text_of(f, "after"), text_of(f, "why"));
  }
  return text;
}
