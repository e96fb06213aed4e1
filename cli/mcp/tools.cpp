#include "cli/mcp/tools.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/judge/exercises.hpp"
#include "cli/judge/hand_in.hpp"
#include "cli/judge/ladder_rows.hpp"
#include "cli/judge/output.hpp"
#include "cli/judge/sandbox.hpp"
#include "cli/judge/source.hpp"
#include "cli/programs/program.hpp"
#include "cli/scratch_folder.hpp"
#include "cli/words.hpp"
#include "simt/findings.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli::mcp {

namespace {

namespace fs = std::filesystem;
using strings = std::vector<std::string>;

/// An argument of a tool.
struct parameter {
  std::string_view name, about;
  bool required = false;
};
struct tool {
  std::string_view name, about;
  std::vector<parameter> takes;
  std::function<answer(const json&)> call;
};

std::string text_of(const json& arguments, const char* name) {
  return arguments.value(name, std::string());
}

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

fs::path written(const fs::path& folder, const std::string& source) {
  const fs::path file = folder / "program.cu";
  if (!(std::ofstream(file, std::ios::binary) << source << std::flush)) {
    throw data_error(file.string() + ": can't be written");
  }
  return file;
}

std::string end_in_words(const judge::ending& how, const judge::limits& most) {
  if (how.timed_out) return fmt::format("not done within {} s", most.seconds);
  if (how.out_of_memory) return fmt::format("more than {} MiB of memory", most.memory_bytes >> 20);
  if (how.too_many) return fmt::format("more than {} processes", most.processes);
  const int signal = how.signal != 0 ? how.signal : how.code > 128 ? how.code - 128 : 0;
  if (signal != 0) return fmt::format("ended by signal {} ({})", signal, strsignal(signal));
  return fmt::format("ended with code {}", how.code);
}

/// A CUDA program, compiled and run as a hand-in is: with its limits, and confined where that can
/// be. The machine's variables are "SIMT_CHECK=1".
struct run_result {
  answer said;
  json report;  // of all launches, where the program has written one
};
run_result run_source(const std::string& source, const strings& variables) {
  const scratch_folder scratch;
  const judge::limits most;
  const std::string program = (scratch.path() / "program").string();
  const fs::path said = scratch.path() / "said";
  const auto compiled = judge::run_limited(
      {programs::driver(), "-std=c++20", written(scratch.path(), source).string(), "-o", program},
      scratch.path(), most);
  if (compiled.code != 0 || compiled.signal != 0) {
    return {{"does not compile: " + end_in_words(compiled, most) + "\n" + contents(said), true},
            {}};
  }
  strings words{"/usr/bin/env", "SIMT_REPORT=report.json"};
  words.insert(words.end(), variables.begin(), variables.end());
  words.push_back(program);
  const auto ran = judge::run_confined(words, scratch.path(), most);
  const bool failed = ran.code != 0 || ran.signal != 0 || ran.timed_out;
  return {{contents(said) + (failed ? end_in_words(ran, most) + "\n" : ""), failed},
          json::parse(contents(scratch.path() / "report.json"), nullptr, false)};
}

answer run(const json& arguments) { return run_source(text_of(arguments, "source"), {}).said; }

answer check(const json& arguments) {
  answer said = run_source(text_of(arguments, "source"), {"SIMT_CHECK=1"}).said;
  if (said.text.empty()) said.text = "no findings\n";
  return said;
}

strings device_of(const json& arguments) {
  const std::string device = text_of(arguments, "device");
  return device.empty() ? strings{} : strings{"SIMT_DEVICE=" + device};
}

/// Of each kernel of the program, these keys of its report.
answer of_kernels(const json& arguments, const strings& keys) {
  run_result ran = run_source(text_of(arguments, "source"), device_of(arguments));
  if (ran.said.failed) return ran.said;
  json all = json::array();
  for (const json& kernel : ran.report.value("kernels", json::array())) {
    json one;
    for (const std::string& key : keys) {
      if (kernel.contains(key)) one[key] = kernel[key];
    }
    all.push_back(one);
  }
  return {all.dump(1) + "\n"};
}

answer counters(const json& arguments) {
  return of_kernels(arguments, {"name", "launches", "grid", "block", "counters", "remarks"});
}
answer predict(const json& arguments) {
  return of_kernels(arguments, {"name", "launches", "grid", "block", "predicted"});
}

answer judge_source(const json& arguments) {
  const std::string name = text_of(arguments, "exercise"), asked = text_of(arguments, "ladder");
  const judge::exercise* exercise = name.empty() ? nullptr : &judge::exercise_named(name);
  const auto kind = exercise != nullptr ? exercise->ladder : ladder::ladder_named(asked);
  if (!kind) {
    throw usage_error(fmt::format("ladder is {}: {}", printable(asked), judge::list_of_ladders));
  }
  const scratch_folder scratch;
  const fs::path file = written(scratch.path(), text_of(arguments, "source"));
  const judge::conditions judged{.ladder = *kind, .most = {}, .seed = std::random_device()()};
  std::vector<judge::verdict> verdicts{judge::judge_hand_in(file.string(), judged)};
  if (exercise != nullptr) judge::hold_to_goals(verdicts.front(), *exercise);
  const judge::ladder_rows rows(*kind);
  std::string text = judge::json_of(verdicts, rows, judged.seed);
  for (std::size_t at; (at = text.find(file.string())) != std::string::npos;) {
    text.replace(at, file.string().size(), file.filename().string());
  }
  return {text};
}

answer explain_finding(const json& arguments) {
  const std::string asked = text_of(arguments, "finding");
  std::string known;
  for (int i = 0; i <= static_cast<int>(simt::finding_kind::not_freed); ++i) {
    const simt::finding f{.kind = static_cast<simt::finding_kind>(i)};
    const std::string name = simt::name_of(f.kind);
    if (asked.find(name) != std::string::npos) return {name + "\nfix: " + f.mend() + "\n"};
    known += (known.empty() ? "" : ", ") + name;
  }
  throw usage_error("there is no finding " + printable(asked) + "; there are " + known);
}

const std::vector<tool>& tools() {
  static constexpr parameter source{"source", "The text of a CUDA program (.cu) with a main", true};
  static constexpr parameter device{"device", "The device to model, such as a100 (default: h100)"};
  static const std::vector<tool> all{
      {"run",
       "Compile a CUDA program and run it on the CPU machine. Returns what it prints.",
       {source},
       run},
      {"check",
       "Run a CUDA program with all checks: races, barriers, bounds, unwritten memory.",
       {source},
       check},
      {"counters",
       "Run a CUDA program and return a profiler's counters of each kernel as JSON.",
       {source, device},
       counters},
      {"predict",
       "Run a CUDA program and return each kernel's predicted time on a device as JSON.",
       {source, device},
       predict},
      {"judge",
       "Judge a function of a ladder's name: its results, its findings, its place on the ladder, "
       "the "
       "next step.",
       {{"source", "The text of the hand-in", true},
        {"ladder", judge::list_of_ladders},
        {"exercise", "An exercise instead of a ladder, such as conflicts"}},
       judge_source},
      {"explain_finding",
       "Return how to fix a finding of check or judge.",
       {{"finding", "The finding's kind, such as 'race between warps', or its first line", true}},
       explain_finding}};
  return all;
}

const tool* find(const std::string& name) {
  const auto at =
      std::find_if(tools().begin(), tools().end(), [&](const tool& t) { return t.name == name; });
  return at == tools().end() ? nullptr : &*at;
}

}  // namespace

