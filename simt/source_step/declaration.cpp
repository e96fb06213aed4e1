#include "declaration.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <vector>

namespace simt::source_step {

namespace {

/// The name that a declarator of tokens [first, end) declares: `float x[2][3]`, `*p`, `(*f)(int)`.
std::size_t declared_name(const source& s, std::size_t first, std::size_t end) {
  const std::size_t stop = std::min(s.find(first, "([={,;"), end);
  if (s.is(stop, "(")) {  // (*name)(…) is a pointer to a function
    const bool pointer = s.is(stop + 1, "*") && s.is_identifier(stop + 2) && s.is(stop + 3, ")");
    return pointer ? stop + 2 : none;
  }
  return stop > first && s.is_identifier(stop - 1) ? stop - 1 : none;
}

/// Past the body of `struct { … } name`, where the statement from `first` on begins with a type of
/// its own; else `first`.
std::size_t skip_body(const source& s, std::size_t first) {
  const std::size_t brace = s.find(first, "([={,;");
  if (!s.is(brace, "{")) return first;
  for (std::size_t t = first; t < brace; ++t) {
    if (s.is(t, "struct") || s.is(t, "union") || s.is(t, "class") || s.is(t, "enum")) {
      return s.closing(brace) + 1;
    }
  }
  return first;
}

/// Past the `template <…>` that the statement from `first` on begins with; else `first`.
std::size_t skip_template(const source& s, std::size_t first) {
  if (!s.is(first, "template") || !s.is(first + 1, "<")) return first;
  const std::size_t close = s.closing_angle(first + 1);
  return close == none ? first : close + 1;
}

/// The names that a statement of tokens [first, end) declares, which ends with a ';' at `end`.
std::vector<std::size_t> declared_names(const source& s, std::size_t first, std::size_t end) {
  std::vector<std::size_t> names;
  while (s.is(first, "[") && s.is(first + 1, "[")) first = s.closing(first) + 1;  // attributes
  first = skip_body(s, first);
  while (first < end) {
    const std::size_t next = std::min(s.find(first, ",;"), end);
    names.push_back(declared_name(s, first, next));
    first = next + 1;
  }
  return names;
}

}  // namespace

std::string shared_name::expression(const std::string& within, const std::string& arguments) const {
  const std::string x(name), of = within + group + arguments,
                             type = "decltype(" + of + "::" + x + ")";
  if (dynamic) return "::simt::detail::dynamic_array<" + type + ">()";
  return "::simt::detail::shared_variable<" + of + ", " + std::to_string(index) + ", " + type +
         ">(\"" + x + "\")";
}
std::string shared_name::reference() const {
  return (dynamic ? " auto* const " : " auto& ") + std::string(name) + " = " + expression() + ";";
}

shared_names shared_types(source& s, std::size_t word, std::size_t statement) {
  const std::size_t end = s.find(word, ";");
  if (end == none) s.refuse(word, "__shared__ without a ; after it");
  bool external = false;
  for (std::size_t t = statement; t < end; ++t) {
    if (s.is(t, "extern")) external = true;
    if (s.is(t, "extern") || s.is(t, "static") || s.is(t, "__shared__")) s.erase(t, t + 1);
    if (s.is(t, "=")) s.refuse(t, "a __shared__ variable can't be initialised: assign to it");
    if (s.is(t, "(") || s.is(t, "[") || s.is(t, "{")) t = s.closing(t);
  }
  const std::size_t type = skip_template(s, statement);
  const auto names = declared_names(s, type, end);
  const auto is_no_name = [&](std::size_t t) { return t == none || t == word; };
  if (names.empty() || std::any_of(names.begin(), names.end(), is_no_name)) {
    s.refuse(word, "unsupported __shared__ declaration: write it as TYPE NAME[SIZE];");
  }
  // Named by its line: the same in every file that includes a header.
  const std::string group =
      "simt_shared_" + std::to_string(s.line_of(word)) + "_" + std::string(s.text(names[0]));
  s.insert_before(type, "struct " + group + " { ");
  s.insert_after(end, " };");
  shared_names all;
  for (const std::size_t name : names) {
    all.push_back({s.text(name), group, all.size(), external, type != statement});
    if (!external) continue;
    if (!s.is(name + 1, "[") || !s.is(name + 2, "]")) {
      s.refuse(word, "extern __shared__ declares an array without a size: TYPE NAME[];");
    }
    s.insert_after(name + 1, "1");
  }
  return all;
}

void shared_variables(source& s, std::size_t word, std::size_t statement) {
  std::string references;
  for (const auto& v : shared_types(s, word, statement)) references += v.reference();
  s.insert_after(s.find(word, ";"), references);
}

namespace {

/// The parameters of a template whose < stands at `open`: as declared, without defaults, and as its
/// own arguments. One that has no name gets one.
struct template_parameters {
  std::string declared, arguments;

