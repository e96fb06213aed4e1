// What a lane can ask about itself and about addresses; how it ends before its kernel does.
#include "simt/lanes.hpp"

#include <cmath>
#include <limits>

#include "simt/src/memory/arena.hpp"
#include "simt/src/run/cluster.hpp"
#include "simt/src/run/device.hpp"
#include "simt/src/run/failures.hpp"
#include "simt/src/run/schedule.hpp"
#include "simt/src/run/tls.hpp"

namespace simt::detail {

unsigned warp_index() { return running("warpid").warp->index; }

unsigned processor_index() {
  return number_of(block_of(running("smid"))) % the_device().processors;
}

void exit_thread() {
  running("exit");
  throw thread_exit();
}

bool& carry_flag() { return running("the carry").carry_flag; }

namespace {

std::uintptr_t offset_in_cluster(const void* p) {
  const cluster& c = *block_of(running("shared memory")).cluster;
  return reinterpret_cast<std::uintptr_t>(p) - reinterpret_cast<std::uintptr_t>(c.memory);
}

bool is_shared(const void* p) { return offset_in_cluster(p) < tls.cluster_bytes; }

bool is_local(const void* p) {
  const warp& w = *running("local memory").warp;
  const auto begin = reinterpret_cast<std::uintptr_t>(w.stacks);
  return reinterpret_cast<std::uintptr_t>(p) - begin < warp_size * stack_bytes;
}

bool is_constant(std::uintptr_t address) {
  return variable_at(address).bytes != 0 && !is_device_variable(address);
}

}  // namespace

bool is_in_space(memory_space s, const void* p) {
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  switch (s) {
    case memory_space::shared: return is_shared(p);
    case memory_space::local: return is_local(p);
    case memory_space::constant: return is_constant(address);
    case memory_space::global: return is_global(address);
  }
  return false;
}

float flushed_sum(const void* p, float old, float v) {
  const auto flushed = [](float x) {
    return std::fabs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0F, x) : x;
  };
  return is_shared(p) ? old + v : flushed(flushed(old) + flushed(v));
}

std::uint64_t shared_address(const void* p) { return offset_in_cluster(p); }

void* shared_pointer(std::uint64_t address) {
  return block_of(running("shared memory")).cluster->memory + address;
}

std::uint64_t shared_address_in(std::uint64_t address, unsigned rank) {
  return shared_address(in_block(shared_pointer(address), rank));
}

}  // namespace simt::detail
