#include "simt/src/record/short_name.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace simt::detail {

namespace {

/// Operators that count how often another one is applied: the first of their arguments.
constexpr std::string_view wrappers[] = {"counting_operator"};

class shortener {
 public:
  explicit shortener(std::string_view full) : in_(full) {}

  std::string run() {
    for (std::size_t i = 0; i < in_.size(); ++i) {
      if (in_.substr(i, 2) == "::") {
        out_.erase(levels_.back().name);
        ++i;
      } else {
        put(in_[i]);
      }
    }
    return std::move(out_);
  }

 private:
  struct level {
    std::size_t name = 0;      // where the name that is being written begins
    std::size_t argument = 0;  // where the first argument ends; 0: it has not
  };

  void put(char c) {
    const bool is_arrow = c == '>' && !out_.empty() && out_.back() == '-';
    if (c == '<' || c == '(' || c == '{') {
      out_ += c;
      levels_.push_back({.name = out_.size()});
    } else if ((c == '>' || c == ')' || c == '}') && levels_.size() > 1 && !is_arrow) {
      if (c == '>' && out_.ends_with(' ')) out_.pop_back();  // a demangler's "> >"
      const level closed = levels_.back();
      levels_.pop_back();
      if (c != '>' || !unwrap(closed)) out_ += c;
    } else {
      if (c == ',' && out_.ends_with(' ')) out_.pop_back();
      if (c == ',' && levels_.back().argument == 0) levels_.back().argument = out_.size();
      out_ += c;
      if (c == ',' || c == ' ' || c == '&' || c == '*') levels_.back().name = out_.size();
    }
  }

  /// Puts the first argument in the place of a wrapper that has just been closed.
  bool unwrap(const level& closed) {
    const std::size_t begin = levels_.back().name, open = out_.find('<', begin);
    if (open == std::string::npos) return false;
    const std::string_view name = std::string_view(out_).substr(begin, open - begin);
    if (std::find(std::begin(wrappers), std::end(wrappers), name) == std::end(wrappers)) {
      return false;
    }
    const std::size_t end = closed.argument != 0 ? closed.argument : out_.size();
    out_ = out_.substr(0, begin) + out_.substr(open + 1, end - open - 1);
    return true;
  }

  std::string_view in_;
  std::string out_;
  std::vector<level> levels_{{}};
};

}  // namespace

std::string short_name(std::string_view full) { return shortener(full).run(); }

}  // namespace simt::detail
