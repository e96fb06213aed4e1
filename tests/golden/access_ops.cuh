// One memory instruction a struct, each with its exact PTX so that no compiler may merge or drop
// it. A loaded value ends in a compare with a value it never has and a trap: alive, yet no store.
#pragma once

enum class Space { global, shared };

struct Place {
  char* global;
  char* shared;
  unsigned magic;  // no loaded value equals it
  unsigned on;     // the lane's bit of the mask
  unsigned zero;   // 0, which the compiler doesn't know

  template <Space S>
  __device__ char* at() const {
    return S == Space::global ? global : shared;
  }
};

__device__ inline void keep(const Place& p, unsigned a) {
  if (a == p.magic) __trap();
}
__device__ inline void keep(const Place& p, unsigned a, unsigned b) {
  keep(p, (a ^ p.magic) | (b ^ p.magic) ? 0 : p.magic);
}

struct Op {
  static constexpr bool by_predicate = false;  // inactive lanes leave before the instruction
  static constexpr bool on_zeros = false;      // shared memory is cleared first
};

// The five widths of a load or store; ADDRESS is the operand and its constraint.
#define LOADS(name, ptx, ADDRESS)                                                      \
  template <int Size>                                                                  \
  struct name : Op {                                                                   \
    static __device__ void run(const Place& p) {                                       \
      unsigned a = 0, b = 0, c = 0, d = 0;                                             \
      if constexpr (Size == 1) asm volatile(ptx ".u8 %0, [%1];" : "=r"(a) : ADDRESS);  \
      if constexpr (Size == 2) asm volatile(ptx ".u16 %0, [%1];" : "=r"(a) : ADDRESS); \
      if constexpr (Size == 4) asm volatile(ptx ".u32 %0, [%1];" : "=r"(a) : ADDRESS); \
      if constexpr (Size == 8)                                                         \
        asm volatile(ptx ".v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : ADDRESS);      \
      if constexpr (Size == 16)                                                        \
        asm volatile(ptx ".v4.u32 {%0, %1, %2, %3}, [%4];"                             \
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)                              \
                     : ADDRESS);                                                       \
      if constexpr (Size <= 4) keep(p, a);                                             \
      if constexpr (Size == 8) keep(p, a, b);                                          \
      if constexpr (Size == 16) keep(p, a ^ b, c ^ d);                                 \
    }                                                                                  \
  };
#define STORES(name, ptx, ADDRESS)                                                            \
  template <int Size>                                                                         \
  struct name : Op {                                                                          \
    static __device__ void run(const Place& p) {                                              \
      const unsigned v = threadIdx.x;                                                         \
      if constexpr (Size == 1) asm volatile(ptx ".u8 [%0], %1;" ::ADDRESS, "r"(v));           \
      if constexpr (Size == 2) asm volatile(ptx ".u16 [%0], %1;" ::ADDRESS, "r"(v));          \
      if constexpr (Size == 4) asm volatile(ptx ".u32 [%0], %1;" ::ADDRESS, "r"(v));          \
      if constexpr (Size == 8) asm volatile(ptx ".v2.u32 [%0], {%1, %1};" ::ADDRESS, "r"(v)); \
      if constexpr (Size == 16)                                                               \
        asm volatile(ptx ".v4.u32 [%0], {%1, %1, %1, %1};" ::ADDRESS, "r"(v));                \
    }                                                                                         \
  };
#define GLOBAL "l"(__cvta_generic_to_global(p.global))
#define SHARED "r"(unsigned(__cvta_generic_to_shared(p.shared)))

namespace global_op {
LOADS(load, "ld.global", GLOBAL)
LOADS(load_volatile, "ld.volatile.global", GLOBAL)
LOADS(load_nc, "ld.global.nc", GLOBAL)
LOADS(load_cs, "ld.global.cs", GLOBAL)
LOADS(load_cg, "ld.global.cg", GLOBAL)
LOADS(load_generic, "ld", "l"(p.global))
STORES(store, "st.global", GLOBAL)
STORES(store_volatile, "st.volatile.global", GLOBAL)
STORES(store_cs, "st.global.cs", GLOBAL)
STORES(store_generic, "st", "l"(p.global))
}  // namespace global_op

namespace shared_op {
LOADS(load, "ld.shared", SHARED)
LOADS(load_volatile, "ld.volatile.shared", SHARED)
LOADS(load_generic, "ld", "l"(p.shared + p.zero))
STORES(store, "st.shared", SHARED)
STORES(store_generic, "st", "l"(p.shared + p.zero))
}  // namespace shared_op

// The same addresses a second time.
template <class Load>
struct twice : Op {
  static __device__ void run(Place p) {
    Load::run(p);
    p.global += p.zero;
    p.shared += p.zero;
    Load::run(p);
  }
};

// Every lane arrives; the mask is the predicate of the instruction itself.
#define PREDICATED "{ .reg .pred q; setp.ne.u32 q, %2, 0; @q "
struct predicated : Op {
  static constexpr bool by_predicate = true;
};
struct predicated_global_load : predicated {
  static __device__ void run(const Place& p) {
    unsigned a = 0;
    asm volatile(PREDICATED "ld.global.u32 %0, [%1]; }" : "+r"(a) : GLOBAL, "r"(p.on));
    keep(p, a);
  }
};
struct predicated_shared_load : predicated {
  static __device__ void run(const Place& p) {
    unsigned a = 0;
    asm volatile(PREDICATED "ld.shared.u32 %0, [%1]; }" : "+r"(a) : SHARED, "r"(p.on));
    keep(p, a);
  }
};
struct predicated_global_store : predicated {
  static __device__ void run(const Place& p) {
    asm volatile(PREDICATED "st.global.u32 [%0], %1; }" ::GLOBAL, "r"(p.zero), "r"(p.on));
  }
};
struct predicated_shared_store : predicated {
  static __device__ void run(const Place& p) {
    asm volatile(PREDICATED "st.shared.u32 [%0], %1; }" ::SHARED, "r"(p.zero), "r"(p.on));
  }
};

struct shuffle : Op {
  static __device__ void run(const Place& p) {
    keep(p, __shfl_xor_sync(__activemask(), threadIdx.x + p.zero, 5));
  }
};

// Global to shared without a register; the same offset on both sides.
template <int Size>
struct async_copy : Op {
  static __device__ void run(const Place& p) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2; cp.async.wait_all;" ::SHARED,
                 "l"(__cvta_generic_to_global(p.global)), "n"(Size));
  }
};

// Atomics in exact PTX (integer add) …
struct atom_add_global : Op {
  static __device__ void run(const Place& p) {
    unsigned a;
    asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(a) : GLOBAL, "r"(threadIdx.x));
    keep(p, a);
  }
};
struct red_add_global : Op {
  static __device__ void run(const Place& p) {
    asm volatile("red.global.add.u32 [%0], %1;" ::GLOBAL, "r"(threadIdx.x));
  }
};
struct atom_add_shared : Op {
  static __device__ void run(const Place& p) {
    unsigned a;
    asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(a) : SHARED, "r"(threadIdx.x));
    keep(p, a);
  }
};
struct red_add_shared : Op {
  static __device__ void run(const Place& p) {
    asm volatile("red.shared.add.u32 [%0], %1;" ::SHARED, "r"(threadIdx.x));
  }
};

