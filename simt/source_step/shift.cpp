#include "shift.hpp"

#include <charconv>
#include <string>
#include <string_view>

namespace simt::source_step {

namespace {

bool is_any(const source& s, std::size_t t, std::string_view characters) {
  return t < s.size() && s.kind(t) == token_kind::punctuator && s.text(t).size() == 1 &&
         characters.find(s.text(t)) != std::string_view::npos;
}

/// Whether >> at `t` closes two lists of template arguments: `a<b<c>> d`.
bool closes_templates(const source& s, std::size_t t) {
  if (is_any(s, t + 2, "{,);") || s.is(t + 2, "::")) return true;
  int open = 0;
  for (std::size_t i = t; i-- > 0;) {
    if (is_any(s, i, ")]")) {
      i = s.opening(i);
    } else if (s.is(i, ">")) {
      --open;
    } else if (s.is(i, "<")) {
      if (i == 0 || !s.is_identifier(i - 1)) return false;
      if (++open == 2) return true;
    } else if (!s.is_identifier(i) && s.kind(i) != token_kind::number && !s.is(i, "::") &&
               !is_any(s, i, ",*&.")) {
      return false;
    }
  }
  return false;
}

/// Past the operand that begins at `t`: all that binds more tightly than a shift.
std::size_t end_of_amount(const source& s, std::size_t t) {
  bool operand = true;  // expected
  while (t < s.size()) {
    if (is_any(s, t, "([{")) {
      t = s.closing(t) + 1;
      operand = false;
    } else if (operand && is_any(s, t, "+-~!*&")) {
      ++t;
    } else if (s.kind(t) != token_kind::punctuator) {
      ++t;
      operand = false;
    } else if (is_any(s, t, "+-*/%.") || s.is(t, "->") || s.is(t, "::")) {
      ++t;
      operand = true;
    } else if (s.is(t, "<") && s.is_identifier(t - 1)) {  // arguments of a template, or less than
      const std::size_t close = s.closing_angle(t);
      if (close == none || !(s.is(close + 1, "(") || s.is(close + 1, "::"))) return t;
      t = close + 1;
    } else {
      return t;
    }
  }
  return t;
}

/// To the end of the expression that is assigned.
std::size_t end_of_assignment(const source& s, std::size_t t) {
  while (t < s.size() && !is_any(s, t, ",;)]}")) t = is_any(s, t, "([{") ? s.closing(t) + 1 : t + 1;
  return t;
}

bool is_small_number(const source& s, std::size_t first, std::size_t end) {
  if (end != first + 1 || s.kind(first) != token_kind::number) return false;
  const std::string_view digits = s.text(first);
  unsigned value = 0;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc() && value < 32 && (value != 0 || digits.size() == 1) &&
         rest != digits.data();
}

}  // namespace

void mark_shift(source& s, std::size_t t) {
  const bool right = s.is(t, ">");
  const bool assigns = s.is(t + 1, right ? ">=" : "<=");
  if (!s.adjacent(t, t + 1) || !(assigns || s.is(t + 1, right ? ">" : "<"))) return;
  if (t == 0 || s.is(t - 1, "operator") || s.is(t + 2, right ? ">" : "<")) return;
  if (s.kind(t - 1) == token_kind::literal || s.kind(t + 2) == token_kind::literal) return;
  if (right && !assigns && closes_templates(s, t)) return;
  const std::size_t first = t + 2;
  const std::size_t end = assigns ? end_of_assignment(s, first) : end_of_amount(s, first);
  if (end == first || is_small_number(s, first, end)) return;
  s.insert_before(first, "::simt::detail::by(");
  s.insert_after(end - 1, ")");
}

}  // namespace simt::source_step