json list_of_tools() {
  json list = json::array();
  for (const tool& t : tools()) {
    json properties = json::object(), required = json::array();
    for (const parameter& p : t.takes) {
      properties[std::string(p.name)] = {{"type", "string"}, {"description", p.about}};
      if (p.required) required.push_back(p.name);
    }
    list.push_back({{"name", t.name},
                    {"description", t.about},
                    {"inputSchema",
                     {{"type", "object"},
                      {"properties", properties},
                      {"required", required},
                      {"additionalProperties", false}}}});
  }
  return list;
}

bool is_tool(const std::string& name) { return find(name) != nullptr; }

answer call_tool(const std::string& name, const json& arguments) {
  const tool& t = *find(name);
  for (const auto& [key, value] : arguments.items()) {
    const bool known = std::any_of(t.takes.begin(), t.takes.end(),
                                   [&, &k = key](const parameter& p) { return p.name == k; });
    if (!known) throw usage_error(name + " has no argument " + printable(key));
    if (!value.is_string()) throw usage_error(name + ": " + key + " must be a string");
  }
  for (const parameter& p : t.takes) {
    if (p.required && !arguments.contains(std::string(p.name))) {
      throw usage_error(fmt::format("{}: {} is missing", name, p.name));
    }
  }
  return t.call(arguments);
}

}  // namespace warpfold::cli::mcp
