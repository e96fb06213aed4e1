#include "wide_copies.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <vector>

#include "text_lines.hpp"

namespace simt::source_step {

namespace {

using view = std::string_view;

std::size_t number_at(view text, std::size_t at) {
  std::size_t n = 0;
  std::from_chars(text.data() + at, text.data() + text.size(), n);
  return n;
}

/// A scalar member of a struct.
struct field {
  std::size_t begin = 0, bytes = 0;
  view type;
};
using fields = std::vector<field>;

/// Of "!{i64 0, i64 4, !8, i64 4, …": where, how long and of which type; none where it says
/// anything else.
fields fields_of(view line) {
  constexpr view number = "i64 ";
  fields all;
  std::size_t end = 0;
  const auto words = arguments_at(line, line.find('{'), end);
  if (words.size() % 3 != 0) return {};
  for (std::size_t i = 0; i < words.size(); i += 3) {
    if (!words[i].starts_with(number) || !words[i + 1].starts_with(number)) return {};
    all.push_back(
        {number_at(words[i], number.size()), number_at(words[i + 1], number.size()), words[i + 2]});
  }
  return all;
}

/// By the names of what `!tbaa.struct` refers to.
std::map<view, fields> all_fields(view text) {
  std::map<view, fields> all;
  for_each_line(text, [&](view line) {
    const auto is = line.find(" = !{i64 0, i64 ");
    if (line.starts_with("!") && is != npos) all.emplace(line.substr(0, is), fields_of(line));
  });
  return all;
}

struct piece {
  std::size_t begin = 0, bytes = 0, components = 1;
};

bool is_width(std::size_t bytes) { return bytes != 0 && bytes <= 8 && (bytes & (bytes - 1)) == 0; }

/// How many members from `first` on are one piece of so many bytes; 0: none.
std::size_t components_in(const fields& all, std::size_t first, std::size_t bytes) {
  const field& f = all[first];
  const std::size_t count = bytes / f.bytes;
  if (count < 2 || count * f.bytes != bytes || f.begin % bytes != 0) return 0;
  if (first + count > all.size()) return 0;
  for (std::size_t i = 1; i < count; ++i) {
    const field& other = all[first + i];
    if (other.begin != f.begin + i * f.bytes || other.bytes != f.bytes || other.type != f.type) {
      return 0;
    }
  }
  return count;
}

/// None where no two members are one piece, or one is neither a number nor a pointer.
std::vector<piece> pieces_of(const fields& all, std::size_t alignment) {
  std::vector<piece> pieces;
  bool any = false;
  for (std::size_t i = 0; i < all.size();) {
    if (!is_width(all[i].bytes)) return {};
    piece p{all[i].begin, all[i].bytes};
    for (const std::size_t bytes : {16, 8, 4, 2}) {
      const std::size_t count = bytes <= alignment ? components_in(all, i, bytes) : 0;
      if (count == 0) continue;
      p.bytes = bytes;
      p.components = count;
      any = true;
      break;
    }
    pieces.push_back(p);
    i += p.components;
  }
  return any ? pieces : std::vector<piece>{};
}

/// The type of a register that holds the piece.
std::string register_of(const piece& p) {
  if (p.bytes <= 8) return "i" + std::to_string(8 * p.bytes);
  return "<" + std::to_string(p.components) + " x i" + std::to_string(8 * p.bytes / p.components) +
         ">";
}

/// What CUDA aligns a type like %struct.float4 to; 1 for all others.
std::size_t alignment_of(view type, const fields& all) {
  constexpr view begin = "%struct.";
  constexpr std::array<view, 12> elements{"char",     "uchar",     "short", "ushort",
                                          "int",      "uint",      "long",  "ulong",
                                          "longlong", "ulonglong", "float", "double"};
  if (all.empty() || !type.starts_with(begin) || (type.back() != '2' && type.back() != '4'))
    return 1;
  const view element = type.substr(begin.size(), type.size() - begin.size() - 1);
  if (std::find(elements.begin(), elements.end(), element) == elements.end()) return 1;
  return std::min<std::size_t>(16, all.back().begin + all.back().bytes);
}

/// "i8* noundef align 16 %3": an address.
struct address {
  view type, value;
  std::size_t alignment = 1;

  explicit address(view argument) : type(argument.substr(0, argument.find(' '))) {
    constexpr std::array<view, 4> attributes{"noundef ", "nonnull ", "noalias ", "readonly "};
    value = argument.substr(std::min(type.size() + 1, argument.size()));
    for (bool any = true; any;) {
      any = false;
      for (const view a : attributes) {
        if (value.starts_with(a)) value.remove_prefix(a.size()), any = true;
      }
      if (value.starts_with("align ")) {
        alignment = number_at(value, 6);
        value.remove_prefix(value.find(' ', 6) + 1);
        any = true;
      } else if (value.starts_with("dereferenceable")) {
        value.remove_prefix(value.find(' ') + 1);
        any = true;
      }
    }
  }
};

class copy_writer {
 public:
  explicit copy_writer(view text) : fields_(all_fields(text)) {}

