#include "cli/judge/hand_in.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <tuple>

#include <fmt/format.h>

#include "cli/judge/built.hpp"
#include "cli/judge/source.hpp"
#include "cli/programs/program.hpp"
#include "cli/scratch_folder.hpp"
#include "ladder/machines/prediction.hpp"
#include "measure/json.hpp"
#include "simt/findings.hpp"
#include "simt/prediction.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli::judge {

namespace {

namespace fs = std::filesystem;
using measure::json;

constexpr std::size_t most_offers = 9;  // those of wrapper.cuh

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write(const fs::path& file, const void* bytes, std::size_t count) {
  std::ofstream out(file, std::ios::binary);
  out.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
  if (!out.flush()) throw data_error(file.string() + ": can't be written");
}
void write(const fs::path& file, const std::string& text) { write(file, text.data(), text.size()); }

std::string harness() {
  std::error_code none;
  const fs::path prefix = fs::read_symlink("/proc/self/exe", none).parent_path().parent_path();
  const fs::path installed = prefix / WARPFOLD_HARNESS_DIRECTORY / "libwarpfold_judge.a";
  if (fs::exists(installed, none)) return installed.string();
  if (fs::exists(WARPFOLD_BUILT_HARNESS, none)) return WARPFOLD_BUILT_HARNESS;
  throw error("neither " + installed.string() +
              " nor the tree that this was built in is there; install warpfold again");
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

std::string count_of(std::size_t n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

/// "n = 33", "n = 33 of f32, min", "n = 33, one value", "n = 33 in another order of blocks, warps
/// and lanes".
std::string name_of(const trial& t, const offer& usual, unsigned usual_bins) {
  std::string text = fmt::format("n = {}", t.n);
  if (t.of.type != usual.type) text += " of " + t.of.type;
  if (t.of.op != usual.op) text += ", " + t.of.op;
  if (t.input != input_kind::random) text += fmt::format(", {}", judge::name_of(t.input));
  if (t.bins != usual_bins) text += fmt::format(", {} bins", t.bins);
  if (t.order != 0) text += " in another order of blocks, warps and lanes";
  return text;
}

/// As it stands between the quotes of JSON.
std::string in_json(const std::string& text) {
  const std::string quoted = json(text).dump();
  return quoted.substr(1, quoted.size() - 2);
}

/// What the process of a hand-in has left behind. Where it names the file at `path`, the name as it
/// was given stands.
class left_behind {
 public:
  left_behind(const fs::path& folder, const std::string& path, const std::string& given)
      : outputs_(contents(folder / "output")) {
    std::ifstream file(folder / "events");
    for (std::string line; std::getline(file, line);) {
      const json event = json::parse(replaced(line, in_json(path), in_json(given)), nullptr, false);
      if (!event.is_object()) continue;
      if (event.contains("begin")) begun_ = event["begin"].get<std::size_t>();
      if (event.contains("end")) ended_.emplace(event["end"].get<std::size_t>(), event);
    }
  }
  [[nodiscard]] const json* end_of(std::size_t index) const {
    const auto at = ended_.find(index);
    return at == ended_.end() ? nullptr : &at->second;
  }
  [[nodiscard]] std::optional<std::size_t> begun() const { return begun_; }
  [[nodiscard]] const std::byte* outputs() const {
    return reinterpret_cast<const std::byte*>(outputs_.data());
  }
  [[nodiscard]] std::size_t output_bytes() const { return outputs_.size(); }

 private:
  std::string outputs_;
  std::map<std::size_t, json> ended_;
  std::optional<std::size_t> begun_;
};

class judging {
 public:
  judging(const std::string& file, const conditions& c) : c_(c), path_(fs::absolute(file)) {
    v_.file = file;
    v_.ladder = c.ladder;
  }

  verdict run() {
    try {
      text_ = read_hand_in(v_.file);
      if (compile() && list_offers()) try_all();
    } catch (const refused& why) {
      end_as(outcome::refused, why.what());
    } catch (const json::exception&) {
      end_as(outcome::stopped, spoilt);
    } catch (const std::logic_error&) {  // out of range, or an unknown type
      end_as(outcome::stopped, spoilt);
    }
    return std::move(v_);
  }

 private:
  static constexpr const char* spoilt = "the hand-in has written into the judge's files";

  void end_as(outcome o, const std::string& sentence) {
    v_.is = o;
    v_.sentence = sentence;
  }

  bool compile() {
    const auto launch = find_launch_line(c_.ladder, text_);
    if (!launch) refuse_bare_kernel(c_.ladder, text_);
    const fs::path source = scratch_.path() / "hand_in.cu";
    write(source, wrapped(c_.ladder, path_.string(), launch));
    const ending how =
        run_limited({programs::driver(), "-w", "-std=c++20", "-I" + path_.parent_path().string(),
                     source.string(), harness(), "-o", program()},
                    scratch_.path(), c_.most);
    v_.seconds.compile = how.seconds;
    if (how.code == 0 && how.signal == 0) return true;
    const std::string said = replaced(contents(scratch_.path() / "said"), path_.string(), v_.file);
    if (how.timed_out) {
      end_as(outcome::does_not_compile,
             fmt::format("does not compile within {} s of CPU time", c_.most.seconds));
    } else if (said.find("warpfold judge: the function is missing") != std::string::npos &&
               said.find(v_.file + ":") == std::string::npos) {
      end_as(outcome::refused, signature_problem(c_.ladder, text_));
    } else {
      v_.details = said;
      const auto at = said.find(": error:");
      const auto fatal = said.find(": fatal error:");
      const auto where = std::min(at, fatal);
      const auto from = where == std::string::npos ? 0 : said.rfind('\n', where) + 1;
      end_as(outcome::does_not_compile, "does not compile: " + first_line(said.substr(from)));
    }
    return false;
  }

  [[nodiscard]] std::string program() const { return (scratch_.path() / "program").string(); }

  bool list_offers() {
    const ending how = run_confined({program(), "list"}, scratch_.path(), c_.most);
    std::ifstream list(scratch_.path() / "entries");
    for (std::string line; std::getline(list, line) && offers_.size() < most_offers;) {
      const json j = json::parse(line, nullptr, false);
      if (j.is_object()) offers_.push_back({j.at("entry"), j.at("type"), j.at("op")});
    }
    if (!offers_.empty()) return true;
    end_as(outcome::stopped, "ends before its function is called: " + end_in_words(how));
    return false;
  }

  [[nodiscard]] std::string end_in_words(const ending& how) const {
    if (how.timed_out) return fmt::format("not done within {} s", c_.most.seconds);
    if (how.out_of_memory) {
      return fmt::format("more than {} MiB of memory", c_.most.memory_bytes >> 20);
    }
    if (how.too_many) return fmt::format("more than {} processes", c_.most.processes);
    if (how.signal != 0) {
      return fmt::format("the process was ended by signal {} ({})", how.signal,
                         strsignal(how.signal));
    }
    if (how.code > 128) {
      return fmt::format("the process was ended by signal {} ({})", how.code - 128,
                         strsignal(how.code - 128));
    }
    const std::string said = first_line(contents(scratch_.path() / "said"));
    return fmt::format("the process ended with code {}{}", how.code,
                       how.code == 5 && !said.empty() ? ": " + said : "");
  }

  void try_all() {
    const trials tried(c_.ladder, offers_, c_.seed);
    write(scratch_.path() / "input", tried.inputs().data(), tried.inputs().size());
    write(scratch_.path() / "output", std::string(tried.output_bytes(), '\0'));
    json cases = json::array();
    for (std::size_t i = 0; i < tried.all().size(); ++i) {
      const trial& t = tried.all()[i];
      cases.push_back({{"index", i},
                       {"entry", t.of.entry},
                       {"n", t.n},
                       {"bins", t.bins},
                       {"out_bytes", t.out_bytes},
                       {"mode", judge::name_of(t.mode)},
                       {"seed", t.order},
                       {"in", t.in_at},
                       {"out", t.out_at},
                       {"limit", c_.most.seconds / 2}});
      if (c_.ladder == ladder::ladder_kind::select) cases.back()["kept_at"] = t.kept_at();
    }
    write(scratch_.path() / "cases", cases.dump());
    const ending how = run_confined({program()}, scratch_.path(), c_.most);
    v_.seconds.run = how.seconds;
    const left_behind left(scratch_.path(), path_.string(), v_.file);
    if (left.output_bytes() != tried.output_bytes()) {
      end_as(outcome::stopped, "the hand-in has removed the judge's files");
      return;
    }
    for (std::size_t i = 0; i < tried.all().size() && go_on_; ++i) {
      judge_case(tried, i, left, how);
    }
    conclude();
  }

  void judge_case(const trials& tried, std::size_t i, const left_behind& left, const ending& how) {
    const trial& t = tried.all()[i];
    const std::string where = name_of(t, offers_.front(), usual_bins(c_.ladder));
    const json* const event = left.end_of(i);
    if (event == nullptr) {
      go_on_ = false;
      if (!v_.wrong)
        end_as(outcome::stopped, fmt::format("stopped at {}: {}", where, end_in_words(how)));
      return;
    }
    take_findings(t, *event);
    for (const auto& e : event->value("errors", json::array())) {
      v_.errors.push_back(e.get<std::string>());
    }
    if (!v_.errors.empty()) {
      go_on_ = false;
      if (!v_.wrong)
        end_as(outcome::stopped,
               fmt::format("stopped at {}: {}", where, first_line(v_.errors.front())));
      return;
    }
    if (v_.wrong) return;
    const std::string what = what_is_wrong(tried, t, *event, left.outputs());
    if (!what.empty()) {
      v_.wrong = wrong_case{t, what};
      end_as(outcome::wrong, fmt::format("wrong at {}: {}", where, what));
      return;
    }
    ++v_.cases;
    if (t.mode == mode::count) take_counts(tried, t, *event);
  }

  /// Of a case that ran to its end; "" where all is as it should be.
  static std::string what_is_wrong(const trials& tried, const trial& t, const json& event,
                                   const std::byte* outputs) {
    // It remembers a result, or the host has made it.
    const std::string no_launch = "it launched no kernel";
    const bool launched = event.value("launched", true) || t.n < 1000;
    if (const auto d = tried.judge(t, outputs)) {
      const std::string why = launched ? d->likely : no_launch;
      return fmt::format("{}expected {}, got {}{}{}", d->place, d->expected, d->got,
                         why.empty() ? "" : ": ", why);
    }
    if (!launched) return no_launch;
    if (event.contains("input_changed")) {
      return fmt::format("in[{}] was changed", event["input_changed"].get<std::size_t>());
    }
    if (event.contains("guards_broken")) {
      return "bytes before or after the buffers were overwritten";
    }
    return {};
  }

  void take_findings(const trial& t, const json& event) {
    for (const json& f : event.value("findings", json::array())) {
      const json here = f.value("here", json::object()), other = f.value("other", here);
      judged_finding found{.kind = f.value("kind", ""),
                           .kernel = f.value("kernel", ""),
                           .file = here.value("file", ""),
                           .line = here.value("line", 0),
                           .column = here.value("column", 0),
                           .mend = f.value("mend", ""),
                           .text = f.value("text", ""),
                           .n = t.n,
                           .count = f.value("count", std::size_t{0}),
                           .whole = f};
      if (other != here && other.value("line", 0) != 0) {
        found.related.push_back({.file = other.value("file", ""),
                                 .line = other.value("line", 0),
                                 .column = other.value("column", 0),
                                 .text = other.value("does", "")});
      }
      const bool known = std::any_of(v_.findings.begin(), v_.findings.end(), [&](const auto& g) {
        return g.kind == found.kind && g.file == found.file && g.line == found.line;
      });
      if (!known) v_.findings.push_back(std::move(found));
    }
  }

  void take_counts(const trials& tried, const trial& t, const json& event) {
    measure::measurement m{.ladder = std::string(ladder::name_of(c_.ladder)),
                           .name = fs::path(v_.file).filename().string(),
                           .reference = true,
                           .backend = measure::backend_kind::simt,
                           .n = t.n,
                           .type = t.of.type,
                           .op = op_of(t)};
    m.verdict.right = true;
    m.verdict.result = m.verdict.expected = "right";
    m.useful_bytes = tried.useful_bytes(t);
    for (const auto& [name, value] : event.at("counters").items())
      m.counters.push_back({name, value});
    m.profiles = event.at("profiles").dump();
    const auto profiles = simt::parse_profiles(m.profiles);
    for (const auto& p : profiles) m.launches += static_cast<unsigned>(p.launches);
    if (!profiles.empty()) {
      m.predicted = ladder::as_measured(simt::predict(profiles, simt::find_device_model("h100")));
    }
    v_.kernels = event.at("kernels");
    for (const json& kernel : v_.kernels) take_lines(kernel);
    std::sort(v_.lines.begin(), v_.lines.end(),
              [](const auto& a, const auto& b) { return a.share > b.share; });
    if (m.predicted && m.predicted->median_us > 0) {
      for (auto& l : v_.lines) l.share /= m.predicted->median_us;
    }
    v_.row = std::move(m);
  }

  /// As the ladder's rows have it.
  [[nodiscard]] std::string op_of(const trial& t) const {
    if (c_.ladder == ladder::ladder_kind::histogram) return fmt::format("{} bins", t.bins);
    if (c_.ladder == ladder::ladder_kind::select) return "what is not 0";
    return t.of.op.empty() ? "keys" : t.of.op;
  }

  void take_lines(const json& kernel) {
    for (const json& l : kernel.at("lines")) {
      if (!l.contains("predicted_us")) continue;
      v_.lines.push_back({l.at("file"), l.at("line"), l.at("predicted_us")});
    }
    for (const json& r : kernel.at("remarks")) {
      v_.remarks.push_back(fmt::format("{}:{} · {} · {}", r.value("file", ""), r.value("line", 0),
                                       r.value("what", ""), r.value("wasted", "")));
    }
  }

  /// The first sentence, once all cases are judged.
  void conclude() {
    drop_reads_of_copies();
    if (v_.is == outcome::right && !v_.findings.empty()) {
      const judged_finding& f = v_.findings.front();
      end_as(outcome::unclean, fmt::format("right, with {}: {}",
                                           count_of(v_.findings.size(), "finding"), headline(f)));
    } else if (v_.is == outcome::right && v_.row && v_.row->profiles == "[]") {
      end_as(outcome::wrong, "launches no kernel");
    } else if (v_.is != outcome::right && !v_.findings.empty()) {
      v_.sentence += "; " + headline(v_.findings.front());
    } else if (v_.is == outcome::right) {
      v_.sentence = "right and clean";
    }
  }

  /// The input may have been copied whole to memory where the kernels work: what they loaded in the
  /// counted case shows it.
  void drop_reads_of_copies() {
    if (!v_.row) return;
    const double* const sectors = v_.row->find(measure::counters::load_sectors);
    const double* const bulk = v_.row->find(measure::counters::bulk_bytes);
    const double loaded = (sectors != nullptr ? *sectors * 32 : 0) + (bulk != nullptr ? *bulk : 0);
    if (loaded < static_cast<double>(v_.row->n) * 4) return;
    std::erase_if(v_.findings, [](const judged_finding& f) {
      return f.kind == simt::name_of(simt::finding_kind::never_read) && f.count >= f.n;
    });
  }

  [[nodiscard]] static std::string headline(const judged_finding& f) {
    return f.line == 0 ? first_line(f.text) : fmt::format("{} at {}:{}", f.kind, f.file, f.line);
  }

  conditions c_;
  fs::path path_;
  verdict v_;
  std::string text_;
  scratch_folder scratch_;
  std::vector<offer> offers_;
  bool go_on_ = true;
};

}  // namespace

verdict judge_hand_in(const std::string& file, const conditions& c) {
  return judging(file, c).run();
}

}  // namespace warpfold::cli::judge
