#include "measure/progress.hpp"

#include <cstdlib>
#include <string>

#include <fmt/format.h>
#include <sys/ioctl.h>

#include "measure/text.hpp"

namespace warpfold::measure {
namespace {

constexpr std::string_view erase_line = "\r\x1b[K";

void put(int descriptor, std::string_view text) {
  // A line lost to a full or closed terminal is no reason to fail.
  [[maybe_unused]] const ssize_t count = ::write(descriptor, text.data(), text.size());
}

std::size_t columns_of_terminal(int descriptor) {
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

bool is_able_terminal(int descriptor) {
  const char* const terminal = std::getenv("TERM");
  return ::isatty(descriptor) == 1 && std::string_view(terminal ? terminal : "dumb") != "dumb";
}

bool shows_color(int descriptor) {
  const char* const no_color = std::getenv("NO_COLOR");
  return is_able_terminal(descriptor) && std::string_view(no_color ? no_color : "").empty();
}

progress::progress(bool enabled, int descriptor)
    : enabled_(enabled && is_able_terminal(descriptor)), descriptor_(descriptor) {}

progress::~progress() { erase(); }

void progress::update(std::string_view what, std::size_t index, std::size_t total) {
  if (!enabled_) return;
  const auto now = std::chrono::steady_clock::now();
  if (shown_ && now - last_ < std::chrono::milliseconds(100)) return;
  const std::string counted = std::to_string(total);
  const std::string line =
      fmt::format("[{:>{}}/{}] {}", index, counted.size(), counted, one_line(what));
  put(descriptor_, std::string(erase_line) + truncated(line, columns_of_terminal(descriptor_) - 1));
  shown_ = true;
  last_ = now;
}

void progress::erase() {
  if (shown_) put(descriptor_, erase_line);
  shown_ = false;
}

}  // namespace warpfold::measure
