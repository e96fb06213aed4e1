// Instructions on values.
#include <algorithm>
#include <iterator>
#include <map>

#include "ptx_rule.hpp"

namespace simt::source_step::ptx {

namespace {

const std::string machine = "::simt::detail::";

/// Whether a result of it may be cut to a number just above those that are flushed.
bool is_rounded(const std::string& name) {
  return name == "product" || name == "quotient" || name == "fma";
}

}  // namespace

/// How a float is rounded: "" is to nearest.
std::string rule::direction() {
  const std::string mode = i_.take_any({"rz", "rm", "rp", "rn"});
  return mode == "rz"   ? machine + "rounding::zero"
         : mode == "rm" ? machine + "rounding::down"
         : mode == "rp" ? machine + "rounding::up"
                        : "";
}
/// A call that may be rounded, saturated or rectified.
std::string rule::arithmetic(const std::string& name, std::size_t count) {
  const std::string t = type();
  const bool flushes = i_.take("ftz") && is_float();
  take_all({"approx", "full", "noftz"});
  const std::string mode = direction();
  const bool saturates = i_.take("sat"), rectifies = i_.take("relu"), nan = i_.take("NaN");
  auto arguments = sources(count, t);
  if (flushes) {
    for (std::string& a : arguments) a = call("flushed", {a});
  }
  std::string f = name + (nan ? "_nan" : "") + "<" + t + ">";
  if (!mode.empty()) {
    if (!is_float()) i_.refuse("a direction for integers");
    f = name + "_to<" + t + ">";
    arguments.insert(arguments.begin(), mode);
  }
  std::string value = call(f, arguments);
  if (flushes && is_rounded(name)) {
    if (mode.empty()) arguments.insert(arguments.begin(), machine + "rounding::nearest");
    value = call("flushed_as<" + t + ">", {value, call(name + "_scaled<" + t + ">", arguments)});
  } else if (flushes) {
    value = call("flushed", {value});
  }
  if (saturates) {
    if (is_float())
      value = call("saturated", {value});
    else
      value = call(name + "_saturated", arguments);
  }
  return rectifies ? call("rectified", {value}) : value;
}

std::string rule::simple() {
  static constexpr std::string_view of_two[] = {"div", "rem", "min", "max",
                                                "and", "or",  "xor", "copysign"};
  static const std::map<std::string_view, std::string_view> words{
      {"and", "bit_and"},   {"or", "bit_or"},
      {"xor", "bit_xor"},   {"not", "bit_not"},
      {"div", "quotient"},  {"rem", "remainder"},
      {"min", "least"},     {"max", "greatest"},
      {"neg", "negative"},  {"abs", "magnitude"},
      {"fma", "fma"},       {"rcp", "reciprocal"},
      {"sqrt", "root"},     {"rsqrt", "reciprocal_root"},
      {"sin", "sine"},      {"cos", "cosine"},
      {"lg2", "logarithm"}, {"ex2", "power"},
      {"tanh", "tangent"},  {"copysign", "with_sign"},
      {"cnot", "is_zero"},  {"sad", "sad"},
      {"brev", "reversed"}};
  const std::size_t count =
      i_.name == "fma" || i_.name == "sad"                                           ? 3
      : std::find(std::begin(of_two), std::end(of_two), i_.name) != std::end(of_two) ? 2
                                                                                     : 1;
  return write(arithmetic(std::string(words.at(i_.name)), count));
}

std::string rule::sum() {
  const bool subtracts = i_.name[0] == 's', carries = i_.name.size() == 4, leaves = i_.take("cc");
  if (!carries && !leaves) return write(arithmetic(subtracts ? "difference" : "sum", 2));
  const std::string t = type();
  const auto both = sources(2, t);
  return write(call((subtracts ? "difference_with" : "sum_with") + ("<" + t + ">"),
                    {both[0], both[1], carries ? n_.carry(false) : "false", carry_out(leaves)}));
}
/// Where a carry goes: `nullptr` where nobody asks for it.
std::string rule::carry_out(bool leaves) { return leaves ? "&" + n_.carry(true) : "nullptr"; }

std::string rule::product() {
  const bool adds = i_.name[1] == 'a', carries = i_.name == "madc", leaves = i_.take("cc");
  const std::string part = i_.take_any({"lo", "hi", "wide"});
  if (part.empty()) return write(arithmetic(adds ? "fma" : "product", adds ? 3 : 2));
  const std::string t = type();
  const std::string f = (part == "lo"   ? "product_low"
                         : part == "hi" ? "product_high"
                                        : "product_wide") +
                        ("<" + t + ">");
  if (i_.operands.size() != (adds ? 4U : 3U)) i_.refuse("other operands");
  const std::string value = call(f, {read(1, t), read(2, t)});
  if (!adds) return write(value);
  const std::string sum_type = "decltype(" + value + ")";
  if (!carries && !leaves) {
    return write(call("sum<" + sum_type + ">", {value, read(3, sum_type)}));
  }
  return write(
      call("sum_with<" + sum_type + ">",
           {value, read(3, sum_type), carries ? n_.carry(false) : "false", carry_out(leaves)}));
}

std::string rule::product24() {
  const bool adds = i_.name[1] == 'a', high = i_.take_any({"hi", "lo"}) == "hi";
  const std::string t = type();
  const std::string value =
      call((high ? "product24_high<" : "product24_low<") + t + ">", {read(1, t), read(2, t)});
  return write(adds ? call("sum<" + t + ">", {value, read(3, t)}) : value);
}

std::string rule::counted() {
  const bool amount = i_.take("shiftamt");
  const std::string t = type();
  const std::string f = i_.name == "popc"  ? "count_ones"
                        : i_.name == "clz" ? "leading_zeros"
                        : amount           ? "shift_to_highest"
                                           : "highest";
  return write(call(f + "<" + t + ">", sources(1, t)));
}
std::string rule::field() {
  const std::string t = type();
  return write(call("bit_field<" + t + ">", {read(1, t), unsigned_at(2), unsigned_at(3)}));
}
std::string rule::insertion() {
  const std::string t = type();
  return write(
      call("insert_field<" + t + ">", {read(1, t), read(2, t), unsigned_at(3), unsigned_at(4)}));
}
std::string rule::shift() {
  const std::string t = type();
  return write(call((i_.name == "shl" ? "shift_left<" : "shift_right<") + t + ">",
                    {read(1, t), unsigned_at(2)}));
}
std::string rule::funnel() {
  const std::string t = type();
  const bool left = i_.take_any({"l", "r"}) == "l",
             clamps = i_.take_any({"clamp", "wrap"}) == "clamp";
  auto all = sources(3, t);
  all.push_back(clamps ? "true" : "false");
  return write(call(left ? "funnel_left" : "funnel_right", all));
}
std::string rule::lookup() {
  const std::string t = type();
  return write(call("lookup", sources(4, t)));
}
std::string rule::permutation() {
  const std::string mode = i_.take_any({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  const std::string t = type();
  return write(call(mode.empty() ? "permuted" : "permuted_" + mode, sources(3, t)));
}
std::string rule::dot() {
  const std::string part = i_.take_any({"lo", "hi"});
  const std::string b = type(), a = type();
  const std::string sum = a == "unsigned" && b == "unsigned" ? "unsigned" : "int";
  const std::string f = i_.name == "dp4a" ? "dot4" : part == "hi" ? "dot2_high" : "dot2_low";
  return write(call(f + "<" + a + ", " + b + ">", {read(1, a), read(2, b), read(3, sum)}));
}

std::string rule::comparison() {
  const std::string t = type();
  const bool sets = i_.name == "set";
  const std::string result = sets ? type() : "bool";
  const bool flushes = i_.take("ftz");
  const std::string combine = i_.take_any({"and", "or", "xor"});
  const std::string how = i_.take_any({"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs",
                                       "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"});
  if (how.empty()) i_.refuse("no comparison");
  std::vector<std::string> both{read(1, t), read(2, t)};
  if (flushes) {
    for (std::string& v : both) v = call("flushed", {v});
  }
  std::string value = call("compare_" + how + "<" + t + ">", both);
  const auto combined = [&](const std::string& v) {
    if (combine.empty()) return v;
    const std::string op = combine == "and" ? " && " : combine == "or" ? " || " : " != ";
    return "((" + v + ")" + op + "(" + read(3, "bool") + "))";
  };
  if (sets) return write(call("all_ones<" + result + ">", {combined(value)}));
  const auto targets = split(operand(0), '|');
  if (targets.size() == 1) return n_.write(targets[0], combined(value));
  return "{ const bool simt_is = " + value + "; " + n_.write(targets[0], combined("simt_is")) +
         n_.write(targets[1], combined("!simt_is")) + "} ";
}
std::string rule::selection() {
  const std::string t = type();
  return write("(" + read(3, "bool") + " ? " + read(1, t) + " : " + read(2, t) + ")");
}

std::string rule::move() {
  const std::string t = type();
  const std::size_t bits =
      std::stoul("0" + type_name_.substr(type_name_.find_first_of("0123456789")));
  const auto part = [&](std::size_t count) {
    const std::string each = type_for("b" + std::to_string(bits / count));
    if (each.empty()) i_.refuse("other parts");
    return each;
  };
  if (operand(0)[0] == '{') {
    const auto targets = braced(operand(0));
    const std::string each = part(targets.size());
    std::string out = "{ const " + t + " simt_whole = " + read(1, t) + "; ";
    for (std::size_t n = 0; n < targets.size(); ++n) {
      out += n_.write(targets[n], call("piece<" + each + ">", {"simt_whole", std::to_string(n)}));
    }
    return out + "} ";
  }
  if (operand(1)[0] == '{') {
    const auto from = braced(operand(1));
    const std::string each = part(from.size());
    std::vector<std::string> values;
    for (const auto& f : from) values.push_back(n_.read(f, each));
    return write(call("joined<" + t + ">", values));
  }
  return write(read(1, t));
}

namespace {

/// The format of a number of two bytes, or of a packed one, as the machine calls it.
std::string format_name(std::string_view name) {
  const std::string f = name.rfind("bf16", 0) == 0   ? "bfloat16"
                        : name.rfind("f16", 0) == 0  ? "half"
                        : name.rfind("tf32", 0) == 0 ? "tf32"
                        : name.rfind("e4m3", 0) == 0 ? "e4m3"
                        : name.rfind("e5m2", 0) == 0 ? "e5m2"
                                                     : "";
  return f.empty() ? f : machine + "small_format::" + f;
}

}  // namespace

std::string rule::conversion() {
  if (i_.modifiers.size() < 2) i_.refuse("no types");
  const std::string from = i_.modifiers.back(), to = *(i_.modifiers.end() - 2);
  i_.modifiers.resize(i_.modifiers.size() - 2);
  const std::string mode = i_.take_any({"rni", "rzi", "rmi", "rpi", "rna", "rn", "rz", "rm", "rp"});
  const bool saturates = i_.take("sat"), finite = i_.take("satfinite"), rectifies = i_.take("relu");
  const bool flushes = i_.take("ftz");
  const std::string rounded = machine + "rounding::" +
                              (mode == "rna"              ? "away"
                               : mode.rfind("rz", 0) == 0 ? "zero"
                               : mode.rfind("rm", 0) == 0 ? "down"
                               : mode.rfind("rp", 0) == 0 ? "up"
                                                          : "nearest");
  const std::string how =
      rounded + ", " + (finite ? "true" : "false") + ", " + (rectifies ? "true" : "false");
  if (to.size() > 2 && to.substr(to.size() - 2) == "x2") {  // two at once, the first one above
    if (from == "f32") {
      return write(
          call("pack<" + format_name(to) + ">", {read(1, "float"), read(2, "float"), how}));
    }
    if (from == "f16x2") {
      return write(call("repack<" + format_name(to) + ">", {read(1, type_for(from)), how}));
    }
    if (to == "f16x2") {
      const std::string both =
          call("unpack<" + format_name(from) + ">", {read(1, "unsigned short")});
      return write(rectifies ? call("rectified", {both}) : both);
    }
    i_.refuse("." + to + "." + from);
  }
  if (to == "tf32" && from == "f32") {
    return write(call("to_tf32", {read(1, "float"), how}));
  }
  const std::string target = type_for(to), source = type_for(from);
  if (target.empty() || source.empty()) i_.refuse("." + to + "." + from);
  const auto flushed = [&](const std::string& v, const std::string& format) {
    return flushes && format == "f32" ? call("flushed", {v}) : v;
  };
  std::string value =
      call("convert<" + target + ", " + source + ">",
           {flushed(read(1, source), from), rounded,
            mode.size() == 3 && mode != "rna" ? "true" : "false", saturates ? "true" : "false"});
  if (rectifies) value = call("rectified", {value});
  return write(flushed(value, to));
}

/// Four bytes at once; `add` sums the four results.
std::string rule::video() {
  const bool adds = i_.take("add"), saturates = i_.take("sat");
  const std::string b = type(), a = type(), d = type();
  const auto element = [&](const std::string& t) {
    return t == "int" ? "signed char" : "unsigned char";
  };
  return write(call("bytes_" + i_.name.substr(1, i_.name.size() - 2) + "<" + element(d) + ", " +
                        element(a) + ", " + element(b) + ">",
                    {unsigned_at(1), unsigned_at(2), unsigned_at(3), adds ? "true" : "false",
                     saturates ? "true" : "false"}));
}

/// One operation on whole words, and a second one on its result.
std::string rule::scalar_video() {
  static const std::map<std::string_view, std::string_view> words{
      {"vadd", "sum"},     {"vsub", "difference"}, {"vmin", "least"},      {"vmax", "greatest"},
      {"vabsdiff", "sad"}, {"vshl", "shift_left"}, {"vshr", "shift_right"}};
  const std::string second = i_.take_any({"add", "min", "max"});
  const bool wraps = i_.take_any({"clamp", "wrap"}) == "wrap",
             shifts = i_.name[1] == 's' && i_.name[2] == 'h';
  const std::string b = type(), a = type(), d = type();
  const std::string amount = shifts ? unsigned_at(2) + (wraps ? " & 31" : "") : read(2, a);
  std::vector<std::string> both{read(1, a), amount};
  if (i_.name == "vabsdiff") both.push_back("0");
  const bool of_sum = i_.name == "vadd" || i_.name == "vsub";
  if (of_sum && (second == "min" || second == "max")) i_.refuse("." + second + " of a sum");
  const std::string value = call(std::string(words.at(i_.name)) + "<" + a + ">", both);
  if (second.empty()) return write(value);
  const std::string f = second == "add" ? "sum" : second == "min" ? "least" : "greatest";
  return write(call(f + "<" + d + ">", {"static_cast<" + d + ">(" + value + ")", read(3, d)}));
}

}  // namespace simt::source_step::ptx