  template_parameters(source& s, std::size_t open) {
    const std::size_t close = s.closing_angle(open);
    for (std::size_t first = open + 1; first < close;) {
      const std::size_t next = std::min(s.find(first, ",>"), close);
      const std::size_t end = std::min(s.find(first, "=,>"), next);
      std::string x = "simt_" + std::to_string(first);
      const bool named = end - first > 1 && s.is_identifier(end - 1) && !s.is(end - 2, "::") &&
                         s.text(end - 1) != "class" && s.text(end - 1) != "typename";
      if (named) {
        x = s.text(end - 1);
      } else {
        s.insert_before(end, " " + x);
      }
      const std::string comma = first == open + 1 ? "" : ", ";
      declared += comma + s.between(first, end) + (named ? "" : " " + x);
      arguments += comma + x;
      if (s.is(end - (named ? 2 : 1), ".")) arguments += "...";
      first = next + 1;
    }
  }
};

/// What makes `x`, of this kind, known to the machine.
std::string registration(const std::string& x, const std::string& name, const std::string& kind) {
  return "(&" + x + ", sizeof(" + x + "), \"" + name + "\", ::simt::detail::variable::" + kind +
         ");";
}

/// The statement, which ends at `end`, has a variable template at `name` or a specialisation of
/// one. The alignment of an instance, which is unchanged, depends on what registers it.
void variable_template(source& s, std::size_t statement, std::size_t name, std::size_t end,
                       const std::string& kind) {
  const std::string x(s.text(name)), registers = "simt_variable_" + x;
  std::size_t behind = name;
  std::string arguments;
  if (s.is(name + 1, "<")) {
    behind = s.closing_angle(name + 1);
    arguments = s.between(name + 2, behind);
  } else {
    const template_parameters p(s, statement + 1);
    arguments = p.arguments;
    const std::string head = "template <" + p.declared + "> ";
    s.insert_before(statement, "namespace { " + head + "struct " + registers +
                                   " { static const ::simt::detail::variable one; }; } ");
    s.insert_after(end, " " + head + "const ::simt::detail::variable " + registers + "<" +
                            arguments + ">::one" +
                            registration(x + "<" + arguments + ">", x, kind));
  }
  s.insert_after(behind,
                 " alignas(::simt::detail::registered<" + registers + "<" + arguments + ">::one>)");
}

}  // namespace

void device_variables(source& s, std::size_t word, std::size_t statement) {
  const std::size_t type = skip_template(s, statement), declarator = skip_body(s, type);
  std::size_t end = s.find(declarator, "(;={[");
  if (end == none || end < word) return;  // part of an expression: a lambda's
  bool declared_only = false;
  std::string kind = "device";
  for (std::size_t t = type; t < end; ++t) {
    if (s.is(t, "template") || s.is(t, "operator")) return;
    if (type != statement && s.is(t, "constexpr")) return;  // nobody copies to it
    declared_only |= s.is(t, "extern");
    if (s.is(t, "__constant__")) kind = "constant";
    if (s.is(t, "__managed__")) kind = "managed";
  }
  const bool function = s.is(end, "(") && declared_name(s, declarator, end + 1) == none;
  if (function || (declared_only && !s.is(end, "="))) return;
  if (type != statement) {
    std::size_t name = end - 1;
    if (s.is(name, ">")) name = s.opening(name) - 1;
    end = s.find(end, ";");
    const bool plain = s.is_identifier(name) && !s.is(name - 1, "::") && end != none;
    if (plain) variable_template(s, statement, name, end, kind);
    return;
  }
  end = s.find(end, ";");
  if (end == none) return;
  std::string registered;
  for (const std::size_t name : declared_names(s, statement, end)) {
    if (name == none) s.refuse(word, "unsupported declaration of a variable");
    const std::string x(s.text(name));
    registered += " [[maybe_unused]] static const ::simt::detail::variable simt_variable_" + x +
                  registration(x, x, kind);
  }
  s.insert_after(end, registered);
}

bool is_of_one_file(const source& s, std::size_t word, std::size_t statement,
                    std::set<std::string_view>& external) {
  const auto any_of = [&](std::size_t t, std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(), [&](auto w) { return s.is(t, w); });
  };
  std::size_t end = s.find(skip_body(s, statement), "(;={[");
  while (end != none && s.is(end, "(") &&
         (is_limit(s, end - 1) || any_of(end - 1, {"__attribute__", "__align__", "alignas"}))) {
    end = s.find(s.closing(end) + 1, "(;={[");
  }
  if (end == none || end < word) return false;  // part of an expression: a lambda's
  std::size_t name = end - 1;
  bool declared_only = false, merges = false;
  for (std::size_t t = statement; t < end; ++t) {
    if (s.is(t, "operator")) name = t;
    declared_only |= s.is(t, "extern");
    merges |= any_of(t, {"template", "inline", "__inline__", "static", "friend", "constexpr",
                         "__host__", "using", "typedef"});
  }
  if (declared_only) external.insert(s.text(name));
  return !declared_only && !merges && !s.is(name - 1, "::") && !external.contains(s.text(name));
}

