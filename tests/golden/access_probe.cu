// One memory instruction a lane, one launch a pattern: ground truth for the access counters.
// Under ncu the counters of the n-th launch belong to the n-th row. See README.md beside this file.
//
//   access_probe list             every row as CSV; needs no device
//   access_probe count GROUP      how many rows a group has (the second column of the list)
//   access_probe run GROUP [FIRST COUNT]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "access_ops.cuh"
#include "access_patterns.hpp"

constexpr int global_bytes = 1 << 20;
constexpr int shared_bytes = 40 << 10;

template <class Op>
__global__ void probe(const __grid_constant__ Lanes lanes, char* base) {
  alignas(1024) __shared__ char tile[shared_bytes];
  const unsigned at = threadIdx.x, on = lanes.mask[at / 32] >> (at % 32) & 1;
  if (Op::on_zeros)  // what a retry loop finds decides how often it turns
    for (unsigned word = at; word < shared_bytes / 4; word += blockDim.x)
      reinterpret_cast<volatile unsigned*>(tile)[word] = 0;
  __syncwarp();
  if (!Op::by_predicate && !on) return;
  Op::run({base + lanes.offset[at], tile + lanes.offset[at], lanes.magic, on, lanes.zero});
}

// A full machine, no two lanes on one bank: do the counters stay exact when they compete?
template <class V>
__global__ void crowd(const __grid_constant__ Lanes lanes, char* base) {
  __shared__ V tile[512];
  const unsigned at = threadIdx.x, all = global_bytes / sizeof(V);
  unsigned sum = 0;
  for (unsigned round = 0; round < 8; ++round) {
    tile[at] = reinterpret_cast<V*>(base)[(blockIdx.x * 512 + at + round * 4096) % all];
    __syncthreads();
    const V v = tile[at ^ 32];
    for (unsigned word = 0; word < sizeof(V) / 4; ++word)
      sum += reinterpret_cast<const unsigned*>(&v)[word];
    __syncthreads();
  }
  if (sum == lanes.magic) __trap();
}

// The compiler sees that every lane adds to one address.
__global__ void one_counter(const __grid_constant__ Lanes, char* base) {
  atomicAdd(reinterpret_cast<int*>(base), 1);
}

using Kernel = void (*)(Lanes, char*);

