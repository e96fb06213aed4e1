// What stands at an address, by the symbol tables of the program and its libraries: of all symbols,
// not only of those that the linker exports, so that a program is linked as its author likes.
#pragma once

#include <cstdint>
#include <string>

namespace simt::detail {

/// The program or a library of it, as it lies in memory.
struct module {
  std::uintptr_t base = 0;
  std::string path;
};
module module_of(std::uintptr_t address);

/// A function or an object. Its name is C++'s, but for nameless namespaces.
struct symbol {
  std::string name;  // empty: nothing known stands there, or the program was stripped
  std::uintptr_t begin = 0;
};
symbol symbol_at(std::uintptr_t address);

/// "(anonymous namespace)::k": "k".
std::string without_unnamed(std::string name);

}  // namespace simt::detail
