// What each instruction of PTX becomes: a class whose functions each have some of them. A modifier
// that no rule takes is refused, so that nothing is dropped in silence.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "ptx.hpp"

namespace simt::source_step::ptx {

/// A call of the function of this name in simt/ptx.hpp.
std::string call(const std::string& name, const std::vector<std::string>& arguments);

/// Does the work of one instruction.
class rule {
 public:
  rule(instruction i, names& n) : i_(std::move(i)), n_(n) {}
  std::string statement();

 private:
  using method = std::string (rule::*)();
  static method find(std::string_view name);

  std::string type();
  [[nodiscard]] bool is_float() const;
  [[nodiscard]] const std::string& operand(std::size_t n) const;
  std::string read(std::size_t n, const std::string& type);
  std::string unsigned_at(std::size_t n);
  std::string write(const std::string& value);
  std::vector<std::string> sources(std::size_t count, const std::string& type);
  void take_all(std::initializer_list<std::string_view> modifiers);

  // On values: ptx_values.cpp.
  std::string direction();
  std::string arithmetic(const std::string& name, std::size_t count);
  std::string simple();
  std::string sum();
  std::string carry_out(bool leaves);
  std::string product();
  std::string product24();
  std::string counted();
  std::string field();
  std::string insertion();
  std::string shift();
  std::string funnel();
  std::string lookup();
  std::string permutation();
  std::string dot();
  std::string comparison();
  std::string selection();
  std::string move();
  std::string conversion();
  std::string video();
  std::string scalar_video();

  // On memory: ptx_memory.cpp.
  std::string space();
  std::string pointer(std::size_t n, const std::string& space);
  void take_cache_hints();
  std::string load();
  std::string store();
  std::string atomic();
  std::string fence();
  std::string hint();
  std::string address();
  std::string in_space();
  std::string mapped();
  std::string copy();
  std::string bulk_copy();
  std::string phases();

  // Together with other lanes: ptx_lanes.cpp.
  std::string barrier();
  std::string vote();
  std::string active();
  std::string match();
  std::string shuffle();
  std::string reduction();
  std::string election();
  std::string matrix();
  std::string multiplication();
  std::string sleep();
  std::string trap();
  std::string exit();
  std::string branch();

  instruction i_;
  names& n_;
  std::string type_name_;  // the last one that type() took
};

/// The pieces of {a, b}; of anything else the thing itself.
std::vector<std::string> braced(const std::string& operand);

}  // namespace simt::source_step::ptx
