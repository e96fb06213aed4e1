// The algorithms on files that run on the device, on the CPU machine and on CUDA: the same results
// as the host's, chunk after chunk.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>

#include <unistd.h>

#include "data/output_file.hpp"
#include "files/device_engine.cuh"
#include "tests/library/device/device_test.hpp"

// The linker puts this in front of cudaHostAlloc: --wrap in CMakeLists.txt. On the CPU machine that
// is a function of C++.
#if defined(SIMT_KERNELS)
#define IN_FRONT(what) what##simt_cudaHostAlloc
#else
#define IN_FRONT(what) what##cudaHostAlloc
#endif
static int pinned_before_refusal = std::numeric_limits<int>::max();
// NOLINTNEXTLINE(bugprone-reserved-identifier): the linker's names
extern "C" cudaError_t IN_FRONT(__real_)(void** pointer, std::size_t bytes, unsigned flags);
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" cudaError_t IN_FRONT(__wrap_)(void** pointer, std::size_t bytes, unsigned flags) {
  if (pinned_before_refusal-- > 0) return IN_FRONT(__real_)(pointer, bytes, flags);
  return cudaErrorMemoryAllocation;
}

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

using files::reduction;

class device_files : public device_test {
 protected:
  device_files() {
    std::string name = (std::filesystem::temp_directory_path() / "warpfold-device-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~device_files() override { std::filesystem::remove_all(folder_); }

  template <class T>
  std::vector<T> random(std::size_t n) {
    std::vector<T> values(n);
    for (T& v : values) v = static_cast<T>(static_cast<std::int64_t>(bits_() % 199) - 99);
    return values;
  }
  template <class T>
  std::string write(const std::vector<T>& values) {
    const auto path = folder_ / "values.bin";
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size() * sizeof(T)));
    return path;
  }
  template <class T>
  files::reduced reduce_file(const std::vector<T>& values, reduction op) {
    data::number_input in(write(values), data::type_of<T>());
    return reductions::reduce_with<reductions::device_engine, T>(in, op, limits_, {});
  }
  template <class T, class Out>
  std::vector<Out> scan_file(const std::vector<T>& values, reduction op, bool exclusive) {
    data::number_input in(write(values), data::type_of<T>());
    const auto path = folder_ / "prefixes.bin";
    data::output_file to(path, data::output_file::over::anything);
    EXPECT_EQ((reductions::scan_with<reductions::device_scan, T>(
                  in, {op, exclusive, data::type_of<Out>(), to, 0}, limits_)),
              values.size());
    to.commit();
    std::vector<Out> out(values.size());
    std::ifstream(path, std::ios::binary)
        .read(reinterpret_cast<char*>(out.data()),
              static_cast<std::streamsize>(out.size() * sizeof(Out)));
    return out;
  }

  /// Chunks of 1 MiB, fewer lanes than chunks.
  files::run_options limits_{.memory = std::size_t{4} << 20, .threads = 2};
  std::mt19937_64 bits_{20};
  std::filesystem::path folder_;
};

constexpr std::size_t chunk = std::size_t{1} << 20;  // bytes

TEST_F(device_files, reduce_integers) {
  for (const std::size_t n : {std::size_t{1}, chunk / 4, 2 * chunk / 4 + 7}) {
    const auto values = random<std::int32_t>(n);
    std::int64_t sum = 0;
    std::int32_t all = 0;
    for (const auto v : values) sum += v, all ^= v;
    const auto least = std::min_element(values.begin(), values.end());
    EXPECT_EQ(std::get<std::int64_t>(reduce_file(values, reduction::sum)[0].second), sum);
    EXPECT_EQ(std::get<std::int64_t>(reduce_file(values, reduction::bit_xor)[0].second), all);
    EXPECT_EQ(std::get<std::int64_t>(reduce_file(values, reduction::min)[0].second), *least);
    EXPECT_EQ(std::get<std::uint64_t>(reduce_file(values, reduction::argmin)[0].second),
              static_cast<std::uint64_t>(least - values.begin()));
  }
  EXPECT_EQ(
      std::get<std::int64_t>(reduce_file(std::vector<std::int32_t>{}, reduction::sum)[0].second),
      0);
  EXPECT_THROW(reduce_file(std::vector<std::int32_t>{}, reduction::max), data_error);
}

TEST_F(device_files, reduce_floats) {
  const auto values = random<float>(chunk / 4 + 1001);
  double sum = 0, squares = 0;
  for (const float v : values) sum += v, squares += static_cast<double>(v) * v;
  const auto n = static_cast<double>(values.size());
  EXPECT_EQ(std::get<double>(reduce_file(values, reduction::sum)[0].second), sum);
  EXPECT_EQ(std::get<float>(reduce_file(values, reduction::exact_sum)[0].second),
            static_cast<float>(sum));
  EXPECT_EQ(std::get<double>(reduce_file(values, reduction::mean)[0].second), sum / n);
  const auto all = reduce_file(values, reduction::statistics);
  EXPECT_EQ(std::get<std::uint64_t>(all[0].second), values.size());
  EXPECT_NEAR(std::get<double>(all[3].second), squares / n - (sum / n) * (sum / n),
              1e-8 * squares / n);
}

