#include "ptx_rule.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace simt::source_step::ptx {

std::string call(const std::string& name, const std::vector<std::string>& arguments) {
  std::string out = "::simt::detail::ptx::" + name + "(";
  for (std::size_t a = 0; a < arguments.size(); ++a) out += (a != 0 ? ", " : "") + arguments[a];
  return out + ")";
}

std::vector<std::string> braced(const std::string& operand) {
  if (operand.empty() || operand[0] != '{') return {operand};
  return split(std::string_view(operand).substr(1, operand.size() - 2));
}

std::string rule::statement() {
  const method f = find(i_.name);
  if (f == nullptr) i_.refuse("");
  std::string out = (this->*f)();
  if (!i_.modifiers.empty()) i_.refuse("." + i_.modifiers.front());
  return out;
}

rule::method rule::find(std::string_view name) {
  struct entry {
    method f;
    std::vector<std::string_view> names;
  };
  static const entry all[] = {
      {&rule::simple, {"fma",  "div",   "rem", "min", "max", "and",  "or",       "xor",
                       "not",  "cnot",  "neg", "abs", "sad", "brev", "copysign", "rcp",
                       "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2",  "tanh"}},
      {&rule::sum, {"add", "sub", "addc", "subc"}},
      {&rule::product, {"mul", "mad", "madc"}},
      {&rule::product24, {"mul24", "mad24"}},
      {&rule::counted, {"popc", "clz", "bfind"}},
      {&rule::field, {"bfe"}},
      {&rule::insertion, {"bfi"}},
      {&rule::shift, {"shl", "shr"}},
      {&rule::funnel, {"shf"}},
      {&rule::lookup, {"lop3"}},
      {&rule::permutation, {"prmt"}},
      {&rule::dot, {"dp4a", "dp2a"}},
      {&rule::comparison, {"setp", "set"}},
      {&rule::selection, {"selp"}},
      {&rule::move, {"mov"}},
      {&rule::conversion, {"cvt"}},
      {&rule::video, {"vabsdiff4", "vadd4", "vsub4", "vmin4", "vmax4"}},
      {&rule::scalar_video, {"vadd", "vsub", "vmin", "vmax", "vabsdiff", "vshl", "vshr"}},
      {&rule::load, {"ld", "ldu"}},
      {&rule::store, {"st"}},
      {&rule::atomic, {"atom", "red"}},
      {&rule::fence, {"membar", "fence"}},
      {&rule::hint,
       {"prefetch", "prefetchu", "discard", "applypriority", "griddepcontrol", "createpolicy"}},
      {&rule::address, {"cvta"}},
      {&rule::in_space, {"isspacep"}},
      {&rule::mapped, {"mapa"}},
      {&rule::copy, {"cp"}},
      {&rule::phases, {"mbarrier"}},
      {&rule::barrier, {"bar", "barrier"}},
      {&rule::vote, {"vote"}},
      {&rule::active, {"activemask"}},
      {&rule::match, {"match"}},
      {&rule::shuffle, {"shfl"}},
      {&rule::reduction, {"redux"}},
      {&rule::election, {"elect"}},
      {&rule::matrix, {"ldmatrix", "stmatrix"}},
      {&rule::multiplication, {"mma"}},
      {&rule::sleep, {"nanosleep"}},
      {&rule::trap, {"trap"}},
      {&rule::exit, {"exit"}},
      {&rule::branch, {"bra"}},
  };
  for (const entry& e : all) {
    if (std::find(e.names.begin(), e.names.end(), name) != e.names.end()) return e.f;
  }
  return nullptr;
}

/// The C++ type of the last modifier, which is taken out.
std::string rule::type() {
  if (i_.modifiers.empty()) i_.refuse("no type");
  const std::string t = type_for(i_.modifiers.back());
  if (t.empty()) i_.refuse("." + i_.modifiers.back());
  type_name_ = i_.modifiers.back();
  i_.modifiers.pop_back();
  return t;
}

bool rule::is_float() const { return type_name_[0] == 'f' || type_name_.rfind("bf", 0) == 0; }

const std::string& rule::operand(std::size_t n) const {
  if (n >= i_.operands.size()) i_.refuse("an operand is missing");
  return i_.operands[n];
}

std::string rule::read(std::size_t n, const std::string& type) { return n_.read(operand(n), type); }
std::string rule::unsigned_at(std::size_t n) { return read(n, "unsigned"); }

/// To the first operand.
std::string rule::write(const std::string& value) { return n_.write(operand(0), value); }

/// All operands but the first.
std::vector<std::string> rule::sources(std::size_t count, const std::string& type) {
  if (i_.operands.size() != count + 1)
    i_.refuse("it takes " + std::to_string(count + 1) + " operands");
  std::vector<std::string> all;
  for (std::size_t s = 1; s <= count; ++s) all.push_back(read(s, type));
  return all;
}

void rule::take_all(std::initializer_list<std::string_view> modifiers) {
  for (const std::string_view m : modifiers) i_.take(m);
}

std::string statement_for(instruction i, names& n) { return rule(std::move(i), n).statement(); }

}  // namespace simt::source_step::ptx
