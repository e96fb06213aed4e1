// What a program of warpfold.cuda.compile does; cuda.py calls it, and reads what it writes:
//   program describe                                the kernels and their parameters, as JSON
//   program run KERNEL X,Y,Z X,Y,Z BYTES MEMORY FOLDER OBSERVE SEED SECONDS ARGUMENT…
//                                                   one launch: report.json, report.txt and
//                                                   profiles.json in FOLDER
//   program predict profiles.json DEVICE            a predicted time, a field a line
// An argument is v:HEX, a value's bytes, or a:OFFSET:BYTES:WRITTEN, an array in the file MEMORY,
// which is copied to the device before the launch, and back if WRITTEN is 1.
#include "run_kernel.hpp"

#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <simt/report.hpp>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace warpfold_kernels {
namespace {

using words = std::vector<std::string>;

/// The caller's memory.
class mapped_file {
 public:
  explicit mapped_file(const std::string& path) {
    const int file = open(path.c_str(), O_RDWR);
    struct stat about {};
    if (file < 0 || fstat(file, &about) != 0) throw std::runtime_error("no memory at " + path);
    size_ = static_cast<std::size_t>(about.st_size);
    if (size_ > 0) {
      void* const at = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
      if (at == MAP_FAILED) throw std::runtime_error("can't map " + path);
      begin_ = static_cast<unsigned char*>(at);
    }
    close(file);
  }
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;
  ~mapped_file() {
    if (begin_ != nullptr) munmap(begin_, size_);
  }
  [[nodiscard]] unsigned char* at(std::size_t offset) const { return begin_ + offset; }

 private:
  unsigned char* begin_ = nullptr;
  std::size_t size_ = 0;
};

struct array {
  std::size_t offset, size;
  bool written;
  void* device;
};

words split(const std::string& text, char at) {
  words parts(1);
  for (const char c : text) {
    if (c == at) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

dim3 dimensions(const std::string& text) {
  const words n = split(text, ',');
  const auto number = [&](std::size_t i) { return static_cast<unsigned>(std::stoul(n.at(i))); };
  return {number(0), number(1), number(2)};
}

template <class T>
bytes bytes_of(const T& value) {
  const auto* const at = reinterpret_cast<const unsigned char*>(&value);
  return {at, at + sizeof value};
}

/// The bytes of an argument; an array is copied to the device, and an array that an earlier
/// argument has named is that one.
bytes argument(const std::string& word, const mapped_file& memory, std::vector<array>& arrays) {
  const words parts = split(word, ':');
  if (parts.at(0) == "v") {
    bytes value;
    for (std::size_t i = 0; i + 1 < parts.at(1).size(); i += 2) {
      value.push_back(static_cast<unsigned char>(std::stoul(parts[1].substr(i, 2), nullptr, 16)));
    }
    return value;
  }
  const std::size_t offset = std::stoull(parts.at(1)), size = std::stoull(parts.at(2));
  const bool written = parts.at(3) == "1";
  for (array& a : arrays) {
    if (a.offset == offset && a.size == size) {
      a.written = a.written || written;
      return bytes_of(a.device);
    }
  }
  array a{offset, size, written, nullptr};
  check(cudaMalloc(&a.device, size), "memory for an array");
  check(cudaMemcpy(a.device, memory.at(offset), size, cudaMemcpyHostToDevice), "copy of an array");
  arrays.push_back(a);
  return bytes_of(a.device);
}

void write(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) throw std::runtime_error("can't write " + path);
}

/// Whether it ended as it should.
bool run(const kernel_entry& kernel, const words& w) {
  const shape s{dimensions(w.at(3)), dimensions(w.at(4)), std::stoull(w.at(5))};
  const mapped_file memory(w.at(6));
  const std::string folder = w.at(7);
  simt::run_options options = w.at(8) == "1" ? simt::everything : simt::run_options{};
  options.seed = std::stoull(w.at(9));
  options.limit_seconds = std::stod(w.at(10));
  std::vector<array> arrays;
  std::vector<bytes> arguments;
  for (std::size_t i = 11; i < w.size(); ++i) {
    arguments.push_back(argument(w[i], memory, arrays));
  }
  bool launched = false;
  const simt::report report = simt::inspect(
      [&] {
        kernel.launch(s, arguments);
        launched = cudaDeviceSynchronize() == cudaSuccess;
      },
      options);
  if (launched) {
    for (const array& a : arrays) {
      if (!a.written) continue;
      check(cudaMemcpy(memory.at(a.offset), a.device, a.size, cudaMemcpyDeviceToHost),
            "copy of a result");
    }
  }
  std::vector<simt::launch_profile> profiles;
  for (const auto& k : report.kernels()) {
    profiles.insert(profiles.end(), k.launches.begin(), k.launches.end());
  }
  write(folder + "/report.txt", report.text());
  write(folder + "/report.json", report.json());
  write(folder + "/profiles.json", simt::profiles_json(profiles));
  return launched && report.errors().empty();
}

void predict(const words& w) {
  std::ifstream in(w.at(2), std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const auto p = simt::predict(simt::after_copies(simt::parse_profiles(text)),
                               simt::find_device_model(w.at(3)));
  std::printf("%s\n%.17g\n%.17g\n%s\n%s\n%s\n", p.device.c_str(), p.us, p.queued_us,
              std::string(name_of(p.by)).c_str(), p.no_ground.c_str(), p.text().c_str());
}

void describe(const std::vector<kernel_entry>& kernels) {
  std::printf("{");
  for (const auto& k : kernels) {
    std::printf("%s\"%s\": [%s]", &k == kernels.data() ? "" : ", ", k.name.c_str(),
                k.parameters.c_str());
  }
  std::printf("}\n");
}

}  // namespace

int main_of(int argc, char** argv, const std::vector<kernel_entry>& kernels) {
  const words w(argv, argv + argc);
  try {
    if (w.at(1) == "describe") {
      describe(kernels);
    } else if (w.at(1) == "predict") {
      predict(w);
    } else {
      for (const auto& k : kernels) {
        if (k.name == w.at(2)) return run(k, w) ? 0 : 1;
      }
    }
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
}

}  // namespace warpfold_kernels
