#include "files/sort.hpp"

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "files/ranks.hpp"
#include "files/run_merger.hpp"
#include "warpfold/error.hpp"

namespace warpfold::files {
namespace {

constexpr unsigned slots = 2;  // one is read or written while the other is sorted

/// Both passes over the rows.
class file_sort {
 public:
  file_sort(const sort_request& request, const run_options& o)
      : request_(request),
        o_(o),
        key_bytes_(size_of(request.keys.type())),
        item_bytes_(request.items != nullptr ? size_of(request.items->type()) : 0),
        rows_(*request.keys.bytes() / key_bytes_) {}

  void run() {
    if (rows_ == 0) return;
    auto sorter = make_sorter();
    const std::size_t row_bytes = key_bytes_ + item_bytes_, spare = sorter->spare_copies();
    const bool at_once = rows_ <= o_.memory / ((1 + spare) * row_bytes) && o_.ranks == nullptr;
    if (at_once) return sort_runs(*sorter, 1, rows_, {0, rows_}, nullptr);
    std::uint64_t run_rows = o_.memory / ((slots + spare) * row_bytes);
    share mine{0, rows_};
    if (o_.ranks != nullptr) mine = share_runs(run_rows);
    const std::uint64_t runs = (rows_ - 1) / run_rows + 1;
    // Half of the memory for what is held of each run, half for what is merged.
    const std::uint64_t held_rows = o_.memory / 2 / runs / row_bytes;
    if (held_rows < least_held_rows) {
      throw usage_error(fmt::format(
          "{}: {} bytes make {} sorted runs in --memory {}MiB, too many to merge at once; give "
          "more --memory, {}MiB or so",
          request_.keys.name(), rows_ * row_bytes, runs, o_.memory >> 20,
          (o_.memory >> 20) * (1 + least_held_rows / std::max<std::uint64_t>(1, held_rows))));
    }
    const auto scratch = make_scratch(rows_ * row_bytes);
    sort_runs(*sorter, slots, run_rows, mine, scratch.get());
    if (o_.ranks != nullptr) {
      scratch->sync();
      o_.ranks->meet();  // all runs are there
      mine = share_of(rows_, *o_.ranks);
    }
    merge(*sorter, {*scratch, rows_, run_rows, item_bytes_}, mine, held_rows, spare);
    if (o_.ranks != nullptr) o_.ranks->meet();  // no rank reads the runs any more
  }

 private:
  static constexpr std::uint64_t least_held_rows = 512;
  static constexpr std::size_t rows_at_once = std::size_t{1} << 17;  // written

  /// Of a team, each rank sorts as many runs as any other; shortens the runs so that it can. Gives
  /// this rank's rows.
  share share_runs(std::uint64_t& run_rows) const {
    const auto size = static_cast<std::uint64_t>(o_.ranks->size()),
               rank = static_cast<std::uint64_t>(o_.ranks->rank());
    const std::uint64_t rank_rows = (rows_ - 1) / size + 1, runs = (rank_rows - 1) / run_rows + 1;
    run_rows = (rank_rows - 1) / runs + 1;
    return {std::min(rows_, rank * runs * run_rows), std::min(rows_, (rank + 1) * runs * run_rows)};
  }

  /// Of a team, one for all ranks: each writes its runs, and reads its part of the result from
  /// everybody's.
  [[nodiscard]] std::unique_ptr<data::scratch_file> make_scratch(std::uint64_t bytes) const {
    std::unique_ptr<data::scratch_file> file;
    if (is_first(o_)) {
      file = std::make_unique<data::scratch_file>(request_.scratch_folder, o_.ranks != nullptr);
      file->reserve(bytes);
    }
    if (o_.ranks == nullptr) return file;
    const std::string name = name_from_first(*o_.ranks, file ? file->hidden() : "");
    if (!file) file = std::make_unique<data::scratch_file>(request_.scratch_folder, name);
    o_.ranks->meet();  // all have it
    return file;
  }

  void merge(row_sorter& sorter, const sorted_runs& all, share mine, std::uint64_t held_rows,
             std::size_t spare) {
    const std::size_t row_bytes = key_bytes_ + item_bytes_;
    const std::size_t stretch_rows = o_.memory / 2 / ((slots + spare) * row_bytes);
    switch (key_bytes_) {
      case 1: return merge_runs<std::uint8_t>(sorter, all, mine, held_rows, stretch_rows);
      case 4: return merge_runs<std::uint32_t>(sorter, all, mine, held_rows, stretch_rows);
      default: return merge_runs<std::uint64_t>(sorter, all, mine, held_rows, stretch_rows);
    }
  }

  std::unique_ptr<row_sorter> make_sorter() {
    const bool has_bytes = key_bytes_ == 1 || item_bytes_ == 1;  // sorted on the host
    if (!o_.on_device || has_bytes)
      return make_host_sorter(key_bytes_, item_bytes_, o_.threads, o_.stop);
    require_device();
    const std::uint64_t most = o_.memory / (key_bytes_ + item_bytes_);
    return make_device_sorter(key_bytes_, item_bytes_, std::min(rows_, most));
  }

  std::span<std::byte> items_of(const pipeline::chunk& c) {
    auto& room = items_[c.slot];
    const std::size_t bytes = c.bytes.size() / key_bytes_ * item_bytes_;
    if (room.size() < bytes) room.resize(bytes);
    return std::span(room).first(bytes);
  }
  /// Where a chunk's keys and items are among all.
  [[nodiscard]] std::uint64_t keys_offset(const pipeline::chunk& c) const {
    return first_row_ * key_bytes_ + c.offset;
  }
  [[nodiscard]] std::uint64_t items_offset(const pipeline::chunk& c) const {
    return keys_offset(c) / key_bytes_ * item_bytes_;
  }

