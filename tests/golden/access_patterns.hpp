// The table of patterns: who is active and where each lane goes, for every operation and width.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

struct Lanes {
  unsigned mask[2] = {~0u, 0};
  unsigned offset[64] = {};
  unsigned magic = 0x9E3779B9;
  unsigned zero = 0;
};

struct Row {
  std::string group, space, op;
  int size = 4;
  int blocks = 1, warps = 1;
  Lanes lanes;
};

class Table {
 public:
  using Offset = std::function<unsigned(unsigned)>;

  // `element` maps a lane to an index counted in elements of `size` bytes.
  void add(const char* space, const char* op, int size, const Offset& element, unsigned mask = ~0u,
           int warps = 1, int blocks = 1) {
    Row r{group_, space, op, size, blocks, warps, {}};
    r.lanes.mask[0] = mask;
    for (unsigned lane = 0; lane < 32; ++lane)
      if (mask >> lane & 1) r.lanes.offset[lane] = element(lane) * size;
    if (warps == 2) {  // the second warp: the same places, four lanes fewer at each end
      r.lanes.mask[1] = 0x0FFFFFF0;
      for (unsigned lane = 4; lane < 28; ++lane) r.lanes.offset[32 + lane] = r.lanes.offset[lane];
    }
    if (known_.insert(key(r)).second) rows.push_back(r);
  }
  Table& group(const char* name) {
    group_ = name;
    return *this;
  }
  std::vector<Row> rows;

 private:
  static std::string key(const Row& r) {
    std::string k = r.space + r.op + std::to_string(r.size) + "/" + std::to_string(r.lanes.mask[0]);
    for (unsigned o : r.lanes.offset) k += "," + std::to_string(o);
    return k;
  }
  std::string group_;
  std::set<std::string> known_;
};

struct Lcg {
  uint32_t x;
  unsigned operator()(unsigned below) {
    x = x * 1664525u + 1013904223u;
    return unsigned((uint64_t(x >> 8) * below) >> 24);
  }
};

// Pseudo-random pattern number k: a window of bytes, a mask and a kinship between lanes.
inline void add_random(Table& t, const char* space, const char* op, int size, unsigned k,
                       unsigned seed) {
  Lcg random{seed + k * 7919u + size * 104729u};
  for (int i = 0; i < 4; ++i) random(2);
  const unsigned windows[] = {128, 256, 512, 1024, 8192};
  const unsigned pool = windows[(k / 10 + k) % 5] / size;
  unsigned mask = ~0u, at[32];
  for (unsigned& a : at) a = random(pool);
  const auto same = [&](unsigned bit, unsigned lanes) {
    for (unsigned i = 0; i < 32; ++i)
      if (lanes >> i & 1) at[i] = at[i & ~bit];
  };
  const auto thin = [&](unsigned of_8) {
    for (unsigned i = 0; i < 32; ++i)
      if (random(8) >= of_8) mask &= ~(1u << i);
    if (!mask) mask = 1u << random(32);
  };
  switch (k % 10) {
    case 0: break;
    case 1: thin(6); break;
    case 2: thin(2); break;
    case 3: same(1, ~0u); break;
    case 4:
      same(2, ~0u);
      if (k / 10 % 2) thin(5);
      break;
    case 5: same(1, 0xFFFFu); break;
    case 6: same(4u << random(3), ~0u); break;
    case 7:
      same(1, ~0u);
      same(2, ~0u);
      thin(5);
      break;
    case 8:
      for (unsigned i = 0; i < 32; ++i) at[i] = (at[i & ~7u] + i % 8) % pool;
      break;
    case 9:
      for (unsigned i = 0; i < 32; ++i) at[i] = (at[i & ~3u] + i % 4) % pool;
      same(1, random(2) ? 0xFF00FF00u : 0x00FF0000u);
      break;
  }
  t.add(
      space, op, size, [&](unsigned i) { return at[i]; }, mask);
}

// The shapes every width of a plain load or store goes through.
inline void add_shapes(Table& t, const char* space, const char* op, int size,
                       const std::vector<unsigned>& strides, unsigned randoms) {
  const bool full = randoms > 10;
  const auto add = [&](const Table::Offset& f, unsigned mask = ~0u) {
    t.add(space, op, size, f, mask);
  };
  const auto linear = [](unsigned i) { return i; };
  const unsigned line = 128 / size;
  for (unsigned s : strides) add([=](unsigned i) { return i * s; });
  for (unsigned k : {1u, 7u, 16u, 31u}) add([=](unsigned i) { return i + k; });
  if (full)
    for (unsigned k : {2u, 3u, 4u, 8u, 15u}) add([=](unsigned i) { return i + k; });
  for (unsigned k : {1u, 3u}) add([=](unsigned i) { return 2 * i + k; });
  add([](unsigned i) { return 31 - i; });
  for (unsigned m : {32u, 64u, 1024u}) {
    add([=](unsigned i) { return (i * 13 + 5) % m; });
    if (!full) continue;
    add([=](unsigned i) { return (i * 37 + 11) % m; });
    add([=](unsigned i) { return (i * 5 * line + 3 * i) % m; });
  }
  for (unsigned d : {32u, 2u, 4u, 8u, 16u}) add([=](unsigned i) { return i / d; });
  for (unsigned d : {2u, 4u, 8u, 16u}) add([=](unsigned i) { return i % d; });
  add([](unsigned i) { return i == 1 ? 0 : i; });
  add([](unsigned i) { return i == 31 ? 0 : i; });
  for (unsigned x : {1u, 2u, 4u, 8u, 16u, 31u}) add([=](unsigned i) { return i ^ x; });
  const unsigned sector = 32 / size;
  add([=](unsigned i) { return i / 2 * sector + i % 2; });
  add([=](unsigned i) { return i % 16 * sector + (i / 16) % sector; });
  add([=](unsigned i) { return (i & 7) * sector + (i / 8) % sector; });
  add([=](unsigned i) { return i / 2 * line + i % 2; });
  add([=](unsigned i) { return i % 16 * line + i / 16; });
  std::vector<unsigned> masks = {0x0000FFFF, 0x55555555, 0x00020000, 0x00010001, 0x00FF00FF};
  if (full)
    masks.insert(masks.end(), {0xFFFF0000, 0xAAAAAAAA, 0x00000001, 0x00000101, 0x000000FF,
                               0x0F0F0F0F, 0x01010101, 0x00000003, 0x00000005, 0x7FFFFFFF});
  for (unsigned m : masks) {
    add(linear, m);
    if (full) add([=](unsigned i) { return i * line; }, m);  // all on one bank, all apart
  }
  if (full && size >= 8)
    for (unsigned m : {0x0000FFFFu, 0x55555555u, 0x00FF00FFu, 0x33333333u, 0x11111111u})
      add([](unsigned i) { return i * 2; }, m);
  for (unsigned k = 0; k < randoms; ++k) add_random(t, space, op, size, k, 1);
}

