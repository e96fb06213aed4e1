// Inline PTX as C++: each instruction becomes a call of its function in simt/ptx.hpp, each register
// a variable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace simt::source_step::ptx {

/// What an `asm` gives a name like %0.
struct operand {
  char constraint{};  // h, r, l, f, d; n is a constant, C the name of another instruction's part
  bool is_read = false, is_written = false;
  std::string expression;
};

/// PTX that has no translation; the message names the instruction.
class unknown : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Whether assembly is PTX and not the host's.
bool looks_like(std::string_view assembly);

/// An expression that does what the assembly does.
std::string translate(std::string_view assembly, const std::vector<operand>& operands);

/// One instruction, taken apart.
struct instruction {
  std::string text;                    // as it stands in the source, for messages
  std::string name;                    // up to the first dot
  std::vector<std::string> modifiers;  // between dots; "shared::cta" is one
  std::vector<std::string> operands;   // between commas outside of brackets

  /// Whether it is there; it is taken out.
  bool take(std::string_view modifier);
  /// The one of these that is there, taken out; else "".
  std::string take_any(std::initializer_list<std::string_view> modifiers);
  [[noreturn]] void refuse(const std::string& why) const;
};

/// What names stand for while instructions are translated.
class names {
 public:
  virtual ~names() = default;
  /// Reads an operand as a value of this C++ type.
  [[nodiscard]] virtual std::string read(const std::string& operand, const std::string& type) = 0;
  /// Assigns `value` to it; of {a, b} each in turn.
  [[nodiscard]] virtual std::string write(const std::string& operand, const std::string& value) = 0;
  /// The variable of a label.
  [[nodiscard]] virtual std::string label(const std::string& name) = 0;
  /// The carry that add.cc and its like leave.
  [[nodiscard]] virtual std::string carry(bool writes) = 0;
};

/// The statement for one instruction.
std::string statement_for(instruction i, names& n);

/// "a, {b, c}, [d]" in its pieces, without spaces around them.
std::vector<std::string> split(std::string_view list, char separator = ',');
std::string_view trimmed(std::string_view text);

/// The C++ type for ".u32" without its dot; "" if there is none.
std::string type_for(std::string_view name);

}  // namespace simt::source_step::ptx