Kernel kernel_of(const Row& row) {
  static const std::map<std::string, Kernel> kernels = [] {
    std::map<std::string, Kernel> k;
#define ENTRY(space, name, size, ...) k[#space "/" #name "/" #size] = probe<__VA_ARGS__>
#define PLAIN(space, name)                    \
  ENTRY(space, name, 1, space##_op::name<1>); \
  ENTRY(space, name, 2, space##_op::name<2>); \
  ENTRY(space, name, 4, space##_op::name<4>); \
  ENTRY(space, name, 8, space##_op::name<8>); \
  ENTRY(space, name, 16, space##_op::name<16>)
    PLAIN(global, load);
    PLAIN(global, load_volatile);
    PLAIN(global, load_nc);
    PLAIN(global, load_cs);
    PLAIN(global, load_cg);
    PLAIN(global, load_generic);
    PLAIN(global, store);
    PLAIN(global, store_volatile);
    PLAIN(global, store_cs);
    PLAIN(global, store_generic);
    PLAIN(shared, load);
    PLAIN(shared, load_volatile);
    PLAIN(shared, load_generic);
    PLAIN(shared, store);
    PLAIN(shared, store_generic);
    ENTRY(global, load_twice, 4, twice<global_op::load<4>>);
    ENTRY(global, load_twice, 16, twice<global_op::load<16>>);
    ENTRY(shared, load_twice, 4, twice<shared_op::load<4>>);
    ENTRY(global, load_predicated, 4, predicated_global_load);
    ENTRY(global, store_predicated, 4, predicated_global_store);
    ENTRY(shared, load_predicated, 4, predicated_shared_load);
    ENTRY(shared, store_predicated, 4, predicated_shared_store);
    ENTRY(shared, shuffle, 4, shuffle);
    ENTRY(shared, async_copy, 4, async_copy<4>);
    ENTRY(shared, async_copy, 8, async_copy<8>);
    ENTRY(shared, async_copy, 16, async_copy<16>);
    ENTRY(global, atom_add, 4, atom_add_global);
    ENTRY(global, red_add, 4, red_add_global);
    ENTRY(shared, atom_add, 4, atom_add_shared);
    ENTRY(shared, red_add, 4, red_add_shared);
#define BOTH(name, size)                          \
  ENTRY(global, name, size, name<Space::global>); \
  ENTRY(shared, name, size, name<Space::shared>)
    BOTH(cxx_add_one, 4);
    BOTH(cxx_add_one_used, 4);
    BOTH(cxx_add, 4);
    BOTH(cxx_add_used, 4);
    BOTH(cxx_add_float, 4);
    BOTH(cxx_add_float_used, 4);
    BOTH(cxx_add_double, 8);
    BOTH(cxx_add_u64, 8);
    BOTH(cxx_add_u64_used, 8);
    BOTH(cxx_max, 4);
    BOTH(cxx_max_used, 4);
    BOTH(cxx_cas_used, 4);
    BOTH(cxx_exch_used, 4);
    k["shared/crowd/4"] = crowd<unsigned>;
    k["shared/crowd/8"] = crowd<uint2>;
    k["shared/crowd/16"] = crowd<uint4>;
    k["global/one_counter/4"] = one_counter;
    return k;
  }();
  const auto found = kernels.find(row.space + "/" + row.op + "/" + std::to_string(row.size));
  if (found == kernels.end()) {
    std::fprintf(stderr, "no kernel for %s %s %d\n", row.space.c_str(), row.op.c_str(), row.size);
    std::exit(5);
  }
  return found->second;
}

Table all_patterns() {
  Table t;
  const std::vector<unsigned> few = {1, 2, 3, 4, 8, 16, 32, 33};
  t.group("global");
  for (const char* op : {"load", "store"})
    for (int size : {4, 8, 16, 1, 2})
      add_shapes(t, "global", op, size, size == 4 ? up_to(33) : few, size == 4 ? 20 : 10);
  t.group("shared");
  for (const char* op : {"load", "store"})
    for (int size : {16, 8, 4, 1, 2}) {
      const auto strides = size > 4 ? up_to(17, {32, 33}) : size == 4 ? up_to(33) : few;
      add_shapes(t, "shared", op, size, strides, size > 4 ? 40 : size == 4 ? 20 : 10);
    }
  t.group("global_atomics");
  add_atomics(t, "global");
  t.group("shared_atomics");
  add_atomics(t, "shared");
  for (const char* op : {"cxx_add_one", "cxx_add_float", "cxx_cas_used"})
    for (unsigned k = 0; k < 12; ++k) add_random(t, "shared", op, 4, k, 5);
  for (const char* op : {"cxx_add_u64", "cxx_add_double"})
    for (unsigned k = 0; k < 12; ++k) add_random(t, "shared", op, 8, k, 5);
  t.group("variants");
  for (const char* op : {"load_volatile", "load_nc", "load_cs", "load_cg", "load_generic",
                         "store_volatile", "store_cs", "store_generic"})
    for (int size : {4, 16}) add_few(t, "global", op, size);
  for (const char* op : {"load_volatile", "load_generic", "store_generic"})
    for (int size : {4, 16}) add_few(t, "shared", op, size);
  for (int size : {4, 16}) add_few(t, "global", "load_twice", size);
  add_few(t, "shared", "load_twice", 4);
  for (const char* op : {"load_predicated", "store_predicated"})
    for (const char* space : {"global", "shared"})
      for (unsigned mask : {0u, 1u, 0x55555555u, ~0u})
        t.add(
            space, op, 4, [](unsigned i) { return i * 2; }, mask);
  for (int size : {4, 8, 16}) add_few(t, "shared", "async_copy", size);
  t.add("shared", "shuffle", 4, [](unsigned i) { return i; });
  t.add("global", "one_counter", 4, [](unsigned) { return 0; });
  for (int size : {4, 8, 16})
    t.add(
        "shared", "crowd", size, [](unsigned) { return 0; }, ~0u, 16, 1056);
  for (const char* space : {"global", "shared"})  // two warps: do they share anything?
    for (const char* op : {"load", "store"})
      for (int size : {4, 16})
        t.add(
            space, op, size, [](unsigned i) { return i * 2; }, ~0u, 2);
  for (const char* op : {"cxx_add_u64", "cxx_add_double"})
    for (unsigned k = 0; k < 6; ++k) add_random(t, "global", op, 8, k, 5);
  for (const char* space : {"shared", "global"}) {  // rules are found without these, then tried
    t.group((std::string("unseen_") + space).c_str());
    for (const char* op : {"load", "store"})
      for (int size : {8, 16, 4}) {
        const unsigned randoms = size > 4 ? 30 : 10;
        for (unsigned k = 0; k < randoms; ++k) add_random(t, space, op, size, k + 40, 77);
        if (*space == 's' && size > 4) add_kin(t, space, op, size, *op == 'l' ? 3 : 1);
      }
  }
  for (const char* space : {"global", "shared"}) {  // those strides that are not above
    t.group((std::string("strides_") + space).c_str());
    for (const char* op : {"load", "store"})
      for (int size : {1, 2, 4, 8, 16})
        for (unsigned s : up_to(33)) t.add(space, op, size, [=](unsigned i) { return i * s; });
  }
  return t;
}

void list(const Table& t) {
  std::puts("id,group,space,op,size,blocks,warps,mask,offsets");
  for (size_t id = 0; id < t.rows.size(); ++id) {
    const Row& r = t.rows[id];
    std::printf("%zu,%s,%s,%s,%d,%d,%d,%08x", id, r.group.c_str(), r.space.c_str(), r.op.c_str(),
                r.size, r.blocks, r.warps, r.lanes.mask[0]);
    if (r.warps == 2) std::printf("/%08x", r.lanes.mask[1]);
    for (int i = 0; i < (r.warps == 2 ? 64 : 32); ++i) {
      std::printf(i ? " " : ",");
      if (r.lanes.mask[i / 32] >> (i % 32) & 1) std::printf("%u", r.lanes.offset[i]);
    }
    std::puts("");
  }
}

void check(cudaError_t e, const char* what) {
  if (e == cudaSuccess) return;
  std::fprintf(stderr, "access_probe: %s: %s\n", what, cudaGetErrorString(e));
  std::exit(5);
}

int main(int argc, char** argv) {
  const Table t = all_patterns();
  if (argc == 2 && !std::strcmp(argv[1], "list")) return list(t), 0;
  if (argc < 3) {
    std::fprintf(stderr, "access_probe list | count GROUP | run GROUP [FIRST COUNT]\n");
    return 2;
  }
  const bool run = !std::strcmp(argv[1], "run");
  char* base = nullptr;
  if (run) check(cudaMalloc(&base, global_bytes), "cudaMalloc");
  if (run) check(cudaMemset(base, 0, global_bytes), "cudaMemset");
  const int first = argc > 3 ? std::atoi(argv[3]) : 0;
  const int count = argc > 4 ? std::atoi(argv[4]) : 1 << 30;
  int n = 0;
  for (const Row& r : t.rows) {
    if (r.group != argv[2]) continue;
    const int at = n++;
    const Kernel kernel = kernel_of(r);
    if (!run || at < first || at >= first + count) continue;
    kernel<<<r.blocks, r.warps * 32>>>(r.lanes, base);
    check(cudaDeviceSynchronize(), r.op.c_str());
  }
  if (!run) std::printf("%d\n", n);
}