inline std::vector<unsigned> up_to(unsigned last, std::vector<unsigned> more = {}) {
  std::vector<unsigned> all;
  for (unsigned s = 1; s <= last; ++s) all.push_back(s);
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

inline void add_few(Table& t, const char* space, const char* op, int size) {
  for (unsigned s : {1u, 2u, 32u}) t.add(space, op, size, [=](unsigned i) { return i * s; });
  for (unsigned d : {2u, 32u}) t.add(space, op, size, [=](unsigned i) { return i / d; });
  t.add(
      space, op, size, [](unsigned i) { return (i * 13 + 5) % 64; }, 0x00FF33FF);
}

inline void add_atomic(Table& t, const char* space, const char* op, int size, unsigned randoms) {
  add_few(t, space, op, size);
  for (unsigned s : {3u, 4u, 8u, 16u, 33u})
    t.add(space, op, size, [=](unsigned i) { return i * s; });
  for (unsigned d : {2u, 4u, 8u, 16u}) t.add(space, op, size, [=](unsigned i) { return i % d; });
  for (unsigned d : {4u, 8u, 16u}) t.add(space, op, size, [=](unsigned i) { return i / d; });
  for (unsigned m : {0x0000FFFFu, 0x55555555u, 0x00000001u, 0x00010001u, 0x00000003u}) {
    t.add(
        space, op, size, [](unsigned i) { return i; }, m);
    t.add(
        space, op, size, [](unsigned) { return 3; }, m);
    t.add(
        space, op, size, [](unsigned i) { return i * 32; }, m);
  }
  for (unsigned k = 0; k < randoms; ++k) add_random(t, space, op, size, k, 1);
}

inline void add_atomics(Table& t, const char* space) {
  for (const char* op : {"atom_add", "red_add"}) add_atomic(t, space, op, 4, 12);
  for (const char* op :
       {"cxx_add_one", "cxx_add_one_used", "cxx_add", "cxx_add_used", "cxx_add_float",
        "cxx_add_float_used", "cxx_max", "cxx_max_used", "cxx_cas_used", "cxx_exch_used"})
    add_few(t, space, op, 4);
  for (const char* op : {"cxx_add_double", "cxx_add_u64", "cxx_add_u64_used"})
    add_few(t, space, op, 8);
}

// Wide shared loads merge groups of lanes when neighbours agree: which neighbours, how widely?
inline void add_kin(Table& t, const char* space, const char* op, int size, unsigned seeds) {
  for (unsigned seed = 0; seed < seeds; ++seed)
    for (unsigned kin = 0; kin < 10; ++kin) {
      Lcg random{991u * seed + 31u * kin + size};
      unsigned at[32], mask = ~0u;
      for (unsigned& a : at) a = random(64u << seed);
      for (unsigned i = 0; i < 32; ++i) switch (kin) {
          case 0: at[i] = at[i < 16 ? i & ~1u : i & ~2u]; break;  // i^1 below, i^2 above
          case 1: at[i] = at[i & 4 ? i & ~2u : i & ~1u]; break;   // by turns, every 4 lanes
          case 2:
            if (i & 2) at[i] = at[i ^ 3];
            break;  // i^3
          case 3:
            if (i != 31) at[i] = at[i & ~1u];
            break;  // i^1, one lane apart
          case 4:
            if (i != 7) at[i] = at[i & ~2u];
            break;  // i^2, one lane apart
          case 5:
            if (i < 16) at[i] = at[i & ~1u];
            break;  // i^1 in the lower half
          case 6:
            if (i >= 16) at[i] = at[i & ~2u];
            break;  // i^2 in the upper half
          case 7:
            if (i % 4 == 2) mask &= ~(1u << i);
            at[i] = at[i & ~1u];
            break;
          case 8:
            if (random(2)) mask &= ~(1u << (i ^ random(2)));
            at[i] = at[i & ~2u];
            break;
          case 9:
            if (i % 3 == 0) mask &= ~(1u << i);
            at[i] = at[i & ~1u] + (i & 1 ? 0 : 1);
            break;
        }
      t.add(
          space, op, size, [&](unsigned i) { return at[i]; }, mask);
    }
}
