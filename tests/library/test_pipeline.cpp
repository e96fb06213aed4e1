// The pipeline through its public interface.
#include <atomic>
#include <cstring>
#include <functional>
#include <numeric>
#include <optional>
#include <set>
#include <stop_token>
#include <thread>

#include <gmock/gmock.h>

#include "warpfold/pipeline.hpp"

namespace warpfold {
namespace {

/// Bytes 0, 1, 2, …, modulo 251.
struct source {
  std::size_t size;

  std::size_t operator()(const pipeline::chunk& room) const {
    const std::size_t n =
        room.offset < size ? std::min<std::size_t>(room.bytes.size(), size - room.offset) : 0;
    for (std::size_t i = 0; i < n; ++i) room.bytes[i] = std::byte((room.offset + i) % 251);
    return n;
  }
};

std::uint64_t sum_of(const pipeline::chunk& c) {
  std::uint64_t sum = 0;
  for (const std::byte b : c.bytes) sum += std::to_integer<unsigned>(b);
  return sum;
}

/// Counts what is allocated, and refuses the third room.
class counting_memory : public std::pmr::memory_resource {
 public:
  int rooms = 0, most = 1000;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (rooms == most) throw std::bad_alloc();
    ++rooms;
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    --rooms;
    std::pmr::new_delete_resource()->deallocate(p, bytes, alignment);
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }
};

TEST(pipeline, takes_every_byte_through_once_and_turns_in_order) {
  for (const unsigned slots : {1U, 2U, 7U}) {
    for (const std::size_t size : {0U, 1U, 99U, 100U, 101U, 200U, 12345U}) {
      pipeline line({.chunk_bytes = 100, .slots = slots});
      std::vector<std::uint64_t> mine(slots), order;
      std::uint64_t sum = 0, expected = 0;
      std::atomic<std::uint64_t> finished = 0, written = 0;
      for (std::size_t i = 0; i < size; ++i) expected += i % 251;
      const auto done = line.run({.read = source{size},
                                  .work = [&](const auto& c) { mine[c.slot] = sum_of(c); },
                                  .in_order =
                                      [&](const auto& c) {
                                        order.push_back(c.index);
                                        sum += mine[c.slot];
                                      },
                                  .finish = [&](const auto& c) { finished += c.bytes.size(); },
                                  .write = [&](const auto& c) { written += c.bytes.size(); }});
      EXPECT_EQ(sum, expected);
      EXPECT_EQ(finished, size);
      EXPECT_EQ(written, size);
      EXPECT_EQ(done.bytes, size);
      EXPECT_EQ(order.size(), (size + 99) / 100);
      EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
    }
  }
}

TEST(pipeline, reads_a_stream_in_order) {
  pipeline line({.chunk_bytes = 64, .slots = 4});
  std::uint64_t at = 0;
  bool in_order = true;
  const auto done = line.run({.read =
                                  [&](const auto& room) {
                                    in_order = in_order && room.offset == at;
                                    at += room.bytes.size();
                                    return source{10000}(room);
                                  },
                              .read_in_order = true,
                              .in_order = [](const auto&) {}});
  EXPECT_TRUE(in_order);
  EXPECT_EQ(done.bytes, 10000U);
}

TEST(pipeline, writes_a_stream_in_order) {
  for (const bool turns : {false, true}) {
    pipeline line({.chunk_bytes = 64, .slots = 4});
    std::uint64_t at = 0;
    bool in_order = true;
    pipeline::stages all{.read = source{10000},
                         .work =
                             [](const auto& c) {  // the first of four comes last
                               if (c.index % 4 == 0) {
                                 std::this_thread::sleep_for(std::chrono::microseconds(200));
                               }
                             },
                         .write =
                             [&](const auto& c) {
                               in_order = in_order && c.offset == at;
                               at += c.bytes.size();
                             },
                         .write_in_order = true};
    if (turns) all.in_order = [](const auto&) {};
    EXPECT_EQ(line.run(all).bytes, 10000U);
    EXPECT_TRUE(in_order);
    EXPECT_EQ(at, 10000U);
    all.write = [](const auto& c) {
      if (c.index == 5) throw std::runtime_error("the reader has gone");
    };
    EXPECT_THROW(line.run(all), std::runtime_error);
  }
}

TEST(pipeline, takes_what_is_in_memory_from_where_it_is) {
  std::vector<std::byte> data(1234);
  counting_memory memory;
  pipeline line({.chunk_bytes = 100, .slots = 3, .memory = &memory});
  std::atomic<std::uint64_t> in_place = 0;
  const auto done = line.run(
      {.borrow =
           [&](std::uint64_t offset, std::size_t most) {
             const std::size_t at = std::min<std::size_t>(offset, data.size());
             return std::span(data).subspan(at, std::min(most, data.size() - at));
           },
       .work = [&](const auto& c) { in_place += c.bytes.data() == data.data() + c.offset; }});
  EXPECT_EQ(done.bytes, data.size());
  EXPECT_EQ(in_place, 13U);
  EXPECT_EQ(memory.rooms, 0);
}

TEST(pipeline, can_run_again) {
  pipeline line({.chunk_bytes = 10, .slots = 3});
  for (const std::size_t size : {55U, 0U, 1000U}) {
    EXPECT_EQ(line.run({.read = source{size}}).bytes, size);
  }
}

TEST(pipeline, throws_what_any_stage_throws_and_can_run_again) {
  struct broken : std::runtime_error {
    using std::runtime_error::runtime_error;
  };
  for (const unsigned slots : {1U, 4U}) {
    pipeline line({.chunk_bytes = 10, .slots = slots});
    const auto fail = [](const pipeline::chunk& c) {
      if (c.index == 5) throw broken("stage");
    };
    const auto fail_reading = [&](const pipeline::chunk& c) {
      fail(c);
      return source{1000}(c);
    };
    EXPECT_THROW(line.run({.read = fail_reading}), broken);
    EXPECT_THROW(line.run({.read = source{1000}, .work = fail}), broken);
    EXPECT_THROW(line.run({.read = source{1000}, .in_order = fail}), broken);
    EXPECT_THROW(line.run({.read = source{1000}, .finish = fail}), broken);
    EXPECT_THROW(line.run({.read = source{1000}, .write = fail}), broken);
    EXPECT_EQ(line.run({.read = source{1000}}).bytes, 1000U);
  }
}

TEST(pipeline, stops_when_asked) {
  std::stop_source stop;
  pipeline line({.chunk_bytes = 10, .slots = 3, .stop = stop.get_token()});
  const auto endless = [](const pipeline::chunk& room) { return room.bytes.size(); };
  EXPECT_THROW(line.run({.read = endless,
                         .in_order =
                             [&](const auto& c) {
                               if (c.index == 100) stop.request_stop();
                             }}),
               interrupted);
  EXPECT_THROW(line.run({.read = endless}), interrupted) << "it stays stopped";
}

TEST(pipeline, data_cut_short_by_a_request_to_stop_are_no_result) {
  std::stop_source stop;
  std::atomic<bool> over = false;
  // The request is made, and still busy with another callback when the run is at its end.
  std::optional<std::stop_callback<std::function<void()>>> busy;
  std::jthread asking;
  pipeline line({.chunk_bytes = 10, .slots = 1, .stop = stop.get_token()});
  const auto gives_up = [&](const pipeline::chunk&) {
    busy.emplace(stop.get_token(), [&] { over.wait(false); });
    asking = std::jthread([&] { stop.request_stop(); });
    while (!stop.stop_requested()) std::this_thread::yield();
    return std::size_t{0};
  };
  EXPECT_THROW(line.run({.read = gives_up}), interrupted);
  over = true;
  over.notify_all();
}

TEST(pipeline, refuses_a_source_that_ends_and_goes_on) {
  pipeline line({.chunk_bytes = 10, .slots = 4});
  const auto holey = [](const pipeline::chunk& room) {
    // The hole is found late, so that chunks behind it wait for it.
    if (room.index == 3) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return room.index == 3 ? std::size_t{0} : room.index < 6 ? room.bytes.size() : 0;
  };
  EXPECT_THROW(line.run({.read = holey, .in_order = [](const auto&) {}}), data_error);
}

TEST(pipeline, refuses_chunks_of_nothing) {
  EXPECT_THROW(pipeline({.chunk_bytes = 0}), usage_error);
}

TEST(pipeline, takes_memory_for_each_slot_and_gives_all_back) {
  counting_memory memory;
  {
    pipeline line({.chunk_bytes = 10, .slots = 5, .memory = &memory});
    line.run({.read = source{100}});
    line.run({.read = source{100}});
    EXPECT_EQ(memory.rooms, 5);
  }
  EXPECT_EQ(memory.rooms, 0);
  memory.most = 2;
  EXPECT_THROW(
      pipeline({.chunk_bytes = 10, .slots = 5, .memory = &memory}).run({.read = source{100}}),
      std::bad_alloc);
  EXPECT_EQ(memory.rooms, 0);
}

TEST(pipeline, tells_how_far_it_is) {
  pipeline line({.chunk_bytes = 10, .slots = 2});
  std::uint64_t seen = 0;
  line.run({.read = source{1000}, .in_order = [&](const auto& c) {
              const auto p = line.so_far();
              EXPECT_LE(p.bytes, 1000U);
              EXPECT_EQ(p.slots, 2U);
              if (c.index > 50) seen = p.bytes;
            }});
  EXPECT_GT(seen, 0U);
}

}  // namespace
}  // namespace warpfold
