// Behind a hand-in's text, in the same file: finds the calls that its function takes.
// WARPFOLD_JUDGED is the function's name, WARPFOLD_JUDGED_SORT 1 if it sorts.
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

template <class In, class T, class Op, class = void>
struct takes_operator : std::false_type {};
template <class In, class T, class Op>
struct takes_operator<In, T, Op,
                      std::void_t<decltype(WARPFOLD_JUDGED(std::declval<In*>(), std::declval<T*>(),
                                                           std::size_t(), Op()))>>
    : std::true_type {};
template <class In, class T, class = void>
struct takes : std::false_type {};
template <class In, class T>
struct takes<
    In, T,
    std::void_t<decltype(WARPFOLD_JUDGED(std::declval<In*>(), std::declval<T*>(), std::size_t()))>>
    : std::true_type {};

template <class In, class T, class Op>
constexpr entry entry_with(bool may_write) {
  if constexpr (takes_operator<In, T, Op>::value) {
    return {
        name_of<T>(), Op::name, sizeof(T), may_write, [](const void* in, void* out, std::size_t n) {
          WARPFOLD_JUDGED(static_cast<In*>(const_cast<void*>(in)), static_cast<T*>(out), n, Op());
        }};
  } else if constexpr (takes<In, T>::value &&
                       (std::is_same_v<Op, sum> || std::is_same_v<Op, none>)) {
    return {name_of<T>(), Op::name, sizeof(T), may_write,
            [](const void* in, void* out, std::size_t n) {
              WARPFOLD_JUDGED(static_cast<In*>(const_cast<void*>(in)), static_cast<T*>(out), n);
            }};
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

#if WARPFOLD_JUDGED_SORT
extern constexpr entry entries[] = {entry_of<unsigned, none>(), entry_of<int, none>(),
                                    entry_of<float, none>()};
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
