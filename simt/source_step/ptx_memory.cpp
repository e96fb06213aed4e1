// Instructions on memory.
#include <map>

#include "ptx_rule.hpp"

namespace simt::source_step::ptx {

namespace {

/// Whether the access goes past the cache of one multiprocessor: all blocks see the same there.
bool is_past_first_cache(instruction& i) { return !i.take_any({"cg", "cv", "wt"}).empty(); }

constexpr const char* note_scope = "::simt::detail::note_block_scope()";

/// How CUDA orders an access: "" is the plain one.
struct access_order {
  std::string how;
  bool of_block = false;  // its scope

  explicit access_order(instruction& i)
      : how(i.take_any({"volatile", "relaxed", "acquire", "release", "acq_rel", "weak", "mmio"})),
        of_block(i.take_any({"cta", "cluster", "gpu", "sys"}) == "cta") {
    if (how == "weak") how = "";
    if (how == "mmio") how = "volatile";
  }

  [[nodiscard]] std::string suffix() const { return how.empty() ? "" : "_" + how; }
  /// The expression, behind a note of its scope.
  [[nodiscard]] std::string scoped(const std::string& value) const {
    return of_block ? "(" + std::string(note_scope) + ", " + value + ")" : value;
  }
  /// What tells that an access of several registers is no plain one.
  [[nodiscard]] std::string note(const std::string& pointer) const {
    if (how.empty()) return "";
    if (how == "volatile") return "::simt::detail::note_volatile(" + pointer + "); ";
    return scoped("::simt::detail::note_word(" + pointer + ", " +
                  (how == "release" ? "true" : "false") + ")") +
           "; ";
  }
};

}  // namespace

/// "shared", or "global" for all that is one address space here.
std::string rule::space() {
  const std::string s = i_.take_any({"global", "shared", "shared::cta", "shared::cluster", "local",
                                     "const", "param", "param::entry", "param::func"});
  if (s.rfind("param", 0) == 0) i_.refuse("function parameters have no address here");
  return s.rfind("shared", 0) == 0 ? "shared" : "global";
}

/// [a], [a+8], [8].
std::string rule::pointer(std::size_t n, const std::string& space) {
  const std::string& o = operand(n);
  if (o.size() < 3 || o.front() != '[' || o.back() != ']') i_.refuse("no address: " + o);
  const std::string_view inside = trimmed(std::string_view(o).substr(1, o.size() - 2));
  const std::size_t sign = inside.find_first_of("+-", 1);
  std::string sum = n_.read(std::string(trimmed(inside.substr(0, sign))), "unsigned long long");
  if (sign != std::string_view::npos) {
    std::string offset(trimmed(inside.substr(sign + 1)));
    sum += std::string(" ") + inside[sign] + " " + n_.read(offset, "long long");
  }
  return call("address_in_" + space, {sum});
}

void rule::take_cache_hints() {
  take_all({"ca", "cg", "cs", "lu", "cv", "nc", "wb", "wt", "L2::64B", "L2::128B", "L2::256B",
            "L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last",
            "L1::no_allocate", "L2::evict_last", "L2::evict_normal", "L2::evict_first"});
  if (i_.take("L2::cache_hint") && !i_.operands.empty()) i_.operands.pop_back();
}

std::string rule::load() {
  const std::string t = type(), from = space();
  const bool is_seen_by_all = is_past_first_cache(i_);
  take_cache_hints();
  access_order order(i_);
  if (order.how.empty() && is_seen_by_all) order.how = "volatile";
  const std::string vector = i_.take_any({"v2", "v4", "v8"});
  if (vector.empty()) {
    return write(order.scoped(call("load" + order.suffix() + "<" + t + ">", {pointer(1, from)})));
  }
  const auto targets = braced(operand(0));
  if (std::to_string(targets.size()) != vector.substr(1)) i_.refuse("other registers");
  std::string out = "{ " + order.note(pointer(1, from)) + "const auto simt_v = " +
                    call("load_vector<" + t + ", " + vector.substr(1) + ">", {pointer(1, from)}) +
                    "; ";
  for (std::size_t n = 0; n < targets.size(); ++n) {
    out += n_.write(targets[n], "simt_v.part[" + std::to_string(n) + "]");
  }
  return out + "} ";
}

std::string rule::store() {
  const std::string t = type(), to = space();
  const bool is_seen_by_all = is_past_first_cache(i_);
  take_cache_hints();
  access_order order(i_);
  if (order.how.empty() && is_seen_by_all) order.how = "volatile";
  const std::string vector = i_.take_any({"v2", "v4", "v8"});
  if (vector.empty()) {
    const std::string name = "store" + order.suffix() + "<" + t + ">";
    return order.scoped(call(name, {pointer(0, to), read(1, t)})) + "; ";
  }
  const auto from = braced(operand(1));
  if (std::to_string(from.size()) != vector.substr(1)) i_.refuse("other registers");
  std::vector<std::string> arguments{pointer(0, to)};
  for (const std::string& f : from) arguments.push_back(n_.read(f, t));
  return "{ " + order.note(arguments[0]) + call("store_vector<" + t + ">", arguments) + "; } ";
}

std::string rule::atomic() {
  const bool returns = i_.name == "atom";
  const std::string t = type(), in = space();
  take_all({"noftz", "async"});
  take_cache_hints();
  const access_order order(i_);
  const std::string op =
      i_.take_any({"add", "min", "max", "and", "or", "xor", "inc", "dec", "exch", "cas"});
  if (op.empty()) i_.refuse("no operation");
  const std::size_t first = returns ? 1 : 0;
  std::vector<std::string> arguments{pointer(first, in), read(first + 1, t)};
  if (op == "cas") arguments.push_back(read(first + 2, t));
  std::string value = order.scoped(call("atomic_" + op + "<" + t + ">", arguments));
  if (order.how == "release" || order.how == "acq_rel") {
    value = "(" + order.scoped("::simt::detail::fence()") + ", " + value + ")";
  }
  return returns ? write(value) : "(void)" + value + "; ";
}

std::string rule::fence() {
  // Proxies see the same memory here.
  const bool of_proxy = !i_.modifiers.empty() && i_.modifiers[0].rfind("proxy", 0) == 0;
  const bool of_block = i_.take("cta");
  i_.modifiers.clear();
  if (of_proxy) return "";
  return (of_block ? std::string(note_scope) + "; " : "") + "::simt::detail::fence(); ";
}

/// What speaks to the caches only, or of launches that overlap: they do not here.
std::string rule::hint() {
  i_.modifiers.clear();
  return i_.name == "createpolicy" ? write("0ULL") : "";
}

std::string rule::address() {
  const bool to = i_.take("to");
  const std::string t = type(), in = space();
  const std::string value = read(1, "unsigned long long");
  if (in != "shared") return write(value);
  return write(call(to ? "to_shared" : "from_shared", {value}));
}

std::string rule::in_space() {
  const std::string s = i_.take_any(
      {"global", "shared", "shared::cta", "shared::cluster", "local", "const", "param"});
  if (s.empty() || s == "param") i_.refuse("other spaces");
  return write("::simt::detail::is_in_space(::simt::detail::memory_space::" +
               (s == "const" ? "constant" : s.substr(0, s.find(':'))) +
               ", reinterpret_cast<const void*>(" + read(1, "unsigned long long") + "))");
}

std::string rule::mapped() {
  type();
  const bool shared = i_.take("shared::cluster");
  return write(
      call(shared ? "map_shared" : "map_generic", {read(1, "unsigned long long"), unsigned_at(2)}));
}

std::string rule::copy() {
  if (!i_.take("async")) i_.refuse("");
  if (i_.take("bulk")) return bulk_copy();
  // Copies are there at once, so there is nothing to wait for.
  if (i_.take("commit_group") || i_.take("wait_group") || i_.take("wait_all")) return "";
  if (i_.take("mbarrier")) {
    const bool counts = !i_.take("noinc");
    if (!i_.take("arrive")) i_.refuse("");
    i_.take("b64");
    const std::string word = pointer(0, space());
    return (counts ? "::simt::detail::mbarrier_expect_arrival(" + word + "); " : "") +
           "::simt::detail::mbarrier_arrive(" + word + ", 1); ";
  }
  take_cache_hints();
  i_.take("shared");
  i_.take("shared::cta");
  i_.take("global");
  std::vector<std::string> arguments{pointer(0, "shared"), pointer(1, "global"), unsigned_at(2)};
  if (i_.operands.size() > 3) arguments.push_back(unsigned_at(3));
  return call("copy_async", arguments) + "; ";
}

std::string rule::bulk_copy() {
  if (i_.take("commit_group")) return "";
  if (i_.take("wait_group")) {
    i_.take("read");
    return "";
  }
  if (i_.take("tensor") || i_.take("prefetch") || i_.take("multicast::cluster")) i_.refuse("");
  take_cache_hints();
  if (i_.modifiers.size() < 2) i_.refuse("");
  const std::string to = i_.modifiers[0], from = i_.modifiers[1];
  i_.modifiers.erase(i_.modifiers.begin(), i_.modifiers.begin() + 2);
  if (to == "global" && from == "shared::cta") {
    i_.take("bulk_group");
    return "::simt::detail::bulk_store(" + pointer(0, "global") + ", " + pointer(1, "shared") +
           ", " + unsigned_at(2) + "); ";
  }
  if (from != "global" || !i_.take("mbarrier::complete_tx::bytes")) i_.refuse("");
  return "::simt::detail::bulk_copy(" + pointer(0, "shared") + ", " + pointer(1, "global") + ", " +
         unsigned_at(2) + "); ::simt::detail::mbarrier_complete(" + pointer(3, "shared") + ", " +
         unsigned_at(2) + "); ";
}

std::string rule::phases() {
  if (i_.modifiers.empty()) i_.refuse("");
  const std::string what = i_.modifiers.front();
  i_.modifiers.erase(i_.modifiers.begin());
  i_.take("b64");
  const std::string f = "::simt::detail::mbarrier_";
  if (what == "pending_count") return write(f + "pending(" + read(1, "unsigned long long") + ")");
  const bool expects = i_.take("expect_tx"), by_parity = i_.take("parity"),
             keeps = i_.take("noComplete");
  const std::string in = space();
  const access_order order(i_);
  if (keeps) i_.refuse(".noComplete");
  const auto count = [&](std::size_t n) { return n < i_.operands.size() ? unsigned_at(n) : "1U"; };
  if (what == "init") return f + "init(" + pointer(0, in) + ", " + unsigned_at(1) + "); ";
  if (what == "inval") return "(void)" + pointer(0, in) + "; ";
  if (what == "expect_tx") return f + "expect(" + pointer(0, in) + ", " + unsigned_at(1) + "); ";
  if (what == "complete_tx")
    return f + "complete(" + pointer(0, in) + ", " + unsigned_at(1) + "); ";
  if (what == "arrive" || what == "arrive_drop") {
    const std::size_t word = i_.operands.size() > 1 && operand(1)[0] == '[' ? 1 : 0;
    const std::string p = pointer(word, in);
    const std::string first =
        expects ? f + "expect(" + p + ", " + unsigned_at(word + 1) + "), " : "";
    const std::string arrival = "(" + first + f + (what == "arrive" ? "arrive(" : "drop(") + p +
                                ", " + (expects ? "1U" : count(word + 1)) + "))";
    return word == 1 ? write(arrival) : "(void)" + arrival + "; ";
  }
  if (what != "test_wait" && what != "try_wait") i_.refuse("");
  const std::string done =
      by_parity ? f + "parity_is_over(" + pointer(1, in) + ", " + unsigned_at(2) + ")"
                : f + "is_over(" + pointer(1, in) + ", " + read(2, "unsigned long long") + ")";
  return write(done);
}

}  // namespace simt::source_step::ptx
