// What stands at an address: the symbol tables of the files that are loaded.
#include "simt/src/memory/symbols.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <cxxabi.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace simt::detail {

namespace {

constexpr const char* itself = "/proc/self/exe";

std::string program_path() {
  std::array<char, 4096> path{};
  return readlink(itself, path.data(), path.size() - 1) > 0 ? path.data() : "";
}

/// A file in memory, for as long as the program runs: names point into it.
std::string_view mapped(const std::string& path) {
  // The program as it was started, which may have been replaced meanwhile.
  const char* const name = path == program_path() ? itself : path.c_str();
  const int file = open(name, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  struct stat about {};
  void* data = MAP_FAILED;
  if (fstat(file, &about) == 0 && about.st_size > 0) {
    data = mmap(nullptr, static_cast<std::size_t>(about.st_size), PROT_READ, MAP_PRIVATE, file, 0);
  }
  close(file);
  if (data == MAP_FAILED) return {};
  return {static_cast<const char*>(data), static_cast<std::size_t>(about.st_size)};
}

/// `count` objects at `offset` of the file; none where they do not fit in it.
template <class T>
std::span<const T> at(std::string_view file, std::size_t offset, std::size_t count) {
  if (offset > file.size() || count > (file.size() - offset) / sizeof(T)) return {};
  return {reinterpret_cast<const T*>(file.data() + offset), count};
}

struct named_range {
  std::uintptr_t begin, bytes;  // counted from where the file is loaded
  const char* name;
};

void add_symbols(std::vector<named_range>& table, std::string_view file, const ElfW(Shdr) & symbols,
                 std::span<const ElfW(Shdr)> sections) {
  if (symbols.sh_link >= sections.size()) return;
  const ElfW(Shdr)& text = sections[symbols.sh_link];
  const auto names = at<char>(file, text.sh_offset, text.sh_size);
  if (names.empty() || names.back() != 0) return;
  const std::size_t count = symbols.sh_size / sizeof(ElfW(Sym));
  for (const ElfW(Sym) & s : at<ElfW(Sym)>(file, symbols.sh_offset, count)) {
    const unsigned kind = s.st_info & 0xf;
    if (s.st_shndx == SHN_UNDEF || (kind != STT_FUNC && kind != STT_OBJECT)) continue;
    if (s.st_name < names.size()) table.push_back({s.st_value, s.st_size, &names[s.st_name]});
  }
}

/// Sorted by where they begin. The whole table, or the exported symbols where the rest was
/// stripped.
std::vector<named_range> read_symbols(const std::string& path) {
  std::vector<named_range> table;
  const std::string_view file = mapped(path);
  const auto header = at<ElfW(Ehdr)>(file, 0, 1);
  if (header.empty() || !file.starts_with(ELFMAG)) return table;
  const auto sections = at<ElfW(Shdr)>(file, header[0].e_shoff, header[0].e_shnum);
  for (const unsigned wanted : {SHT_SYMTAB, SHT_DYNSYM}) {
    for (const ElfW(Shdr) & s : sections) {
      if (s.sh_type == wanted) add_symbols(table, file, s, sections);
    }
    if (!table.empty()) break;
  }
  std::stable_sort(table.begin(), table.end(),
                   [](const named_range& a, const named_range& b) { return a.begin < b.begin; });
  return table;
}

std::string demangled(const char* name) {
  char* const text = abi::__cxa_demangle(name, nullptr, nullptr, nullptr);
  std::string result = text != nullptr ? text : name;
  std::free(text);
  return without_unnamed(std::move(result));
}

}  // namespace

std::string without_unnamed(std::string name) {
  constexpr std::string_view unnamed = "(anonymous namespace)::";
  for (auto at = name.find(unnamed); at != std::string::npos; at = name.find(unnamed, at)) {
    name.erase(at, unnamed.size());
  }
  return name;
}

module module_of(std::uintptr_t address) {
  struct search {
    std::uintptr_t address;
    module found;
  } s{address, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& wanted = *static_cast<search*>(data);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& part = info->dlpi_phdr[i];
          if (part.p_type != PT_LOAD ||
              wanted.address - info->dlpi_addr - part.p_vaddr >= part.p_memsz) {
            continue;
          }
          wanted.found = {info->dlpi_addr, info->dlpi_name};
          return 1;
        }
        return 0;
      },
      &s);
  if (s.found.path.empty()) s.found.path = program_path();
  return s.found;
}

symbol symbol_at(std::uintptr_t address) {
  static std::mutex mutex;
  static auto& tables = *new std::map<std::string, std::vector<named_range>>;  // to the very end
  const module m = module_of(address);
  const std::scoped_lock lock(mutex);
  auto known = tables.find(m.path);
  if (known == tables.end()) known = tables.emplace(m.path, read_symbols(m.path)).first;
  const auto& table = known->second;
  const std::uintptr_t place = address - m.base;
  auto after = std::upper_bound(table.begin(), table.end(), place,
                                [](std::uintptr_t p, const named_range& e) { return p < e.begin; });
  if (after == table.begin()) return {};
  const named_range& e = *(after - 1);
  if (place != e.begin && place - e.begin >= e.bytes) return {};
  return {demangled(e.name), m.base + e.begin};
}

}  // namespace simt::detail
