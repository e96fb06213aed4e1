#include "rewrite.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

#include "assembly.hpp"
#include "declaration.hpp"
#include "shift.hpp"
#include "source.hpp"

namespace simt::source_step {

namespace {

enum class scope : std::uint8_t { names, kernel, device, initialiser, other };

// Shared libraries have kernels of their own, as by nvcc.
constexpr std::string_view kernel_attributes =
    "__attribute__((noinline, no_sanitize(\"coverage\"), visibility(\"hidden\")))";
constexpr std::string_view body_begin = "([=]() __attribute__((always_inline)) mutable {";
constexpr std::string_view body_end = "}, __PRETTY_FUNCTION__);";

class rewriter {
 public:
  rewriter(std::string_view text, device_code links) : s_(text), links_(links) {}

  std::string run() {
    for (std::size_t t = 0; t < s_.size(); ++t) {
      if (s_.kind(t) == token_kind::identifier) {
        word(t);
      } else if (s_.kind(t) == token_kind::punctuator) {
        mark(t);
      }
    }
    return s_.changed();
  }

 private:
  [[nodiscard]] bool among_names() const {
    return scopes_.empty() || scopes_.back() == scope::names;
  }

  void mark(std::size_t t) {
    if (s_.is(t, "{")) {
      scopes_.push_back(scope_of(t));
      spaces_.push_back(spaces_.empty() ? "" : spaces_.back());
      if (scopes_.back() == scope::initialiser) return;
      if (scopes_.back() == scope::names && s_.is(statement_, "namespace")) {
        spaces_.back() += s_.between(statement_ + 1, t) + "::";
      }
      if (scopes_.back() == scope::kernel)
        s_.insert_after(t,
                        "::simt::detail::kernel_scope" + kernel_limits_ + std::string(body_begin));
      if (runs_on_device(scopes_.back()) && device_depth_++ == 0) {
        device_body_ = t;
        device_alone_ = for_host_ != statement_;
        used_.clear();
        hidden_.clear();
        for (std::size_t p = parameters_before(t); p < t; ++p) hidden_.insert(s_.text(p));
      }
      statement_ = t + 1;
    } else if (s_.is(t, "}")) {
      if (scopes_.empty()) s_.refuse(t, "a } without its {");
      if (runs_on_device(scopes_.back()) && --device_depth_ == 0) name_shared(t);
      if (scopes_.back() == scope::kernel) s_.insert_before(t, std::string(body_end));
      const bool continues = scopes_.back() == scope::initialiser;
      scopes_.pop_back();
      spaces_.pop_back();
      if (!continues) statement_ = t + 1;
    } else if (s_.is(t, ":") && described_ == statement_) {
      members_ = statement_;
    } else if (s_.is(t, ";") || (s_.is(t, ":") && !among_names())) {
      statement_ = t + 1;
    } else if (s_.is(t, "<") && s_.is(t + 1, "<") && s_.is(t + 2, "<")) {
      launch(t);
    } else if (s_.is(t, ".") || s_.is(t, "->")) {
      member_template(t);
    } else if (device_depth_ != 0 && t >= launched_ && (s_.is(t, "<") || s_.is(t, ">"))) {
      mark_shift(s_, t);
    }
  }

  /// `value.f<true, 3>(x)` in a template: clang wants `value.template f<…>`, nvcc does not.
  void member_template(std::size_t t) {
    if (!s_.is_identifier(t + 1) || !s_.is(t + 2, "<") || s_.in_system_header(t)) return;
    std::size_t end = t + 3;
    while (s_.is_identifier(end) || s_.kind(end) == token_kind::number || s_.is(end, ",") ||
           s_.is(end, "::")) {
      ++end;
    }
    if (end > t + 3 && s_.is(end, ">") && s_.is(end + 1, "(")) s_.insert_after(t, " template ");
  }

  static bool runs_on_device(scope s) { return s == scope::kernel || s == scope::device; }

  [[nodiscard]] scope scope_of(std::size_t brace) const {
    if (brace == kernel_body_) return scope::kernel;
    if (members_ == statement_ && (s_.is_identifier(brace - 1) || s_.is(brace - 1, ">"))) {
      return scope::initialiser;
    }
    if (described_ == statement_) return scope::device;
    if (brace >= 2 && s_.kind(brace - 1) == token_kind::literal && s_.is(brace - 2, "extern")) {
      return scope::names;
    }
    const bool names = s_.is(statement_, "namespace") ||
                       (s_.is(statement_, "inline") && s_.is(statement_ + 1, "namespace"));
    return names ? scope::names : scope::other;
  }

