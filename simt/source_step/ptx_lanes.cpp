// Instructions of several lanes together, and those that change where a lane goes on.
#include "ptx_rule.hpp"

namespace simt::source_step::ptx {

std::string rule::barrier() {
  if (i_.take("warp")) {
    if (!i_.take("sync")) i_.refuse("");
    return "::__syncwarp(" + unsigned_at(0) + "); ";
  }
  if (i_.take("cluster")) {
    take_all({"aligned", "release", "acquire", "relaxed"});
    if (i_.take("arrive")) return "";  // all of it happens at the wait
    if (!i_.take("wait")) i_.refuse("");
    return call("cluster_sync", {}) + "; ";
  }
  take_all({"cta", "aligned"});
  if (i_.take("red")) {
    const std::string op = i_.take_any({"popc", "and", "or"});
    type();
    const bool counted = i_.operands.size() == 4;
    if (counted) i_.refuse("of some of the block's threads");
    const std::string f = op == "popc"  ? "__syncthreads_count"
                          : op == "and" ? "__syncthreads_and"
                                        : "__syncthreads_or";
    return write("::" + f + "(" + read(2, "bool") + ")");
  }
  const bool arrives = i_.take("arrive");
  if (!arrives && !i_.take("sync")) i_.refuse("");
  const std::string id = i_.operands.empty() || operand(0).empty() ? "0U" : unsigned_at(0);
  const std::string threads = i_.operands.size() > 1 ? unsigned_at(1) : "0U";
  return call(arrives ? "barrier_arrive" : "barrier_sync", {id, threads}) + "; ";
}

std::string rule::vote() {
  const bool named = i_.take("sync");
  const std::string mode = i_.take_any({"ballot", "all", "any", "uni"});
  type();
  const std::string mask = named ? unsigned_at(2) : "::__activemask()", p = read(1, "bool");
  if (mode == "ballot") return write("::__ballot_sync(" + mask + ", " + p + ")");
  if (mode == "uni") return write(call("is_uniform", {mask, p}));
  return write("::__" + mode + "_sync(" + mask + ", " + p + ") != 0");
}

std::string rule::active() {
  type();
  return write("::__activemask()");
}

std::string rule::match() {
  const std::string t = type(), mode = i_.take_any({"any", "all"});
  i_.take("sync");
  const auto targets = split(operand(0), '|');
  if (mode == "any") return write("::__match_any_sync(" + unsigned_at(2) + ", " + read(1, t) + ")");
  std::string out = "{ int simt_all = 0; const unsigned simt_mask = ::__match_all_sync(" +
                    unsigned_at(2) + ", " + read(1, t) + ", &simt_all); " +
                    n_.write(targets[0], "simt_mask");
  if (targets.size() > 1) out += n_.write(targets[1], "simt_all != 0");
  return out + "} ";
}

std::string rule::shuffle() {
  const bool named = i_.take("sync");
  const std::string mode = i_.take_any({"idx", "up", "down", "bfly"}), t = type();
  if (mode.empty()) i_.refuse("no mode");
  const auto targets = split(operand(0), '|');
  const std::string mask = named ? unsigned_at(4) : "::__activemask()";
  std::string out =
      "{ bool simt_in = false; const unsigned simt_v = " +
      call("shuffle_" + mode, {mask, read(1, t), unsigned_at(2), unsigned_at(3), "simt_in"}) +
      "; " + n_.write(targets[0], "simt_v");
  if (targets.size() > 1) out += n_.write(targets[1], "simt_in");
  return out + "} ";
}

std::string rule::reduction() {
  const std::string t = type(), op = i_.take_any({"add", "min", "max", "and", "or", "xor"});
  i_.take("sync");
  if (op.empty()) i_.refuse("no operation");
  return write("::__reduce_" + op + "_sync(" + unsigned_at(2) + ", " + read(1, t) + ")");
}

std::string rule::election() {
  i_.take("sync");
  const auto targets = split(operand(0), '|');
  if (targets.size() != 2) i_.refuse("");
  return "{ const unsigned simt_first = " + call("elected", {unsigned_at(1)}) + "; " +
         n_.write(targets[0], "simt_first") +
         n_.write(targets[1], "simt_first == ::simt::detail::lane_index()") + "} ";
}

/// ldmatrix and stmatrix of 8 by 8 elements of two bytes.
std::string rule::matrix() {
  const bool loads = i_.name == "ldmatrix";
  const std::string count = i_.take_any({"x1", "x2", "x4"});
  const bool transposes = i_.take("trans");
  take_all({"sync", "aligned"});
  if (!i_.take("m8n8") || !i_.take("b16") || count.empty()) i_.refuse("only m8n8.b16 is supported");
  space();
  const auto registers = braced(operand(loads ? 0 : 1));
  if (std::to_string(registers.size()) != count.substr(1)) i_.refuse("other registers");
  const std::string p = pointer(loads ? 1 : 0, "shared");
  const std::string arguments =
      "<" + count.substr(1) + ", " + (transposes ? "true" : "false") + ">";
  std::string out = "{ unsigned simt_0_words[] = {";
  for (const std::string& r : registers) out += (loads ? "0U" : n_.read(r, "unsigned")) + ", ";
  out += "}; " +
         call((loads ? "load_matrices" : "store_matrices") + arguments, {p, "simt_0_words"}) + "; ";
  for (std::size_t n = 0; loads && n < registers.size(); ++n) {
    out += n_.write(registers[n], "simt_0_words[" + std::to_string(n) + "]");
  }
  return out + "} ";
}

std::string rule::multiplication() {
  take_all({"sync", "aligned", "row", "col"});
  const bool saturates = i_.take("satfinite");
  std::string shape;
  for (const std::string& m : i_.modifiers) {
    if (m[0] == 'm' && m.find('k') != std::string::npos) shape = m;
  }
  if (shape.empty() || i_.operands.size() != 4) i_.refuse("");
  i_.take(shape);
  const bool differs = i_.take("xor");
  if (differs || i_.take("and")) i_.take("popc");
  if (i_.modifiers.size() != 4) i_.refuse("other types");
  std::vector<std::string> types;  // of d, a, b, c
  for (const std::string& m : i_.modifiers) {
    const bool known = m == "f16" || m == "bf16" || m == "tf32" || m == "f32" || m == "f64" ||
                       m == "s8" || m == "u8" || m == "s32" || m == "e4m3" || m == "e5m2" ||
                       m == "s4" || m == "u4" || m == "b1";
    if (!known) i_.refuse("." + m);
    types.push_back("::simt::detail::element::" + m);
  }
  const bool wide = i_.modifiers[0] == "f64";
  i_.modifiers.clear();
  if (shape == "m8n8k4" && !wide) i_.refuse("." + shape);
  const std::size_t n = shape.find('n'), k = shape.find('k');
  const std::string sizes =
      shape.substr(1, n - 1) + ", " + shape.substr(n + 1, k - n - 1) + ", " + shape.substr(k + 1);
  const std::string word = wide ? "double" : "unsigned";
  std::string out = "{ ";
  for (const std::size_t o : {std::size_t{1}, std::size_t{2}, std::size_t{3}}) {
    out += word + " simt_" + std::to_string(o) + "_words[] = {";
    for (const std::string& r : braced(operand(o))) out += n_.read(r, word) + ", ";
    out += "}; ";
  }
  const auto targets = braced(operand(0));
  out += word + " simt_0_words[" + std::to_string(targets.size()) + "]; " +
         call("multiply",
              {"::simt::detail::matrix_operation{" + sizes + ", " + types[1] + ", " + types[2] +
                   ", " + types[3] + ", " + types[0] + ", " + (saturates ? "true" : "false") +
                   ", " + (differs ? "true" : "false") + "}",
               "simt_1_words", "simt_2_words", "simt_3_words", "simt_0_words"}) +
         "; ";
  for (std::size_t t = 0; t < targets.size(); ++t) {
    out += n_.write(targets[t], "simt_0_words[" + std::to_string(t) + "]");
  }
  return out + "} ";
}

std::string rule::sleep() {
  type();
  return "::__nanosleep(" + unsigned_at(0) + "); ";
}

std::string rule::trap() { return "::__trap(); "; }

std::string rule::exit() { return "::simt::detail::exit_thread(); "; }

std::string rule::branch() {
  i_.take("uni");
  return "goto " + n_.label(operand(0)) + "; ";
}

}  // namespace simt::source_step::ptx
