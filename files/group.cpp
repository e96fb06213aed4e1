#include "files/group.hpp"

#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "data/array.hpp"
#include "data/output.hpp"
#include "files/reduce.hpp"
#include "files/sort.hpp"
#include "warpfold/error.hpp"
#include "warpfold/exact/accumulator.hpp"
#include "warpfold/operators.hpp"

namespace warpfold::files {
namespace {

/// Keys of the same bits, one behind the other.
struct key_run {
  std::uint64_t bits;
  std::size_t length;
};

template <class T>
void append(group_column& to, T value) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
  to.bytes.insert(to.bytes.end(), bytes, bytes + sizeof value);
}

/// The group that is open, of which more values may come.
class open_group {
 public:
  virtual ~open_group() = default;
  /// The first `length` of the values; how many bytes they take.
  virtual std::size_t add(std::span<const std::byte> values, std::size_t length) = 0;
  /// Each aggregate to its column; then there are no values again.
  virtual void close(std::span<group_column> to) = 0;
};

template <class V>
class group_of final : public open_group {
 public:
  group_of(std::span<const aggregate> wanted, bool exact) : wanted_(wanted), exact_(exact) {}

  std::size_t add(std::span<const std::byte> bytes, std::size_t length) override {
    count_ += length;
    const std::span values(reinterpret_cast<const V*>(bytes.data()), bytes.empty() ? 0 : length);
    for (const aggregate a : wanted_) {
      switch (a) {
        case aggregate::count: break;
        case aggregate::sum: add_sum(sum_, values); break;
        case aggregate::mean: add_sum(mean_sum_, values); break;
        case aggregate::min:
          for (const V v : values) min_ = minimum{}(min_, v);
          break;
        case aggregate::max:
          for (const V v : values) max_ = maximum{}(max_, v);
          break;
      }
    }
    if constexpr (std::is_floating_point_v<V>) {
      if (exact_) exact_sum_.add(values);
    }
    return values.size_bytes();
  }
  void close(std::span<group_column> to) override {
    for (std::size_t c = 0; c < wanted_.size(); ++c) {
      switch (wanted_[c]) {
        case aggregate::count: append(to[c], count_); break;
        case aggregate::min: append(to[c], min_); break;
        case aggregate::max: append(to[c], max_); break;
        case aggregate::sum: put_sum(to[c]); break;
        case aggregate::mean: put_mean(to[c]); break;
      }
    }
    count_ = 0, sum_ = 0, mean_sum_ = 0;
    min_ = minimum::identity<V>(), max_ = maximum::identity<V>();
    if (exact_) exact_sum_ = {};
  }

 private:
  /// Integers have none.
  using summed = std::conditional_t<std::is_floating_point_v<V>, V, float>;

  template <class Sum>
  void add_sum(Sum& sum, std::span<const V> values) {
    if (exact_) return;
    for (const V v : values) sum = plus{}(sum, static_cast<Sum>(v));
  }
  void put_sum(group_column& to) const {
    if constexpr (std::is_floating_point_v<V>) {
      if (exact_) return append(to, exact_sum_.round());
    }
    append(to, sum_);
  }
  void put_mean(group_column& to) const {
    if constexpr (std::is_floating_point_v<V>) {
      if (exact_) return append(to, exact_sum_.mean(count_));
    }
    append(to, mean_sum_ / static_cast<double>(count_));
  }

  std::span<const aggregate> wanted_;
  bool exact_;
  std::uint64_t count_ = 0;
  wide<V> sum_ = 0;
  double mean_sum_ = 0;
  V min_ = minimum::identity<V>(), max_ = maximum::identity<V>();
  exact_accumulator<summed> exact_sum_;
};

/// Takes the output of a sort, some keys and then their values, and passes on whole groups.
class grouping {
 public:
  grouping(const group_request& r, const group_taker& take)
      : key_type_(r.keys.type()), take_(take), has_values_(r.values != nullptr) {
    columns_.push_back({key_type_, {}});
    for (const value_type type : group_types(r)) columns_.push_back({type, {}});
    visit_type(has_values_ ? r.values->type() : value_type::u8,
               [&]<class V>(std::type_identity<V>) {
                 group_ = std::make_unique<group_of<V>>(r.wanted, r.exact);
               });
  }

