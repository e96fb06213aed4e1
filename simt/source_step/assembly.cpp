#include "assembly.hpp"

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ptx.hpp"

namespace simt::source_step {

namespace {

/// What a string literal says.
std::string unquoted(std::string_view literal) {
  const std::size_t open = literal.find('"');
  if (literal.find('R') < open) {
    const std::size_t begin = literal.find('(') + 1;
    return std::string(literal.substr(begin, literal.rfind(')') - begin));
  }
  std::string out;
  for (std::size_t i = open + 1; i + 1 < literal.size(); ++i) {
    if (literal[i] != '\\') {
      out += literal[i];
      continue;
    }
    const char c = literal[++i];
    out += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
  }
  return out;
}

/// The literals from `t` on, as one; `t` is then past them.
std::string literals(const source& s, std::size_t& t) {
  std::string text;
  while (t < s.size() && s.kind(t) == token_kind::literal) text += unquoted(s.text(t++));
  return text;
}

/// Where the sections of the statement that opens at `open` begin, each behind its colon.
std::vector<std::size_t> sections(const source& s, std::size_t open, std::size_t close) {
  std::vector<std::size_t> begins;
  for (std::size_t t = open + 1; t < close; ++t) {
    if (s.is(t, "(") || s.is(t, "[") || s.is(t, "{")) t = s.closing(t);
    if (s.is(t, ":")) begins.push_back(t + 1);
    if (s.is(t, "::")) begins.insert(begins.end(), {t + 1, t + 1});  // nothing between the two
  }
  return begins;
}

/// `"=r"(a), [name] "+l"(b)` from `t` to before `end`.
void operands(const source& s, std::size_t t, std::size_t end, std::vector<ptx::operand>& all) {
  while (t < end) {
    if (s.is(t, "[")) t = s.closing(t) + 1;
    const std::size_t first = t;
    const std::string constraint = literals(s, t);
    if (constraint.empty() || !s.is(t, "(")) s.refuse(first, "inline PTX: no operand");
    const std::size_t close = s.closing(t);
    ptx::operand o;
    o.constraint = constraint.back();
    o.is_written = constraint[0] == '=' || constraint[0] == '+';
    o.is_read = constraint[0] != '=';
    o.expression = s.between(t + 1, close);
    all.push_back(std::move(o));
    t = close + 1;
    if (s.is(t, ",")) ++t;
  }
}

}  // namespace

void rewrite_assembly(source& s, std::size_t t, bool in_device_code) {
  if (s.in_system_header(t) && !in_device_code) return;  // of a CPU
  std::size_t open = t + 1;
  while (s.is_identifier(open)) ++open;  // volatile
  if (!s.is(open, "(")) return;
  std::size_t at = open + 1;
  const std::string text = literals(s, at);
  if (!in_device_code && !ptx::looks_like(text)) return;
  const std::size_t close = s.closing(open);
  const auto begins = sections(s, open, close);
  std::vector<ptx::operand> all;
  for (std::size_t i = 0; i < begins.size() && i < 2; ++i) {
    operands(s, begins[i], i + 1 < begins.size() ? begins[i + 1] - 1 : close, all);
  }
  try {
    const std::string cxx = ptx::translate(text, all);
    s.erase(t, close + 1);
    s.insert_before(t, cxx);
  } catch (const ptx::unknown& e) {
    s.refuse(t, std::string("inline PTX: ") + e.what() +
                    " is not supported by the CPU machine: put it inside #ifndef __SIMT__, with "
                    "C++ or CUDA functions in #else");
  } catch (const std::logic_error&) {  // of std::string's: a name or an operand is missing
    s.refuse(t, "inline PTX: a name or an operand is missing: " + text);
  }
}

}  // namespace simt::source_step
