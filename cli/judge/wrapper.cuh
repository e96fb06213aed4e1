// Behind a hand-in's text, in the same file: finds the calls that its function takes.
// WARPFOLD_JUDGED is the function's name, WARPFOLD_JUDGES_sort is defined if it sorts, and so on.
#include <type_traits>
#include <utility>

namespace warpfold_judge {

struct sum {
  static constexpr const char* name = "sum";
  template <class T>
  __host__ __device__ static constexpr T identity() {
    return T(0);
  }
  template <class T>
  __host__ __device__ constexpr T operator()(T a, T b) const {
    return a + b;
  }
};
template <class T>
struct range;
template <>
struct range<int> {
  static constexpr int least = -2147483647 - 1, most = 2147483647;
};
template <>
struct range<long long> {
  static constexpr long long least = -9223372036854775807LL - 1, most = 9223372036854775807LL;
};
template <>
struct range<float> {
  static constexpr float least = -__builtin_huge_valf(), most = __builtin_huge_valf();
};
template <>
struct range<double> {
  static constexpr double least = -__builtin_huge_val(), most = __builtin_huge_val();
};
struct minimum {
  static constexpr const char* name = "min";
  template <class T>
  __host__ __device__ static constexpr T identity() {
    return range<T>::most;
  }
  template <class T>
  __host__ __device__ constexpr T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};
struct maximum {
  static constexpr const char* name = "max";
  template <class T>
  __host__ __device__ static constexpr T identity() {
    return range<T>::least;
  }
  template <class T>
  __host__ __device__ constexpr T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};
struct none {
  static constexpr const char* name = "";
};

template <class T>
constexpr const char* name_of() {
  if (std::is_same_v<T, unsigned>) return "u32";
  if (std::is_same_v<T, int>) return "i32";
  if (std::is_same_v<T, float>) return "f32";
  return std::is_same_v<T, double> ? "f64" : "i64";
}

// The arguments of the function: `in` as In*, the results of values of type T.
#define WARPFOLD_JUDGED_IN static_cast<In*>(const_cast<void*>(a.in))
#if defined(WARPFOLD_JUDGES_histogram)
#define WARPFOLD_JUDGED_ARGUMENTS WARPFOLD_JUDGED_IN, static_cast<unsigned*>(a.out), a.n, a.bins
#elif defined(WARPFOLD_JUDGES_select)
#define WARPFOLD_JUDGED_ARGUMENTS WARPFOLD_JUDGED_IN, static_cast<T*>(a.out), a.kept, a.n
#else
#define WARPFOLD_JUDGED_ARGUMENTS WARPFOLD_JUDGED_IN, static_cast<T*>(a.out), a.n
#endif

template <class In, class T, class... Op>
concept takes =
    requires(const arguments& a, Op... op) { WARPFOLD_JUDGED(WARPFOLD_JUDGED_ARGUMENTS, op...); };

template <class In, class T, class Op>
constexpr entry entry_with(bool may_write) {
  if constexpr (takes<In, T, Op>) {
    return {name_of<T>(), Op::name, sizeof(T), may_write,
            [](const arguments& a) { WARPFOLD_JUDGED(WARPFOLD_JUDGED_ARGUMENTS, Op()); }};
  } else if constexpr (takes<In, T> && (std::is_same_v<Op, sum> || std::is_same_v<Op, none>)) {
    return {name_of<T>(), Op::name, sizeof(T), may_write,
            [](const arguments& a) { WARPFOLD_JUDGED(WARPFOLD_JUDGED_ARGUMENTS); }};
  } else {
    return {};
  }
}

template <class T, class Op>
constexpr entry entry_of() {
  constexpr entry reads = entry_with<const T, T, Op>(false);
  if constexpr (reads.type != nullptr) {
    return reads;
  } else {
    return entry_with<T, T, Op>(true);
  }
}

#if defined(WARPFOLD_JUDGES_sort)
extern constexpr entry entries[] = {entry_of<unsigned, none>(), entry_of<int, none>(),
                                    entry_of<float, none>()};
#elif defined(WARPFOLD_JUDGES_histogram)
extern constexpr entry entries[] = {entry_of<unsigned, none>(), entry_of<int, none>(),
                                    entry_of<long long, none>()};
#elif defined(WARPFOLD_JUDGES_select)
extern constexpr entry entries[] = {entry_of<int, none>(), entry_of<long long, none>(),
                                    entry_of<float, none>(), entry_of<double, none>()};
#else
extern constexpr entry entries[] = {
    entry_of<int, sum>(),       entry_of<long long, sum>(),     entry_of<float, sum>(),
    entry_of<double, sum>(),    entry_of<int, minimum>(),       entry_of<int, maximum>(),
    entry_of<float, minimum>(), entry_of<long long, maximum>(), entry_of<double, maximum>()};
#endif
extern constexpr std::size_t entry_count = sizeof entries / sizeof entries[0];

constexpr bool has_any() {
  for (const entry& e : entries) {
    if (e.type != nullptr) return true;
  }
  return false;
}
static_assert(has_any(), "warpfold judge: the function is missing");

}  // namespace warpfold_judge