  void take_keys(std::span<const std::byte> keys) {
    switch (size_of(key_type_)) {
      case 1: find_runs<std::uint8_t>(keys); break;
      case 4: find_runs<std::uint32_t>(keys); break;
      default: find_runs<std::uint64_t>(keys); break;
    }
    if (!has_values_) take_values({});
  }
  /// Of the keys before.
  void take_values(std::span<const std::byte> values) {
    for (const key_run& run : runs_) {
      if (is_open_ && run.bits != open_) close();
      is_open_ = true;
      open_ = run.bits;
      values = values.subspan(group_->add(values, run.length));
    }
  }
  void finish() {
    if (is_open_) close();
    pass_on();
  }

 private:
  template <class Word>
  void find_runs(std::span<const std::byte> keys) {
    runs_.clear();
    for (std::size_t at = 0; at < keys.size(); at += sizeof(Word)) {
      Word key;
      std::memcpy(&key, keys.data() + at, sizeof key);
      if (runs_.empty() || runs_.back().bits != key) runs_.push_back({key, 0});
      ++runs_.back().length;
    }
  }
  void close() {
    constexpr std::size_t most = std::size_t{1} << 20;                   // bytes of a column
    const auto* const key = reinterpret_cast<const std::byte*>(&open_);  // little-endian
    columns_[0].bytes.insert(columns_[0].bytes.end(), key, key + size_of(key_type_));
    group_->close(std::span(columns_).subspan(1));
    is_open_ = false;
    if (columns_[0].bytes.size() >= most) pass_on();
  }
  void pass_on() {
    take_(columns_);
    for (auto& c : columns_) c.bytes.clear();
  }

  value_type key_type_;
  const group_taker& take_;
  bool has_values_, is_open_ = false;
  std::uint64_t open_ = 0;  // the bits of its key
  std::unique_ptr<open_group> group_;
  std::vector<key_run> runs_;
  std::vector<group_column> columns_;
};

/// In place of a sort's output.
class part_taker final : public data::output {
 public:
  explicit part_taker(std::function<void(std::span<const std::byte>)> take)
      : take_(std::move(take)) {}

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] bool in_order() const override { return true; }
  void reserve(std::uint64_t /*bytes*/) override {}
  void write(std::uint64_t /*offset*/, std::span<const std::byte> part) override { take_(part); }

 private:
  std::string name_ = "what was sorted";
  std::function<void(std::span<const std::byte>)> take_;
};

}  // namespace

std::vector<value_type> group_types(const group_request& request) {
  const value_type in = request.values != nullptr ? request.values->type() : value_type::u8;
  if (request.exact && !is_floating(in)) {
    throw usage_error(
        "--exact: is for f32 and f64; sums of integers are exact anyway, modulo 2^64");
  }
  std::vector<value_type> types;
  for (const aggregate a : request.wanted) {
    const bool is_sum = a == aggregate::sum || a == aggregate::mean;
    if (a == aggregate::count) {
      types.push_back(value_type::u64);
    } else if (!is_sum || request.exact) {
      types.push_back(in);
    } else if (a == aggregate::mean) {
      types.push_back(value_type::f64);
    } else {
      types.push_back(
          visit_type(in, []<class V>(std::type_identity<V>) { return data::type_of<wide<V>>(); }));
    }
  }
  return types;
}

void group_all(const group_request& request, const group_taker& take, const run_options& o) {
  grouping groups(request, take);
  part_taker keys([&](std::span<const std::byte> part) { groups.take_keys(part); });
  part_taker values([&](std::span<const std::byte> part) { groups.take_values(part); });
  sort_all({.keys = request.keys,
            .items = request.values,
            .descending = false,
            .keys_out = {&keys, 0},
            .items_out = {&values, 0},
            .scratch_folder = request.scratch_folder},
           o);
  groups.finish();
}

}  // namespace warpfold::files
