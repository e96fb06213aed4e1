#include "files/unique.hpp"

#include <cstring>
#include <string>
#include <vector>

#include "data/output.hpp"
#include "files/sort.hpp"

namespace warpfold::files {
namespace {

/// In place of the output of a sort: takes sorted values, which have the bits of Word.
template <class Word>
class run_counter final : public data::output {
 public:
  explicit run_counter(const distinct_taker& take) : take_(take) {}

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] bool in_order() const override { return true; }
  void reserve(std::uint64_t /*bytes*/) override {}

  void write(std::uint64_t /*offset*/, std::span<const std::byte> part) override {
    for (std::size_t at = 0; at < part.size(); at += sizeof(Word)) {
      Word value;
      std::memcpy(&value, part.data() + at, sizeof value);
      if (values_.empty() || value != values_.back()) {
        if (values_.size() == most) flush();
        values_.push_back(value);
        counts_.push_back(0);
      }
      ++counts_.back();
    }
  }
  /// What has not been passed on.
  void flush() {
    take_(std::as_bytes(std::span(values_)), counts_);
    values_.clear();
    counts_.clear();
  }

 private:
  static constexpr std::size_t most = 65536;

  std::string name_ = "the sorted values";
  const distinct_taker& take_;
  std::vector<Word> values_;
  std::vector<std::uint64_t> counts_;
};

template <class Word>
void unique_words(sort_request& request, const distinct_taker& take, const run_options& o) {
  run_counter<Word> runs(take);
  request.keys_out = {&runs, 0};
  sort_all(request, o);
  runs.flush();
}

}  // namespace

void unique_all(data::number_input& in, const std::filesystem::path& scratch_folder,
                const distinct_taker& take, const run_options& o) {
  sort_request request{.keys = in,
                       .items = nullptr,
                       .descending = false,
                       .keys_out = {},
                       .items_out = {},
                       .scratch_folder = scratch_folder};
  check_sort(request);
  switch (size_of(in.type())) {
    case 1: return unique_words<std::uint8_t>(request, take, o);
    case 4: return unique_words<std::uint32_t>(request, take, o);
    default: return unique_words<std::uint64_t>(request, take, o);
  }
}

}  // namespace warpfold::files
