#include "lexer.hpp"

#include <cctype>
#include <charconv>

namespace simt::source_step {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class lexer {
 public:
  explicit lexer(std::string_view text) : text_(text) {}

  lexed run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        ++at_;
        line_start_ = true;
      } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
        ++at_;
      } else if (c == '#' && line_start_) {
        directive();
      } else {
        line_start_ = false;
        next(c);
      }
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void add(token_kind kind, std::size_t begin) {
    out_.tokens.push_back(
        {kind, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)});
  }

  void next(char c) {
    const std::size_t begin = at_;
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      number(begin);
    } else if (is_word(c)) {
      while (is_word(peek(0))) ++at_;
      // L"…", u8R"(…)": a prefix belongs to its literal.
      if (peek(0) == '"' || peek(0) == '\'') {
        const std::string_view prefix = text_.substr(begin, at_ - begin);
        const bool raw = prefix.ends_with('R');
        const std::string_view encoding = raw ? prefix.substr(0, prefix.size() - 1) : prefix;
        if (encoding.empty() || encoding == "L" || encoding == "u" || encoding == "U" ||
            encoding == "u8") {
          return raw ? raw_literal(begin) : literal(begin);
        }
      }
      add(token_kind::identifier, begin);
    } else if (c == '"' || c == '\'') {
      literal(begin);
    } else {
      const char n = peek(1);
      const bool two =
          (c == ':' && n == ':') || (c == '-' && n == '>') || ((c == '<' || c == '>') && n == '=');
      at_ += two ? 2 : 1;
      add(token_kind::punctuator, begin);
    }
  }

  void number(std::size_t begin) {
    for (char last = '\0'; is_word(peek(0)) || peek(0) == '.' || peek(0) == '\'' ||
                           ((peek(0) == '+' || peek(0) == '-') &&
                            (last == 'e' || last == 'E' || last == 'p' || last == 'P'));
         ++at_) {
      last = peek(0);
    }
    add(token_kind::number, begin);
  }

  void literal(std::size_t begin) {
    const char quote = text_[at_++];
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
      at_ += text_[at_] == '\\' ? 2 : 1;
    }
    if (at_ < text_.size()) ++at_;
    add(token_kind::literal, begin);
  }

  void raw_literal(std::size_t begin) {
    const std::size_t open = text_.find('(', at_);
    const std::string end = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const std::size_t close = text_.find(end, open);
    at_ = close == std::string_view::npos ? text_.size() : close + end.size();
    add(token_kind::literal, begin);
  }

  /// A line marker or a #pragma, to the end of its line.
  void directive() {
    const std::size_t begin = at_;
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    at_ = end;
    const std::string_view line = text_.substr(begin, end - begin);
    const std::size_t number = line.find_first_of("0123456789");
    const std::size_t open = line.find('"'), close = line.rfind('"');
    if (number > 2 || open == close) return;
    line_marker m{.end = end + 1, .file = std::string(line.substr(open + 1, close - open - 1))};
    std::from_chars(line.data() + number, line.data() + line.size(), m.line);
    m.system = line.find(" 3", close) != std::string_view::npos;
    out_.markers.push_back(std::move(m));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool line_start_ = true;
  lexed out_;
};

}  // namespace

lexed lex(std::string_view text) { return lexer(text).run(); }

}  // namespace simt::source_step
