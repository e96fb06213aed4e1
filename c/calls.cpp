#include "c/calls.hpp"

#include <iterator>
#include <string>

#include "c/guarded.hpp"

namespace warpfold::erased {
namespace {

struct type_entry {
  const char* name;
  const calls& (*host)();
  wf_type wide;
};
/// By wf_type.
constexpr type_entry types[type_count] = {
    {"i8", host_calls_of<std::int8_t>, WF_I64},    {"i16", host_calls_of<std::int16_t>, WF_I64},
    {"i32", host_calls_of<std::int32_t>, WF_I64},  {"i64", host_calls_of<std::int64_t>, WF_I64},
    {"u8", host_calls_of<std::uint8_t>, WF_U64},   {"u16", host_calls_of<std::uint16_t>, WF_U64},
    {"u32", host_calls_of<std::uint32_t>, WF_U64}, {"u64", host_calls_of<std::uint64_t>, WF_U64},
    {"f32", host_calls_of<float>, WF_F64},         {"f64", host_calls_of<double>, WF_F64}};

constexpr const char* ops[] = {"plus",    "multiplies", "minimum", "maximum",
                               "bit_and", "bit_or",     "bit_xor"};

const type_entry& entry(wf_type type) {
  const auto number = static_cast<unsigned>(type);
  if (number >= type_count) throw usage_error("there is no type ", number, "; see wf_type");
  return types[number];
}

}  // namespace

const char* name_of(wf_type type) { return entry(type).name; }

const char* name_of(wf_op op) {
  const auto number = static_cast<unsigned>(op);
  if (number >= std::size(ops)) throw usage_error("there is no operator ", number, "; see wf_op");
  return ops[number];
}

const calls& calls_of(const wf_place& where, wf_type type) {
  const type_entry& e = entry(type);
  if (where.determinism != WF_RUN_TO_RUN && where.determinism != WF_GPU_TO_GPU) {
    throw usage_error("there is no determinism ", static_cast<unsigned>(where.determinism),
                      "; see wf_determinism");
  }
  if (where.machine == WF_HOST) return e.host();
  if (where.machine != WF_CUDA) {
    throw usage_error("there is no machine ", static_cast<unsigned>(where.machine),
                      "; see wf_machine");
  }
  const calls* const device = device_calls(type);
  if (device != nullptr) return *device;
  if (device_calls(WF_I32) != nullptr) {
    throw usage_error("a device takes i32, i64, u32, u64, f32 and f64, not ", e.name,
                      "; copy the values to the host");
  }
  throw device_error(
      "this warpfold was built without CUDA; build it with -DWARPFOLD_CUDA=ON, or "
      "copy the values to the host");
}

const calls& exact_calls_of(const wf_place& where, wf_type type) {
  const calls& all = calls_of(where, type);
  if (all.exact_sum == nullptr) {
    throw usage_error("exact sums take f32 and f64, not ", name_of(type),
                      "; integers have exact "
                      "sums in 64 bits anyway");
  }
  return all;
}

bool is_wide(wf_type type, wf_op op, wf_type result) {
  const type_entry& e = entry(type);
  if (result == type) return false;
  name_of(op);
  if (result != e.wide || (op != WF_PLUS && op != WF_MULTIPLIES)) {
    throw usage_error("the result of ", name_of(op), " of ", e.name, " values can't be ",
                      name_of(result), "; plus and multiplies give ", e.name, " or ",
                      name_of(e.wide), ", the others ", e.name);
  }
  return true;
}

accumulator make_accumulator(wf_type type) {
  exact_calls_of({}, type);
  if (type == WF_F32) return exact_accumulator<float>();
  return exact_accumulator<double>();
}

void add(accumulator& sum, const wf_place& where, const void* values, std::size_t n) {
  const auto& table = exact_calls_of(where, sum.index() == 0 ? WF_F32 : WF_F64);
  std::visit(
      [&]<class Sum>(Sum& s) {
        std::uint8_t bytes[Sum::bytes];
        table.accumulate(where, values, n, bytes);
        s.merge(Sum::from_bytes(bytes));
      },
      sum);
}

void merge(accumulator& to, const accumulator& from) {
  if (to.index() != from.index()) {
    throw usage_error("one accumulator is of f32, the other of f64; sum all values in one type");
  }
  std::visit([&]<class Sum>(Sum& sum) { sum.merge(std::get<Sum>(from)); }, to);
}

void read(accumulator& sum, const std::uint8_t* bytes, std::size_t size) {
  std::visit([&]<class Sum>(Sum& s) { s = Sum::from_bytes({bytes, size}); }, sum);
}

std::string& last_error() {
  thread_local std::string text;
  return text;
}

}  // namespace warpfold::erased