  void word(std::size_t t) {
    const std::string_view w = s_.text(t);
    if (kernels_.contains(w)) kernel_as_pointer(t);
    if (device_depth_ != 0 && !is_member(t) && shared_.contains(w)) shared_name_used(t);
    if (device_depth_ != 0 && heap_word(t)) return;
    if (device_depth_ != 0 && constants_.contains(w)) constant_used(t);
    if (device_depth_ != 0 && device_alone_ &&
        (w == "dynamic_cast" || w == "typeid" || w == "thread_local")) {
      s_.refuse(t, std::string(w) + " can't be used in device code");
    }
    if (w.size() < 3 || (w[0] != '_' && w[0] != 'c' && w[0] != 'a')) return;
    if (w == "__global__") {
      kernel(t);
    } else if (w == "__shared__") {
      if (among_names()) {
        for (auto& v : shared_types(s_, t, statement_)) {
          v.space = spaces_.empty() ? "" : spaces_.back();
          shared_.insert_or_assign(v.name, v);
        }
      } else {
        shared_variables(s_, t, statement_);
      }
    } else if (w == "__device__" || w == "__constant__" || w == "__managed__") {
      const bool first = among_names() && described_ != statement_;
      if (first) device_variables(s_, t, statement_);
      if (first && w == "__constant__") note_constant(t);
      described_ = statement_;
      s_.erase(t, t + 1);
      if (first && links_ == device_code::of_file && is_of_one_file(s_, t, statement_, external_)) {
        std::size_t before = t;
        while (s_.is(before + 1, "alignas")) before = s_.closing(before + 2);
        s_.insert_after(before, "__attribute__((internal_linkage))");
      }
    } else if (w == "__host__") {
      for_host_ = statement_;
      s_.erase(t, t + 1);
    } else if (w == "__func__" || w == "__FUNCTION__") {
      if (std::find(scopes_.begin(), scopes_.end(), scope::kernel) != scopes_.end()) {
        s_.erase(t, t + 1);  // the closure's own name tells nobody anything
        s_.insert_after(t, '"' + kernel_name_ + '"');
      }
    } else if (w == "__noinline__") {
      if (t > 0 && !s_.is(t - 1, "(") && !s_.is(t - 1, ",")) {
        s_.erase(t, t + 1);
        s_.insert_after(t, "__attribute__((noinline))");
      }
    } else if (w == "clock") {
      // Of the device: the C library's has the same name and counts something else.
      const bool called = s_.is(t + 1, "(") && s_.is(t + 2, ")");
      if (device_depth_ == 0 || !called || is_member(t)) return;
      s_.erase(t, t + 1);
      s_.insert_after(t, t > 0 && s_.is(t - 1, "::") ? "simt::detail::device_clock"
                                                     : "::simt::detail::device_clock");
    } else if (is_limit(s_, t)) {
      s_.erase(t, s_.closing(t + 1) + 1);  // kernel() has read it, or will
    } else if (w == "asm" || w == "__asm__" || w == "__asm") {
      rewrite_assembly(s_, t, device_depth_ != 0);
    } else if (w == "cudaLaunchKernel" || w == "cudaLaunchCooperativeKernel") {
      keep_type_of_kernel(t);
    }
  }

  /// The name of a variable that is no array: kernels read it only.
  void note_constant(std::size_t t) {
    const std::size_t end = s_.find(t, ";=[{(");
    if (end == none || s_.is(end, "[") || s_.is(end, "(") || !s_.is_identifier(end - 1)) return;
    constants_.insert_or_assign(s_.text(end - 1), spaces_.empty() ? "" : spaces_.back());
  }

