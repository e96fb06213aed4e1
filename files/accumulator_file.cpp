#include "files/accumulator_file.hpp"

#include <algorithm>
#include <cerrno>
#include <span>
#include <string>

#include "data/file.hpp"
#include "data/file_lock.hpp"
#include "warpfold/error.hpp"
#include "warpfold/exact/accumulator.hpp"

namespace warpfold::files {
namespace {

/// f(sum) with an empty sum of the type's values.
template <class F>
auto with_sum(value_type type, const F& f) {
  return type == value_type::f32 ? f(exact_accumulator<float>{}) : f(exact_accumulator<double>{});
}

}  // namespace

accumulator_file::accumulator_file(const std::filesystem::path& path, value_type type, bool as_f64)
    : next_(path, data::output_file::over::anything), type_(type), as_f64_(as_f64) {
  const auto bytes = read();
  if (bytes.empty() || !is_floating(type)) return;
  const char* const reason =
      with_sum(type, [&](auto sum) { return sum.read(bytes.data(), bytes.size()); });
  if (reason != nullptr) {
    throw data_error(data::in_quotes(path.string()) + ": holds no sum of " +
                     std::string(name_of(type)) + " to add to: " + reason + "; give another file");
  }
}

std::vector<std::uint8_t> accumulator_file::read() const {
  struct stat status {};
  if (!next_.place().examine(status) && errno == ENOENT) return {};
  const data::input_file file(next_.place().path());
  // One byte more than any accumulator has is enough to refuse what is none.
  constexpr std::size_t more_than_any = 4096;
  std::vector<std::uint8_t> bytes(std::min(file.size(), more_than_any));
  file.read(0, std::as_writable_bytes(std::span(bytes)));
  if (bytes.empty()) {
    throw data_error(file.name() + ": is empty and not a sum of --accumulator; remove it");
  }
  return bytes;
}

void accumulator_file::add(std::vector<std::uint8_t> sum,
                           const std::function<void(const reduced&)>& tell,
                           const std::stop_token& stop) {
  const data::file_lock lock(next_.place(), stop);
  const auto held = read();
  const number total = with_sum(type_, [&]<class Sum>(Sum all) -> number {
    all = Sum::from_bytes(sum);
    if (!held.empty()) all.merge(Sum::from_bytes(held));
    all.to_bytes(sum.data());
    if (const char* const reason = Sum().read(sum.data(), sum.size())) {
      throw data_error(next_.name() + ": would become " + reason + "; the file is unchanged");
    }
    if (as_f64_) return all.template round<double>();
    return all.round();
  });
  tell({{std::string(name_of(reduction::exact_sum)), total}});
  next_.write(0, std::as_bytes(std::span(sum)));
  next_.commit();
}

}  // namespace warpfold::files