// … and as CUDA C++ is written. What they become is the compiler's choice: see README.md.
#define CXX_ATOMIC(name, T, call, USED)                  \
  template <Space S>                                     \
  struct name : Op {                                     \
    static constexpr bool on_zeros = S == Space::shared; \
    static __device__ void run(const Place& p) {         \
      T* const at = reinterpret_cast<T*>(p.at<S>());     \
      const T old = call;                                \
      if constexpr (USED)                                \
        if (old == static_cast<T>(p.magic)) __trap();    \
    }                                                    \
  };
CXX_ATOMIC(cxx_add_one, int, atomicAdd(at, 1), false)
CXX_ATOMIC(cxx_add_one_used, int, atomicAdd(at, 1), true)
CXX_ATOMIC(cxx_add, int, atomicAdd(at, int(threadIdx.x)), false)
CXX_ATOMIC(cxx_add_used, int, atomicAdd(at, int(threadIdx.x)), true)
CXX_ATOMIC(cxx_add_float, float, atomicAdd(at, threadIdx.x + 1.f), false)
CXX_ATOMIC(cxx_add_float_used, float, atomicAdd(at, threadIdx.x + 1.f), true)
CXX_ATOMIC(cxx_add_double, double, atomicAdd(at, threadIdx.x + 1.), false)
CXX_ATOMIC(cxx_add_u64, unsigned long long, atomicAdd(at, 1ull + threadIdx.x), false)
CXX_ATOMIC(cxx_add_u64_used, unsigned long long, atomicAdd(at, 1ull + threadIdx.x), true)
CXX_ATOMIC(cxx_max, int, atomicMax(at, int(threadIdx.x)), false)
CXX_ATOMIC(cxx_max_used, int, atomicMax(at, int(threadIdx.x)), true)
CXX_ATOMIC(cxx_cas_used, int, atomicCAS(at, 0, int(threadIdx.x)), true)
CXX_ATOMIC(cxx_exch_used, int, atomicExch(at, int(threadIdx.x)), true)
