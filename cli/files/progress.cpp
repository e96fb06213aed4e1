#include "cli/files/progress.hpp"

#include <algorithm>
#include <cstdio>
#include <new>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "measure/progress.hpp"
#include "measure/text.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {
namespace {

constexpr std::pair<pipeline::stage, const char*> shown_stages[] = {{pipeline::reading, "read"},
                                                                    {pipeline::working, "work"},
                                                                    {pipeline::ordering, "order"},
                                                                    {pipeline::finishing, "finish"},
                                                                    {pipeline::writing, "write"}};

/// Seconds that the stage needs for what has gone through, when all that it may use is busy.
double least_time(const pipeline::progress& p, pipeline::stage s) {
  return s == pipeline::ordering ? p.busy[s] : p.busy[s] / p.slots;
}

std::string rate(double bytes, double seconds) {
  return seconds > 0 ? measure::humanised(bytes / seconds, "B/s") : "-";
}

const char* limiting(const pipeline::progress& p) {
  return std::max_element(std::begin(shown_stages), std::end(shown_stages),
                          [&](const auto& a, const auto& b) {
                            return least_time(p, a.first) < least_time(p, b.first);
                          })
      ->second;
}

std::string line_of(const char* what, const pipeline::progress& p,
                    std::optional<std::uint64_t> bytes) {
  const auto done = static_cast<double>(p.bytes);
  std::string text = fmt::format("{}: {}", what, measure::humanised(done, "B"));
  if (bytes && *bytes > 0) {
    const auto all = static_cast<double>(*bytes);
    text += fmt::format(" of {} ({:.0f} %)", measure::humanised(all, "B"), 100 * done / all);
    if (done > 0) text += fmt::format(", {:.0f} s left", p.elapsed * (all - done) / done);
  }
  return text + fmt::format(", {}, {} limits", rate(done, p.elapsed), limiting(p));
}

}  // namespace

when_shown parse_when_shown(std::string_view option, std::string_view text) {
  if (text == "auto") return when_shown::automatic;
  if (text == "always") return when_shown::always;
  if (text == "never") return when_shown::never;
  throw usage_error(fmt::format("{} {}: must be auto, always or never", option, text));
}

file_progress::file_progress(when_shown when)
    : terminal_(measure::is_able_terminal(STDERR_FILENO)) {
  shown_ = when == when_shown::always || (when == when_shown::automatic && terminal_);
}

void file_progress::show(const std::string& text, bool last) {
  std::fputs(terminal_ ? ("\r\x1b[K" + text + (last ? "\n" : "")).c_str() : (text + "\n").c_str(),
             stderr);
}

void file_progress::begin(const char* what, const pipeline& line,
                          std::optional<std::uint64_t> bytes) {
  what_ = what;
  if (!shown_) return;
  watching_ =
      std::jthread([this, &line, bytes](const std::stop_token& over) { watch(over, line, bytes); });
}

void file_progress::warn(const char* what) { std::fprintf(stderr, "warpfold: %s\n", what); }

void file_progress::watch(const std::stop_token& over, const pipeline& line,
                          std::optional<std::uint64_t> bytes) {
  const auto between = std::chrono::milliseconds(terminal_ ? 100 : 1000);
  std::unique_lock lock(mutex_);
  while (!waking_.wait_for(lock, over, between, [&] { return over.stop_requested(); })) {
    try {
      show(line_of(what_, line.so_far(), bytes), false);
    } catch (const std::bad_alloc&) {  // then this line is not shown
    }
  }
}

void file_progress::end(const pipeline::progress* done) {
  if (watching_.joinable()) {
    watching_.request_stop();
    watching_.join();
  }
  if (done == nullptr) {
    if (shown_ && terminal_) std::fputs("\r\x1b[K", stderr);
    return;
  }
  ended_.push_back({what_, *done});
  if (!shown_) return;
  const auto bytes = static_cast<double>(done->bytes);
  std::string text = fmt::format("{}: {} in {:.2f} s, {};", what_, measure::humanised(bytes, "B"),
                                 done->elapsed, rate(bytes, done->elapsed));
  for (const auto& [stage, name] : shown_stages) {
    const double seconds = least_time(*done, stage);
    if (seconds <= 0) continue;
    text += fmt::format(" {} {},", name, rate(bytes, seconds));
  }
  show(text + fmt::format(" {} limits", limiting(*done)), true);
}

nlohmann::ordered_json file_progress::stages() const {
  auto all = nlohmann::ordered_json::array();
  for (const auto& [what, p] : ended_) {
    nlohmann::ordered_json entry{
        {"what", what}, {"bytes", p.bytes}, {"seconds", p.elapsed}, {"slots", p.slots}};
    for (const auto& [stage, name] : shown_stages) {
      const double seconds = least_time(p, stage);
      if (seconds > 0) {
        entry[fmt::format("{}_bytes_per_second", name)] = static_cast<double>(p.bytes) / seconds;
      }
    }
    entry["limit"] = limiting(p);
    all.push_back(std::move(entry));
  }
  return all;
}

}  // namespace warpfold::cli
