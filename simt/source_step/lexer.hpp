// Preprocessed C++ as tokens: just enough to find declarations and launches in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace simt::source_step {

enum class token_kind : std::uint8_t { identifier, number, literal, punctuator };

/// A piece of the text. Punctuators are single characters but for `::`, `->`, `<=` and `>=`.
struct token {
  token_kind kind{};
  std::uint32_t begin = 0, end = 0;
};

/// `# 12 "file.cu" 3`: where the text after it comes from.
struct line_marker {
  std::size_t end = 0;  // offset of the line that it is about
  std::size_t line = 0;
  std::string file;
  bool system = false;  // a header of the system's
};

struct lexed {
  std::vector<token> tokens;
  std::vector<line_marker> markers;
};

lexed lex(std::string_view text);

}  // namespace simt::source_step