TEST_F(device_files, scan) {
  for (const std::size_t n : {std::size_t{1}, chunk, chunk + 333}) {
    const auto values = random<std::uint8_t>(n);
    const auto inclusive = scan_file<std::uint8_t, std::uint64_t>(values, reduction::sum, false);
    const auto exclusive = scan_file<std::uint8_t, std::uint64_t>(values, reduction::sum, true);
    const auto narrow = scan_file<std::uint8_t, std::uint8_t>(values, reduction::sum, false);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(exclusive[i], sum) << i;
      sum += values[i];
      ASSERT_EQ(inclusive[i], sum) << i;
      ASSERT_EQ(narrow[i], static_cast<std::uint8_t>(sum)) << i;
    }
  }
  const auto floats = random<float>(2 * chunk / 4 + 5);
  const auto greatest = scan_file<float, float>(floats, reduction::max, false);
  const auto prefixes = scan_file<float, float>(floats, reduction::sum, true);
  float most = floats[0];
  double sum = 0;
  for (std::size_t i = 0; i < floats.size(); ++i) {
    ASSERT_EQ(greatest[i], most = std::max(most, floats[i])) << i;
    ASSERT_EQ(prefixes[i], static_cast<float>(sum)) << i;
    sum += floats[i];
  }
}

struct warnings : files::observer {
  void begin(const char*, const pipeline&, std::optional<std::uint64_t>) override {}
  void warn(const char* what) override { said.emplace_back(what); }
  void end(const pipeline::progress*) override {}
  std::vector<std::string> said;
};

TEST_F(device_files, driver_that_refuses_to_pin) {
  const auto values = random<std::int32_t>(3 * chunk / 4);
  const auto sum = reduce_file(values, reduction::sum);
  const auto prefixes = scan_file<std::int32_t, std::int64_t>(values, reduction::sum, false);
  for (const int pinned : {0, 1}) {
    SCOPED_TRACE(pinned);
    warnings heard;
    limits_.watcher = &heard;
    pinned_before_refusal = pinned;
    EXPECT_EQ(reduce_file(values, reduction::sum), sum);
    pinned_before_refusal = pinned;
    EXPECT_EQ((scan_file<std::int32_t, std::int64_t>(values, reduction::sum, false)), prefixes);
    EXPECT_EQ(heard.said.size(), 2U);
    for (const auto& text : heard.said) EXPECT_NE(text.find("did not pin"), std::string::npos);
  }
  pinned_before_refusal = std::numeric_limits<int>::max();
}

#if defined(SIMT_KERNELS)

TEST_F(device_files, full_device) { GTEST_SKIP() << "the CPU machine has the host's memory"; }
TEST_F(device_files, lost_device) { GTEST_SKIP() << "the CPU machine can't be lost"; }

#else

/// Takes all the device's memory, but for what no further piece fits in.
class all_device_memory {
 public:
  all_device_memory() {
    for (std::size_t bytes = std::size_t{1} << 34; bytes >= std::size_t{1} << 16; bytes /= 2) {
      for (void* p = nullptr; cudaMalloc(&p, bytes) == cudaSuccess;) pieces_.push_back(p);
      (void)cudaGetLastError();
    }
  }
  ~all_device_memory() {
    for (void* p : pieces_) (void)cudaFree(p);
  }
  all_device_memory(const all_device_memory&) = delete;
  all_device_memory& operator=(const all_device_memory&) = delete;

 private:
  std::vector<void*> pieces_;
};

TEST_F(device_files, full_device) {
  const auto values = random<std::int32_t>(3 * chunk / 4);
  const auto sum = reduce_file(values, reduction::sum);
  {
    const all_device_memory full;
    try {
      (void)reduce_file(values, reduction::sum);
      ADD_FAILURE() << "there was room";
    } catch (const device_error& e) {
      EXPECT_NE(std::string(e.what()).find("out of memory"), std::string::npos) << e.what();
    }
    EXPECT_THROW((scan_file<std::int32_t, std::int32_t>(values, reduction::sum, false)),
                 device_error);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "prefixes.bin"));
  }
  EXPECT_EQ(reduce_file(values, reduction::sum), sum);
}

__global__ void trap_kernel() { __trap(); }

TEST_F(device_files, lost_device) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";  // a process of its own loses its device
  const auto lose_and_scan = [this] {
    trap_kernel<<<1, 1>>>();
    (void)cudaDeviceSynchronize();
    const auto values = random<std::int32_t>(3 * chunk / 4);
    try {
      (void)scan_file<std::int32_t, std::int32_t>(values, reduction::sum, false);
    } catch (const device_error& e) {
      std::fprintf(stderr, "device_error: %s\n", e.what());
      const bool left = std::filesystem::exists(folder_ / "prefixes.bin");
      std::filesystem::remove_all(folder_);
      std::_Exit(left ? 1 : 7);
    }
  };
  EXPECT_EXIT(lose_and_scan(), testing::ExitedWithCode(7), "device_error: ");
}

#endif

}  // namespace
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