  /// Refuses `c = 3`, `c += 3`, `c++` and `++c`, unless the function has a `c` of its own.
  void constant_used(std::size_t t) {
    const auto named = [&](std::string_view word) { return t > 0 && s_.is(t - 1, word); };
    const bool declared = t > 0 && !named("return") && !named("else") && !named("do") &&
                          (s_.is_identifier(t - 1) || named(">"));
    if (declared) hidden_.insert(s_.text(t));
    const std::string& space = constants_.find(s_.text(t))->second;
    const bool seen = space.empty() || (!spaces_.empty() && spaces_.back().starts_with(space));
    if (!seen || hidden_.contains(s_.text(t)) || is_member(t) || named("::")) return;
    const auto twice = [&](std::size_t at, std::string_view c) {
      return s_.is(at, c) && s_.is(at + 1, c) && s_.adjacent(at, at + 1);
    };
    const auto is_one_of = [&](std::size_t at, std::string_view all) {
      return at < s_.size() && s_.text(at).size() == 1 && all.find(s_.text(at)) != none;
    };
    const bool begins = named(";") || named("{") || named("}") || named(")") || named("else");
    const bool assigned =
        (s_.is(t + 1, "=") && !s_.is(t + 2, "=")) ||
        (is_one_of(t + 1, "+-*/%&|^") && s_.is(t + 2, "=") && s_.adjacent(t + 1, t + 2));
    const bool counted = twice(t + 1, "+") || twice(t + 1, "-") ||
                         (t > 1 && (twice(t - 2, "+") || twice(t - 2, "-")));
    if ((begins && assigned) || counted) {
      s_.refuse(t,
                "a __constant__ variable can't be written by a kernel: the host writes it, with "
                "cudaMemcpyToSymbol");
    }
  }

  [[nodiscard]] bool is_member(std::size_t t) const {
    return t > 0 && (s_.is(t - 1, ".") || s_.is(t - 1, "->"));
  }

  /// malloc, free, new and delete are about the device's heap.
  bool heap_word(std::size_t t) {
    static const std::map<std::string_view, std::string_view> calls{
        {"malloc", "device_malloc"}, {"calloc", "device_calloc"}, {"free", "device_free"}};
    const auto call = calls.find(s_.text(t));
    if (call != calls.end()) {
      const bool qualified = t > 0 && s_.is(t - 1, "::");
      if (!s_.is(t + 1, "(") || is_member(t) || (qualified && s_.is_identifier(t - 2)))
        return false;
      if (t > 0 && s_.is_identifier(t - 1) && !s_.is(t - 1, "return")) return false;  // declared
      const std::size_t argument = s_.find(t + 2, ",)");
      const bool one = argument == none || s_.is(argument, ")");
      if (one == (call->first == "calloc")) return false;  // somebody's function of that name
      s_.erase(t, t + 1);
      s_.insert_after(
          t, (qualified ? "simt::detail::" : "::simt::detail::") + std::string(call->second));
      return true;
    }
    const bool declared = t > 0 && (s_.is(t - 1, "operator") || s_.is(t - 1, "="));
    if (s_.is(t, "new") && !s_.is(t - 1, "operator") && !s_.is(t + 1, "(")) {
      s_.insert_after(t, " (::simt::detail::on_heap{})");
      return true;
    }
    if (!s_.is(t, "delete") || declared) return false;
    const bool array = s_.is(t + 1, "[") && s_.is(t + 2, "]");
    const std::size_t first = array ? t + 3 : t + 1;
    std::size_t end = s_.find(first, ";,)}");
    if (end == none) return false;
    s_.erase(t, first);
    s_.insert_before(
        first, array ? "::simt::detail::device_delete_array(" : "::simt::detail::device_delete(");
    s_.insert_before(end, ")");
    return true;
  }

  /// One from outside of the functions: by its name alone, or with its namespace in front.
  void shared_name_used(std::size_t t) {
    const shared_name& variable = shared_.find(s_.text(t))->second;
    const std::size_t end = !variable.templated ? t + 1
                            : s_.is(t + 1, "<") ? s_.closing_angle(t + 1) + 1
                                                : 0;
    if (end == 0) return;  // another of that name
    const bool qualified = t > 0 && s_.is(t - 1, "::");
    if (!qualified && !variable.templated) {
      const std::string& space = variable.space;
      const bool seen = space.empty() || (!spaces_.empty() && spaces_.back().starts_with(space));
      if (seen) used_.insert(s_.text(t));
      return;
    }
    std::size_t first = qualified ? t - 1 : t;
    while (qualified && first > 0 &&
           (s_.is(first - 1, "::") || (s_.is(first, "::") && s_.is_identifier(first - 1)))) {
      --first;
    }
    const std::string within = s_.between(first, t), arguments = s_.between(t + 1, end);
    s_.erase(first, end);
    s_.insert_after(end - 1, variable.expression(within, arguments));
  }