  /// Gives all room back.
  void forget_items(unsigned wanted_slots) {
    items_ = std::vector<std::vector<std::byte>>(wanted_slots);
  }

  /// To the scratch file, or to the outputs where there is none.
  void sort_runs(row_sorter& sorter, unsigned wanted_slots, std::uint64_t run_rows, share mine,
                 data::scratch_file* scratch) {
    first_row_ = mine.begin;
    pipeline line({.chunk_bytes = run_rows * key_bytes_, .slots = wanted_slots, .stop = o_.stop});
    forget_items(wanted_slots);
    run_watched(
        o_, "sorting", line,
        {.read = reader_of(request_.keys, o_, {mine.begin * key_bytes_, mine.end * key_bytes_}),
         .work =
             [&](const pipeline::chunk& c) {
               if (item_bytes_ > 0)
                 read_slices(*request_.items, items_offset(c), items_of(c), o_.stop);
               for_slices(c.bytes, o_.stop, [&](std::span<std::byte> slice) {
                 keys_to_ranks(request_.keys.type(), request_.descending, slice);
               });
             },
         .in_order = [&](const pipeline::chunk& c) { sorter.sort(c.bytes, items_of(c)); },
         .write =
             [&](const pipeline::chunk& c) {
               if (scratch == nullptr) return put_out(c);
               write_slices(*scratch, keys_offset(c), c.bytes);
               write_slices(*scratch, rows_ * key_bytes_ + items_offset(c), items_of(c));
             }},
        (mine.end - mine.begin) * key_bytes_);
  }

  template <class Key>
  void merge_runs(row_sorter& sorter, const sorted_runs& runs, share mine, std::size_t held_rows,
                  std::size_t stretch_rows) {
    first_row_ = mine.begin;
    forget_items(slots);
    run_merger<Key> merger(runs, mine.begin, mine.end, held_rows, o_.stop);
    pipeline line({.chunk_bytes = stretch_rows * sizeof(Key), .slots = slots, .stop = o_.stop});
    run_watched(o_, "merging", line,
                {.read =
                     [&](const pipeline::chunk& room) {
                       const std::span keys(reinterpret_cast<Key*>(room.bytes.data()),
                                            room.bytes.size() / sizeof(Key));
                       return merger.take(keys, items_of(room)) * sizeof(Key);
                     },
                 .read_in_order = true,
                 .in_order = [&](const pipeline::chunk& c) { sorter.sort(c.bytes, items_of(c)); },
                 .write = [&](const pipeline::chunk& c) { put_out(c); },
                 .write_in_order = goes_in_order()},
                (mine.end - mine.begin) * sizeof(Key));
  }

  [[nodiscard]] bool goes_in_order() const {
    return request_.keys_out.file->in_order() ||
           (item_bytes_ > 0 && request_.items_out.file->in_order());
  }
  void put_out(const pipeline::chunk& c) {
    for_slices(c.bytes, o_.stop, [&](std::span<std::byte> slice) {
      ranks_to_keys(request_.keys.type(), request_.descending, slice);
    });
    if (item_bytes_ == 0) {
      return write_slices(*request_.keys_out.file, request_.keys_out.begin + keys_offset(c),
                          c.bytes);
    }
    // Some keys, then their items, then the next ones: who takes both in order holds little.
    const std::size_t rows = c.bytes.size() / key_bytes_;
    const std::uint64_t first = keys_offset(c) / key_bytes_;
    for (std::size_t row = 0; row < rows; row += rows_at_once) {
      const std::size_t some = std::min(rows_at_once, rows - row);
      write_slices(*request_.keys_out.file, request_.keys_out.begin + (first + row) * key_bytes_,
                   c.bytes.subspan(row * key_bytes_, some * key_bytes_));
      write_slices(*request_.items_out.file, request_.items_out.begin + (first + row) * item_bytes_,
                   items_of(c).subspan(row * item_bytes_, some * item_bytes_));
    }
  }
  template <class File>
  void write_slices(File& file, std::uint64_t offset, std::span<std::byte> bytes) {
    for_slices(bytes, o_.stop, [&](std::span<std::byte> slice) {
      file.write(offset, slice);
      offset += slice.size();
    });
  }

  const sort_request& request_;
  const run_options& o_;
  std::size_t key_bytes_, item_bytes_;
  std::uint64_t rows_, first_row_ = 0;         // that the pipeline begins with
  std::vector<std::vector<std::byte>> items_;  // of each slot
};

}  // namespace

void check_sort(const sort_request& request) {
  for (const auto* in : {&request.keys, request.items}) {
    if (in != nullptr && in->in_order()) {
      throw usage_error(in->name() +
                        ": is a stream; a sort needs a file, so write it to one first");
    }
  }
  if (request.items != nullptr) {
    const std::uint64_t keys = *request.keys.bytes() / size_of(request.keys.type());
    const std::uint64_t items = *request.items->bytes() / size_of(request.items->type());
    if (keys != items) {
      throw usage_error(fmt::format("{} holds {} keys and {} {} values; give one for each key",
                                    request.keys.name(), keys, request.items->name(), items));
    }
  }
}

void sort_all(const sort_request& request, const run_options& o) {
  check_memory(o);
  check_sort(request);
  file_sort(request, o).run();
  if (o.ranks == nullptr) return;
  request.keys.require_unchanged();
  if (request.items != nullptr) request.items->require_unchanged();
}

}  // namespace warpfold::files