bool is_limit(const source& s, std::size_t t) {
  static constexpr std::array<std::string_view, 4> words{"__launch_bounds__", "__cluster_dims__",
                                                         "__block_size__", "__maxnreg__"};
  return s.is(t + 1, "(") &&
         std::any_of(words.begin(), words.end(), [&](auto w) { return s.is(t, w); });
}

std::size_t behind_limits(const source& s, std::size_t from, std::string_view characters) {
  std::size_t found = s.find(from, characters);
  while (s.is(found, "(") && is_limit(s, found - 1)) {
    found = s.find(s.closing(found) + 1, characters);
  }
  return found;
}

std::string limits_between(const source& s, std::size_t first, std::size_t end) {
  std::array<std::string, 4> packed;  // bounds, cluster, block, and the cluster that grids count
  for (std::size_t t = first; t < end; ++t) {
    if (!is_limit(s, t)) continue;
    const std::size_t close = s.closing(t + 1);
    if (s.is(t, "__launch_bounds__")) {
      packed[0] = s.between(t + 2, close);
    } else if (s.is(t, "__cluster_dims__")) {
      packed[1] = s.between(t + 2, close);
    } else if (s.is(t, "__block_size__") && s.is(t + 2, "(")) {
      const std::size_t block = s.closing(t + 2);
      packed[2] = s.between(t + 3, block);
      if (s.is(block + 2, "(")) packed[3] = s.between(block + 3, s.closing(block + 2));
    } else if (s.is(t, "__block_size__")) {
      s.refuse(t,
               "__block_size__ takes a block's threads in parentheses: __block_size__((x, y, z))");
    }
    t = close;
  }
  if (std::all_of(packed.begin(), packed.end(), [](const auto& p) { return p.empty(); })) return {};
  std::string arguments;
  for (const std::string& p : packed) {
    arguments += (arguments.empty() ? "<" : ", ") + ("::simt::detail::three(" + p + ")");
  }
  return arguments + ">";
}

}  // namespace simt::source_step