  /// Names the __shared__ variables from outside of the functions that this one uses, which ends at
  /// `close`; its own variables may hide them, and its parameters do.
  void name_shared(std::size_t close) {
    for (std::size_t t = parameters_before(device_body_); t < device_body_; ++t) {
      if (s_.is_identifier(t)) used_.erase(s_.text(t));
    }
    if (used_.empty()) return;
    std::string references = " ";
    for (const auto name : used_) references += shared_.find(name)->second.reference();
    s_.insert_after(device_body_, references + " {");
    s_.insert_before(close, "}");
  }

  /// Where the parameters of the function begin whose body opens at `body`.
  [[nodiscard]] std::size_t parameters_before(std::size_t body) const {
    std::size_t t = body;
    while (t > 0 && !s_.is(t - 1, ";") && !s_.is(t - 1, "}") && !s_.is(t - 1, "{")) {
      --t;
      if (s_.is(t, ")")) t = s_.opening(t);
    }
    return t;
  }

  void kernel(std::size_t t) {
    const std::size_t parameters = behind_limits(s_, t, "(;={");
    if (!s_.is(parameters, "(")) s_.refuse(t, "__global__ needs a function with a body");
    const std::size_t close = s_.closing(parameters);
    if (s_.is(close - 1, ".") && (s_.is(close - 4, ",") || close - 4 == parameters)) {
      s_.refuse(close - 3, "a __global__ function can't have an ellipsis");
    }
    const std::size_t body = s_.find(close + 1, "{;");
    const std::size_t name = s_.is(parameters - 1, ">") ? s_.opening(parameters - 1) : parameters;
    if (s_.is_identifier(name - 1)) kernels_.insert(s_.text(name - 1));
    s_.erase(t, t + 1);
    std::string limits = limits_between(s_, statement_, parameters);
    if (!s_.is(body, "{")) {  // only declared; a template's words are about its own parameters
      if (!limits.empty() && !s_.is(statement_, "template")) {
        declared_limits_[s_.text(name - 1)] = std::move(limits);
      }
      return;
    }
    s_.insert_after(t, std::string(kernel_attributes));
    kernel_body_ = body;
    kernel_name_ = s_.text(name - 1);
    if (limits.empty()) {
      const auto declared = declared_limits_.find(s_.text(name - 1));
      if (declared != declared_limits_.end()) limits = declared->second;
    }
    kernel_limits_ = std::move(limits);
  }

  /// (void*)kernel: the machine keeps what the address alone does not say.
  void kernel_as_pointer(std::size_t t) {
    if (t < 4) return;
    std::size_t at = t - 1;
    if (s_.is(at, "&")) --at;
    const bool c_cast = s_.is(at, ")");
    if (!c_cast && !(s_.is(at, "(") && s_.is(at - 1, ">"))) return;
    std::size_t w = c_cast ? at - 1 : at - 2;  // the *
    if (w < 3 || !s_.is(w, "*") || !s_.is(w - 1, "void")) return;
    w -= 2;
    if (s_.is(w, "const")) --w;
    if (!s_.is(w, c_cast ? "(" : "<")) return;
    if (!c_cast && (w == 0 || !s_.is(w - 1, "reinterpret_cast"))) return;
    const std::size_t begin = c_cast ? w : w - 1;
    if (begin < cast_ended_) return;
    std::size_t end = t;  // the name's last token
    if (s_.is(t + 1, "<") && !s_.is(t + 2, "<")) {
      int depth = 0;
      for (std::size_t i = t + 1; i < s_.size() && !s_.is(i, ";"); ++i) {
        if (s_.is(i, "<")) ++depth;
        if (s_.is(i, ">") && --depth == 0) {
          end = i;
          break;
        }
      }
    }
    cast_ended_ = end;
    s_.erase(begin, at + 1);
    s_.insert_before(begin, "::simt::detail::kernel_address(");
    if (c_cast) s_.insert_after(end, ")");
  }

  /// `t` is the first of <<<, which may have spaces in it.
  void launch(std::size_t t) {
    std::size_t end = none;  // the first of >>>
    for (std::size_t i = t + 3; i < s_.size() && end == none; ++i) {
      if (s_.is(i, "(") || s_.is(i, "[") || s_.is(i, "{")) {
        i = s_.closing(i);
      } else if (s_.is(i, ";") || s_.is(i, ")") || s_.is(i, "}")) {
        break;
      } else if (s_.is(i, ">") && s_.is(i + 1, ">") && s_.is(i + 2, ">") && s_.is(i + 3, "(")) {
        end = i;
      }
    }
    if (end == none && !(s_.adjacent(t, t + 1) && s_.adjacent(t + 1, t + 2))) return;
    if (end == none) s_.refuse(t, "<<< without its >>>(");
    launched_ = end + 3;
    const std::size_t first = kernel_expression(t);
    s_.insert_before(first, "(::simt::detail::configure(" + s_.between(t + 3, end) + "), ");
    s_.erase(t, end + 3);
    s_.insert_after(s_.closing(end + 3), ")");
  }

