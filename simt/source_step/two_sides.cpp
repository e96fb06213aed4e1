#include "two_sides.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "markers.hpp"
#include "source.hpp"
#include "text_lines.hpp"

namespace simt::source_step {

namespace {

/// A function with its body, a lambda with its body, or another declaration.
struct text_part {
  std::size_t first = 0, last = 0;  // tokens; the last is the } or the ;
  std::size_t open = none;          // of its body
  bool host = false, device = false, kernel = false, constant = false;  // by its words

  [[nodiscard]] bool on_device_only() const { return kernel || (device && !host); }
};

/// The same in both texts: file, line, and how many pieces end on that line before it does, or open
/// their bodies.
using place = std::tuple<std::string, std::size_t, std::size_t>;

/// What the user's files declare outside of functions.
class pieces {
 public:
  explicit pieces(const source& s) : s_(s), lines_(s.lines()) {
    for (std::size_t t = 0; t < s_.size(); ++t) {
      if (s_.is(t, "{")) {
        t = opened(t);
      } else if (s_.is(t, ";")) {
        add(described(first_, t, t));
        first_ = t + 1;
      } else if (s_.is(t, "}")) {
        first_ = t + 1;
      } else if (s_.is(t, "(") || s_.is(t, "[")) {
        t = s_.closing(t);
      }
    }
  }

  [[nodiscard]] const std::map<place, text_part>& all() const { return all_; }
  [[nodiscard]] std::size_t line(std::size_t t) const { return lines_[t]; }

  /// Lambdas of the device in a function.
  [[nodiscard]] std::vector<text_part> lambdas(const text_part& of) const {
    std::vector<text_part> found;
    for (std::size_t t = of.open + 1; t < of.last; ++t) {
      if (!s_.is(t, "[")) continue;
      const std::size_t behind = s_.closing(t) + 1;
      const std::size_t brace = s_.find(behind, "{;,)");
      if (brace == none || !s_.is(brace, "{")) continue;
      text_part p = described(behind, brace, s_.closing(brace));
      p.open = brace;
      if (!p.device) continue;
      found.push_back(p);
      t = p.last;
    }
    return found;
  }

 private:
  /// The words of tokens [first, end) say what it is.
  [[nodiscard]] text_part described(std::size_t first, std::size_t end, std::size_t last) const {
    text_part p{first, last};
    for (std::size_t t = first; t < end; ++t) {
      p.host |= s_.is(t, "__host__");
      p.device |= s_.is(t, "__device__") || s_.is(t, "__constant__") || s_.is(t, "__shared__");
      p.kernel |= s_.is(t, "__global__");
      p.constant |= s_.is(t, "constexpr") || s_.is(t, "consteval");
    }
    return p;
  }

  void add(const text_part& p) {
    if (p.first >= p.last || s_.in_system_header(p.last)) return;
    const std::size_t at = p.open != none ? p.open : p.last;
    place where{s_.file_of(at), lines_[at], 0};
    while (!all_.emplace(where, p).second) ++std::get<2>(where);
  }

  /// Returns the token to go on behind.
  std::size_t opened(std::size_t brace) {
    if (holds_declarations(brace)) {
      first_ = brace + 1;
      return brace;
    }
    std::size_t last = s_.closing(brace);
    if (initialises(brace)) return last;  // up to its ;
    text_part p = described(first_, brace, last);
    p.open = brace;
    add(p);
    first_ = last + 1;
    return last;
  }

  /// `int x[] = {…}`, `: member{…}`.
  [[nodiscard]] bool initialises(std::size_t brace) const {
    return s_.is(brace - 1, "=") || s_.is(s_.closing(brace) + 1, ";") ||
           s_.is(s_.closing(brace) + 1, ",") || s_.is(s_.closing(brace) + 1, "{");
  }

  [[nodiscard]] bool holds_declarations(std::size_t brace) const {
    if (s_.is(first_, "extern") && s_.kind(brace - 1) == token_kind::literal) return true;
    for (std::size_t t = first_; t < brace; ++t) {
      if (s_.is(t, "namespace")) return true;
      if (s_.is(t, "class") || s_.is(t, "struct") || s_.is(t, "union")) {
        return s_.find(t, "({;=") == brace;
      }
      if (s_.is(t, "template") && s_.is(t + 1, "<")) {
        const std::size_t end = s_.closing_angle(t + 1);
        if (end != none) t = end;
      }
    }
    return false;
  }

  const source& s_;
  std::vector<std::size_t> lines_;
  std::size_t first_ = 0;  // of the current text_part
  std::map<place, text_part> all_;
};

class merger {
 public:
  merger(std::string_view device, std::string_view host)
      : device_(device), host_(host), of_device_(device_), of_host_(host_) {}

  std::string run(std::string& warnings) {
    for (const auto& [at, d] : of_device_.all()) {
      const auto other = of_host_.all().find(at);
      if (other != of_host_.all().end()) merge(d, other->second);
    }
    for (const auto& [at, h] : of_host_.all()) {
      if (!of_device_.all().contains(at)) add(at, h);
    }
    warnings = warnings_;
    return device_.changed() + at_end_;
  }

