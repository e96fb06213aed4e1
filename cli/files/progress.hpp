// What a command on files says on standard error while it runs: bytes, rate, time left and the
// stage that limits, and one line at the end with the rate of every stage.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "files/run.hpp"

namespace warpfold::cli {

enum class when_shown : std::uint8_t { automatic, always, never };  // automatic: on a terminal
/// "auto", "always" or "never". Throws usage_error naming `option`.
when_shown parse_when_shown(std::string_view option, std::string_view text);

class file_progress : public files::observer {
 public:
  /// On a terminal the line is written over ten times a second, elsewhere a line is written each
  /// second.
  explicit file_progress(when_shown when);

  void begin(const char* what, const pipeline& line, std::optional<std::uint64_t> bytes) override;
  void warn(const char* what) override;
  void end(const pipeline::progress* done) override;

  /// Of each pipeline that has ended: what, bytes, seconds, and each stage's rate in bytes a
  /// second.
  [[nodiscard]] nlohmann::ordered_json stages() const;

 private:
  void show(const std::string& text, bool last);
  void watch(const std::stop_token& over, const pipeline& line, std::optional<std::uint64_t> bytes);

  bool shown_, terminal_;
  const char* what_ = "";
  struct ended {
    const char* what;
    pipeline::progress progress;
  };
  std::vector<ended> ended_;
  std::mutex mutex_;
  std::condition_variable_any waking_;
  std::jthread watching_;
};

}  // namespace warpfold::cli