  std::string run(view text) {
    std::string out;
    out.reserve(text.size() + text.size() / 64);
    for_each_line(text, [&](view line) {
      if (line.starts_with("define ")) local_.clear(), types_.clear();
      note_variable(line);
      if (const std::string wide = wide_copy(line); !wide.empty()) {
        out += wide;
      } else {
        out.append(line).append("\n");
      }
    });
    return out;
  }

 private:
  /// Notes %x of "%x = alloca …" and of "%x = bitcast … %variable to i8*", and what lies there.
  void note_variable(view line) {
    const auto is = line.find(" = ");
    if (!line.starts_with("  %") || is == npos) return;
    const view name = line.substr(2, is - 2), what = line.substr(is + 3);
    if (what.starts_with("alloca ")) {
      local_.insert(name);
      types_[name] = what.substr(7, what.find(',') - 7);
    } else if (what.starts_with("bitcast ")) {
      const auto to = what.rfind(" to ");
      const auto from = what.rfind(' ', to - 1);
      if (local_.contains(what.substr(from + 1, to - from - 1))) local_.insert(name);
      types_[name] = what.substr(8, what.find('*') - 8);
    }
  }

  std::string wide_copy(view line) {
    const auto call = line.find("call void @llvm.memcpy.");
    const auto described = line.find("!tbaa.struct ");
    if (call == npos || described == npos) return {};
    std::size_t end = 0;
    const auto arguments = arguments_at(line, line.find('(', call), end);
    if (arguments.size() != 4 || arguments[3] != "i1 false") return {};
    const auto name_begin = described + view("!tbaa.struct ").size();
    const auto name_end = line.find_first_of(", ", name_begin);
    const auto found = fields_.find(line.substr(name_begin, name_end - name_begin));
    if (found == fields_.end()) return {};
    address to(arguments[0]), from(arguments[1]);
    for (const view value : {to.value, from.value}) {
      const auto known = types_.find(value);
      if (known == types_.end()) continue;
      const std::size_t least = alignment_of(known->second, found->second);
      to.alignment = std::max(to.alignment, least);
      from.alignment = std::max(from.alignment, least);
    }
    std::string out;
    for (const piece& p : pieces_of(found->second, std::min(to.alignment, from.alignment))) {
      out += copy(p, to, from, position_in(line));
    }
    return out;
  }

  /// ", !dbg !7", or nothing.
  static std::string position_in(view line) {
    const auto at = line.find(", !dbg ");
    if (at == npos) return {};
    return std::string(line.substr(at, line.find(',', at + 2) - at));
  }

  std::string copy(const piece& p, const address& to, const address& from,
                   const std::string& position) {
    const std::string type = register_of(p), value = next_name();
    const auto access = [&](view what, const address& a) {
      return std::string(what) +
             (p.components > 1 && !local_.contains(a.value) ? " volatile " : " ");
    };
    const auto behind = [&](const address& a) {
      const std::size_t lowest = p.begin & -p.begin;
      return ", align " +
             std::to_string(p.begin == 0 ? a.alignment : std::min(a.alignment, lowest)) + position +
             "\n";
    };
    std::string out;
    const std::string source = place(p, from, type, position, out);
    const std::string target = place(p, to, type, position, out);
    out += "  " + value + " = " + access("load", from) + type + ", " + source + behind(from);
    out += "  " + access("store", to) + type + " " + value + ", " + target + behind(to);
    return out;
  }

  /// Where the piece lies, as an operand with its type.
  std::string place(const piece& p, const address& a, const std::string& type,
                    const std::string& position, std::string& out) {
    std::string at(a.value);
    if (p.begin != 0) {
      const std::string moved = next_name();
      out += "  " + moved + " = getelementptr inbounds i8, " + std::string(a.type) + " " + at +
             ", i64 " + std::to_string(p.begin) + position + "\n";
      at = moved;
    }
    if (a.type == "ptr") return "ptr " + at;
    const std::string cast = next_name();
    out += "  " + cast + " = bitcast " + std::string(a.type) + " " + at + " to " + type + "*" +
           position + "\n";
    return type + "* " + cast;
  }

  std::string next_name() { return "%simt.wide." + std::to_string(count_++); }

  std::map<view, fields> fields_;
  std::set<view> local_;        // the running function's variables, and pointers to them
  std::map<view, view> types_;  // of what is there, by the pointer
  std::size_t count_ = 0;
};

}  // namespace

std::string with_wide_copies(view assembly) { return copy_writer(assembly).run(assembly); }

}  // namespace simt::source_step