 private:
  /// Whether tokens (a, a_end) and (b, b_end) are the same, but for words about sides.
  [[nodiscard]] bool same(std::size_t a, std::size_t a_end, std::size_t b,
                          std::size_t b_end) const {
    const auto skip = [](const source& s, std::size_t& t, std::size_t end) {
      while (t < end && (s.is(t, "__host__") || s.is(t, "__device__"))) ++t;
    };
    for (;; ++a, ++b) {
      skip(device_, a, a_end);
      skip(host_, b, b_end);
      if (a == a_end || b == b_end) return a == a_end && b == b_end;
      if (device_.text(a) != host_.text(b)) return false;
    }
  }

  void merge(const text_part& d, const text_part& h) {
    if (d.on_device_only() || (d.open == none) != (h.open == none)) return;
    if (d.open == none) {
      if (!same(d.first, d.last, h.first, h.last)) differs(d);
    } else if (!same(d.open, d.last, h.open, h.last)) {
      if (d.device) {
        ask(d, h);
      } else {
        take_host(d, h);
      }
    }
  }

  void ask(const text_part& d, const text_part& h) {
    std::string asks = "::simt::detail::in_kernel()";
    if (d.constant) {
      asks = "__builtin_is_constant_evaluated() || " + asks;
      warn(device_.file_of(d.open), of_device_.line(d.open),
           "this constexpr function differs where __CUDA_ARCH__ is defined; as a constant it has "
           "the "
           "device's value on both sides");
    }
    device_.insert_after(d.open, " if (" + asks + ") {");
    device_.insert_before(d.last, "} else " + host_.placed(h.open, h.last + 1));
  }

  /// A function of the host, but for lambdas of the device in it.
  void take_host(const text_part& d, const text_part& h) {
    const auto inner = of_device_.lambdas(d), others = of_host_.lambdas(h);
    if (inner.size() != others.size()) return differs(d);
    std::size_t from = d.open + 1, other = h.open + 1;
    for (std::size_t i = 0; i <= inner.size(); ++i) {
      const bool last = i == inner.size();
      const std::size_t end = last ? d.last : inner[i].open;
      const std::size_t other_end = last ? h.last : others[i].open;
      if (!same(from, end, other, other_end)) {
        device_.erase(from, end);
        if (other < other_end) device_.insert_before(end, host_.placed(other, other_end));
      }
      if (last) break;
      merge(inner[i], others[i]);
      from = inner[i].last + 1;
      other = others[i].last + 1;
    }
  }

  /// One that the device's text lacks stands where that text goes on.
  void add(const place& at, const text_part& h) {
    if (h.on_device_only()) return;
    const std::string_view name = name_of(host_, h);
    for (const auto& [other, d] : of_device_.all()) {
      if (!of_host_.all().contains(other) && name_of(device_, d) == name) return differs(d);
    }
    const std::string text = host_.placed(h.first, h.last + 1) + "\n";
    for (std::size_t t = 0; t < device_.size(); ++t) {
      if (of_device_.line(t) > std::get<1>(at) && device_.file_of(t) == std::get<0>(at)) {
        return device_.insert_before(t, text);
      }
    }
    at_end_ += "\n" + text;
  }

  /// What it declares, as well as that shows.
  [[nodiscard]] static std::string_view name_of(const source& s, const text_part& p) {
    const std::size_t end = s.find(p.first, "({=[;");
    return end != none && end > p.first ? s.text(end - 1) : std::string_view();
  }

  void differs(const text_part& d) {
    warn(device_.file_of(d.last), of_device_.line(d.first),
         "this declaration differs where __CUDA_ARCH__ is defined; the device's is taken on both "
         "sides");
  }
  void warn(const std::string& file, std::size_t line, const std::string& what) {
    warnings_ += file + ":" + std::to_string(line) + ": warning: " + what + "\n";
  }

  source device_, host_;
  pieces of_device_, of_host_;
  std::string warnings_, at_end_;
};

}  // namespace

bool asks_for_side(std::string_view preprocessed) {
  const std::string_view headers = headers_of(preprocessed);
  std::set<std::string_view> seen;
  bool found = false;
  for_each_line(preprocessed, [&](std::string_view line) {
    const auto m = marker_of(line);
    if (found || !m || m->system || !seen.insert(m->file).second) return;
    if (!headers.empty() && m->file.starts_with(headers)) return;
    std::ifstream in{std::string(m->file), std::ios::binary};
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    found = text.find("__CUDA_ARCH__") != std::string::npos;
  });
  return found;
}

std::string for_two_sides(std::string_view device, std::string_view host, std::string& warnings) {
  const std::size_t head = end_of_head(device);
  std::string merged(device.substr(0, head));
  merged += merger(device.substr(head), host.substr(end_of_head(host))).run(warnings);
  return merged;
}

}  // namespace simt::source_step
