#include "markers.hpp"

#include "text_lines.hpp"

namespace simt::source_step {

std::optional<marker> marker_of(std::string_view line) {
  if (!line.starts_with("# ")) return std::nullopt;
  const auto open = line.find('"'), close = line.rfind('"');
  if (open == close) return std::nullopt;
  return marker{line.substr(open + 1, close - open - 1), line.find(" 2", close) != npos,
                line.find(" 3", close) != npos};
}

std::string_view headers_of(std::string_view text) {
  constexpr std::string_view runtime = "cuda/cuda_runtime.h\"";
  for (auto at = text.find(runtime); at != npos; at = text.find(runtime, at + 1)) {
    const auto begin = text.rfind('"', at), line = text.rfind('\n', at) + 1;
    if (begin != npos && begin > line && text.substr(line, 2) == "# ") {
      return text.substr(begin + 1, at - begin - 1);
    }
  }
  return {};
}

std::size_t end_of_head(std::string_view text) {
  const std::string_view headers = headers_of(text);
  std::string_view main;
  std::size_t end = 0;
  bool in_machine = false;
  for_each_line(text, [&](std::string_view line) {
    const auto m = end == 0 ? marker_of(line) : std::nullopt;
    if (!m) return;
    if (main.empty()) main = m->file;
    in_machine |= !headers.empty() && m->file.starts_with(headers);
    if (in_machine && m->returns && m->file == main) {
      end = static_cast<std::size_t>(line.data() - text.data());
    }
  });
  return end;
}

}  // namespace simt::source_step
