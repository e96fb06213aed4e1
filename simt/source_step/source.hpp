// A text with its tokens: finding one's way in it, and collecting changes to it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lexer.hpp"

namespace simt::source_step {

inline constexpr std::size_t none = ~std::size_t{0};

class source {
 public:
  explicit source(std::string_view text);

  [[nodiscard]] std::size_t size() const { return lexed_.tokens.size(); }
  [[nodiscard]] std::string_view text(std::size_t token) const;
  [[nodiscard]] token_kind kind(std::size_t token) const { return lexed_.tokens[token].kind; }
  [[nodiscard]] bool is(std::size_t token, std::string_view what) const {
    return token < size() && text(token) == what;
  }
  [[nodiscard]] bool is_identifier(std::size_t token) const {
    return token < size() && kind(token) == token_kind::identifier;
  }
  /// Whether these two tokens touch.
  [[nodiscard]] bool adjacent(std::size_t a, std::size_t b) const;
  /// The text from one token to before another, on one line.
  [[nodiscard]] std::string between(std::size_t first, std::size_t end) const;

  /// The bracket that closes the one at `open`, one of ( [ {.
  [[nodiscard]] std::size_t closing(std::size_t open) const;
  /// The bracket that the one at `close`, one of ) ] >, closes.
  [[nodiscard]] std::size_t opening(std::size_t close) const;
  /// The > that closes the template arguments that open at `open`.
  [[nodiscard]] std::size_t closing_angle(std::size_t open) const;
  /// The first of these single-character tokens from `from` on that stands outside of brackets,
  /// template arguments and attributes.
  [[nodiscard]] std::size_t find(std::size_t from, std::string_view characters) const;

  /// The text of tokens [first, end) as it is, behind a marker of its line.
  [[nodiscard]] std::string placed(std::size_t first, std::size_t end) const;

  /// In the file that it comes from.
  [[nodiscard]] std::size_t line_of(std::size_t token) const;
  [[nodiscard]] std::string file_of(std::size_t token) const;
  /// Of all tokens.
  [[nodiscard]] std::vector<std::size_t> lines() const;
  [[nodiscard]] bool in_system_header(std::size_t token) const;
  /// Throws a refusal that names the place.
  [[noreturn]] void refuse(std::size_t token, const std::string& why) const;

  void insert_before(std::size_t token, std::string what);
  void insert_after(std::size_t token, std::string what);
  /// Blanks the tokens from `first` to before `end`.
  void erase(std::size_t first, std::size_t end);
  /// What was not changed is at its line and column still, by markers of lines where need be.
  [[nodiscard]] std::string changed() const;

 private:
  struct change {
    std::size_t begin, end;  // of what is replaced
    std::string by;
  };
  [[nodiscard]] const line_marker* marker_at(std::size_t place) const;
  [[nodiscard]] std::size_t line_at(std::size_t place) const;
  /// What stands before the text at this place so that it is where it was, after an insertion.
  [[nodiscard]] std::string return_to(std::size_t place) const;

  std::string_view text_;
  lexed lexed_;
  std::vector<change> changes_;
};

}  // namespace simt::source_step