  /// Where the expression begins that ends before `end` and names a kernel.
  [[nodiscard]] std::size_t kernel_expression(std::size_t end) const {
    static constexpr std::array<std::string_view, 10> keywords{
        "if", "for", "while", "switch", "return", "else", "do", "case", "throw", "constexpr"};
    const auto names_something = [&](std::size_t t) {
      if (!s_.is_identifier(t)) return false;
      for (const auto k : keywords) {
        if (s_.is(t, k)) return false;
      }
      return true;
    };
    for (std::size_t t = end;;) {
      --t;
      if (s_.is(t, ">") || s_.is(t, "]")) {
        t = s_.opening(t);
        continue;  // what stands before belongs to it
      }
      if (s_.is(t, ")")) {
        t = s_.opening(t);
        if (t > 0 && names_something(t - 1)) continue;  // a call
        return t;
      }
      if (!names_something(t)) s_.refuse(end, "there is no kernel before <<<");
      if (t > 0 && s_.is(t - 1, "template")) --t;
      if (t == 0) return t;
      const bool qualified = s_.is(t - 1, "::");
      if (!qualified && !s_.is(t - 1, ".") && !s_.is(t - 1, "->")) return t;
      --t;
      const bool more = t > 0 && (names_something(t - 1) || s_.is(t - 1, ">") ||
                                  (!qualified && (s_.is(t - 1, ")") || s_.is(t - 1, "]"))));
      if (!more) return t;  // ::kernel
    }
  }

  /// (void*)kernel, as the launching functions of C want it, would lose its parameters' types.
  void keep_type_of_kernel(std::size_t t) {
    std::size_t at = t + 2;
    if (!s_.is(t + 1, "(") || at >= s_.size()) return;
    const auto pointer_ends_at = [&](std::size_t from, std::string_view close) {
      if (s_.is(from, "const")) ++from;
      return s_.is(from, "void") && s_.is(from + 1, "*") && s_.is(from + 2, close) ? from + 3
                                                                                   : none;
    };
    std::size_t end = none;
    if (s_.is(at, "(")) {
      end = pointer_ends_at(at + 1, ")");
    } else if (s_.is(at, "reinterpret_cast") || s_.is(at, "static_cast")) {
      end = pointer_ends_at(at + 2, ">");
    }
    if (end == none) return;
    s_.erase(at, end);
    cast_ended_ = at + 1;  // it is dealt with
  }

  source s_;
  device_code links_;
  std::vector<scope> scopes_;
  std::vector<std::string> spaces_;      // of each, the namespaces that it is in: "a::b::"
  std::size_t statement_ = 0;            // where the current one begins
  std::size_t described_ = none;         // the last one that was about the device
  std::size_t members_ = none;           // the last one whose members are initialised, behind a :
  std::set<std::string_view> external_;  // of the device, and maybe of another file
  std::size_t launched_ = 0;             // past the last <<<…>>>
  std::size_t device_depth_ = 0;         // of bodies that run there
  std::size_t kernel_body_ = none;       // the { that will open it
  std::string kernel_name_;
  std::string kernel_limits_;                                // template arguments, or nothing
  std::map<std::string_view, std::string> declared_limits_;  // of kernels that were declared
  std::set<std::string_view> kernels_;                       // that were declared so far
  std::map<std::string_view, shared_name> shared_;           // outside of functions
  std::set<std::string_view> used_;  // of these, in the body that runs on the device
  std::map<std::string_view, std::string> constants_;  // that are no arrays, and their namespaces
  std::set<std::string_view> hidden_;  // of these, by names of the body that runs on the device
  std::size_t for_host_ = none;        // the last statement with __host__
  bool device_alone_ = false;          // whether that body is of the device alone
  std::size_t device_body_ = none;     // which opens here
  std::size_t cast_ended_ = 0;         // of the last kernel as a pointer
};

}  // namespace

std::string rewrite(std::string_view text, device_code links) {
  return rewriter(text, links).run();
}

}  // namespace simt::source_step
