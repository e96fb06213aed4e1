#include <cmath>
#include <iterator>
#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/npy.hpp"
#include "tests/temporary_directory.hpp"

namespace warpfold::data {
using namespace std::string_view_literals;

namespace {

std::string contents(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A file of the given version around a header text, as another writer might produce it.
std::string npy(std::string_view header, std::string_view elements, char major = 1) {
  std::string result = std::string("\x93NUMPY") + major + '\0';
  const int bytes = major == 1 ? 2 : 4;
  for (int i = 0; i < bytes; ++i) result += static_cast<char>(header.size() >> 8 * i & 0xff);
  return result.append(header).append(elements);
}

constexpr std::string_view three = "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }\n";
const std::string twelve("\1\0\0\0\2\0\0\0\3\0\0\0", 12);

class npy_file : public ::testing::Test {
 protected:
  /// Reads `bytes` as a file; expects a one-line data_error that names it and says `part`.
  void refuses(std::string_view bytes, std::string_view part) {
    refuses_path(directory_.file("bad.npy", bytes), part);
  }
  void refuses_path(const std::filesystem::path& path, std::string_view part) {
    try {
      read_npy(path);
      ADD_FAILURE() << "read, but should say: " << part;
    } catch (const data_error& e) {
      const std::string_view what = e.what();
      EXPECT_NE(what.find(part), std::string_view::npos) << what;
      EXPECT_NE(what.find(path.filename().string()), std::string_view::npos) << what;
      EXPECT_EQ(what.find('\n'), std::string_view::npos) << what;
    }
  }
  void refuses_header(std::string_view header, std::string_view part) {
    refuses(npy(header, twelve), part);
  }
  array reads(std::string_view bytes) { return read_npy(directory_.file("good.npy", bytes)); }

  tests::temporary_directory directory_;
};

TEST_F(npy_file, reads_every_version) {
  for (const char major : {'\1', '\2', '\3'}) {
    const array a = reads(npy(three, twelve, major));
    EXPECT_EQ(a.type, value_type::i32);
    EXPECT_EQ(a.shape, std::vector<std::size_t>{3});
    const auto values = a.as<std::int32_t>();
    EXPECT_EQ(std::vector(values.begin(), values.end()), (std::vector{1, 2, 3}));
    EXPECT_THROW((void)a.as<float>(), usage_error);
  }
}

TEST_F(npy_file, reads_what_other_writers_write) {
  EXPECT_EQ(reads(npy("{\"shape\":(1,3),\"fortran_order\":False,\"descr\":\"<u4\"}", twelve)).type,
            value_type::u32);
  EXPECT_EQ(reads(npy("{'descr': '<f4', 'fortran_order': False, 'shape': ()}",
                      std::string_view("\0\0\0\0", 4)))
                .size(),
            1U);
  EXPECT_EQ(reads(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 7), } \n", "")).shape,
            (std::vector<std::size_t>{0, 7}));
  EXPECT_EQ(reads(npy("{'descr': '|u1', 'fortran_order': True, 'shape': (12,)}", twelve)).size(),
            12U);
  EXPECT_EQ(reads(npy("{'descr': '<u1', 'fortran_order': False, 'shape': (12,)}", twelve)).type,
            value_type::u8);
}

TEST_F(npy_file, reads_what_numpy_reads_besides) {
  const auto type_of = [&](const std::string& descr, const std::string& shape) {
    return reads(npy("{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + "}",
                     twelve))
        .type;
  };
  EXPECT_EQ(type_of("=i4", "(3,)"), value_type::i32) << "the machine's order";
  EXPECT_EQ(type_of("f4", "(3,)"), value_type::f32) << "the same";
  EXPECT_EQ(type_of("=u4", "(3L,)"), value_type::u32) << "Python 2's long integers";
  EXPECT_EQ(type_of("f4", "(1L, 3L)"), value_type::f32);
  for (const char* byte : {"u1", "=u1", ">u1"}) EXPECT_EQ(type_of(byte, "(12,)"), value_type::u8);
}

TEST_F(npy_file, refuses_what_is_no_npy) {
  refuses("", "is not an .npy file");
  refuses("hello, world", "is not an .npy file");
  refuses("\x93NUMPY", "was cut short");
  refuses(npy(three, twelve).substr(0, 9), "was cut short");
  refuses(npy(three, twelve, 2).substr(0, 11), "was cut short");
  refuses(npy(three, twelve).substr(0, 40), "should end at byte 68, but the file has 40");
  refuses(npy(three, twelve, 4), "version 4.0");
  refuses(npy(std::string(70000, ' '), "", 2), "header of 70000 bytes");
  refuses("\x93NUMPY\x02\x00\xff\xff\xff\xff{'descr'"sv, "should end at byte 4294967307");
}

TEST_F(npy_file, refuses_malformed_headers) {
  refuses_header("", "expected '{'");
  refuses_header("{", "expected a key in quotes");
  refuses_header("{'descr", "an unterminated string");
  refuses_header("{'descr' '<i4'}", "expected ':'");
  refuses_header("{'descr': '<i4'", "expected '}'");
  refuses_header("{'descr': '<i4', 'shape': (3,)}", "'fortran_order' is missing");
  refuses_header("{'fortran_order': False, 'shape': (3,)}", "'descr' is missing");
  refuses_header("{'descr': '<i4', 'fortran_order': False}", "'shape' is missing");
  refuses_header("{'descr': '<i4', 'descr': '<i4'}", "'descr' appears twice");
  refuses_header("{'descr': '<i4', 'a\nb': 1}", "unexpected key 'a\\x0ab'");
  refuses_header("{'descr': '<i4', 'fortran_order': 0}", "expected True or False");
  refuses_header("{'descr': '<i4', 'fortran_order': False, 'shape': (3)}", "is written (n,)");
  refuses_header("{'descr': '<i4', 'fortran_order': False, 'shape': (3,,)}", "a dimension");
  refuses_header("{'descr': '<i4', 'fortran_order': False, 'shape': (-3,)}", "without sign");
  refuses_header("{'descr': '<i4', 'fortran_order': False, 'shape': (03,)}", "leading zeros");
  refuses_header("{'descr': '<i4', 'fortran_order': False, 'shape': [3]}", "expected '('");
  refuses_header("{'descr': '<i4', 'fortran_order': False, 'shape': (3,)} x", "more text after");
  std::string deep = "{'descr': '<i4', 'fortran_order': False, 'shape': (";
  for (int i = 0; i < 65; ++i) deep += "1, ";
  refuses_header(deep + ")}", "more than 64 dimensions");
}

TEST_F(npy_file, refuses_other_layouts_and_types) {
  const auto with = [](const std::string& descr, const std::string& order = "False") {
    return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': (3, 1), }";
  };
  refuses_header(with("'<i4'", "True"), "numpy.ascontiguousarray");
  refuses_header(with("'>i4'"), "big-endian; save a.astype('<i4')");
  refuses_header(with("'|O'"), "Python objects");
  refuses_header(with("'>i8'"), "big-endian; save a.astype('<i8')");
  refuses_header(with("'>u4'"), "big-endian; save a.astype('<u4')");
  refuses_header(with("'<f2'"), "'<f2' is not supported; save a.astype('<f4')");
  refuses_header(with("'>f2'"), "save a.astype('<f4')");
  refuses_header(with("'<f16'"), "save a.astype('<f8')");
  refuses_header(with("'|b1'"), "save a.astype('|u1')");
  refuses_header(with("'<i2'"), "save a.astype('<i4')");
  refuses_header(with("'<u2'"), "save a.astype('<i4')");
  refuses_header(with("'<c8'"), "save a.real");
  refuses_header(with("'<M8[ns]'"), "save a.astype('<i8')");
  refuses_header(with("'<U3'"), "save numbers");
  refuses_header(with("'|i4'"), "not supported");
  refuses_header(with("''"), "not supported");
  refuses_header(with("[('x', '<i4')]"), "several fields");
}

TEST_F(npy_file, refuses_a_shape_that_lies) {
  refuses(npy(three, twelve.substr(1)), "needs 12 bytes, but 11 follow the header");
  refuses(npy(three, twelve + "x"), "has a tail");
  const auto shaped = [](const std::string& shape) {
    return "{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + "}";
  };
  refuses_header(shaped("(1000000000000000,)"), "needs 8000000000000000 bytes");
  refuses_header(shaped("(2305843009213693952,)"), "overflows");
  refuses_header(shaped("(18446744073709551616,)"), "overflows");
  refuses_header(shaped("(4294967296, 4294967296)"), "overflows");
  refuses_header(shaped("(4294967296, 4294967296, 0)"), "overflows");
  refuses_header(shaped("(0,)"), "needs 0 bytes");
}

TEST_F(npy_file, refuses_what_is_no_readable_file) {
  refuses_path(directory_ / "missing.npy", "No such file");
  refuses_path(directory_.path(), "is a directory");
  const auto pipe = directory_ / "pipe.npy";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  refuses_path(pipe, "is a pipe or a device");
  if (::geteuid() != 0) {  // root may read anything
    const auto secret = directory_.file("secret.npy", npy(three, twelve));
    std::filesystem::permissions(secret, std::filesystem::perms::none);
    refuses_path(secret, "Permission denied");
  }
}

TEST_F(npy_file, writes_what_numpy_writes) {
  const std::vector<std::int32_t> values{1, 2, 3};
  write_npy(directory_ / "a.npy", array_of<std::int32_t>(values));
  std::string header(three.substr(0, three.size() - 1));
  header.append(117 - header.size(), ' ');
  EXPECT_EQ(contents(directory_ / "a.npy"), npy(header + '\n', twelve));
}

TEST_F(npy_file, a_write_that_fails_leaves_nothing_behind) {
  const std::vector<double> values{1, 2};
  array a = array_of<double>(values);
  const auto entries = [&] {
    return std::distance(std::filesystem::directory_iterator(directory_.path()), {});
  };
  std::filesystem::create_directory(directory_ / "taken");
  EXPECT_THROW(write_npy(directory_ / "taken", a), data_error);
  EXPECT_THROW(write_npy(directory_ / "absent/a.npy", a), data_error);
  EXPECT_THROW(write_npy(directory_ / std::string(300, 'x'), a), data_error);  // fails at rename
  EXPECT_THROW(write_npy("/dev/null", a), data_error);
  EXPECT_EQ(entries(), 1);
  write_npy(directory_ / "a.npy", a);
  a.shape = {3};
  EXPECT_THROW(write_npy(directory_ / "a.npy", a), usage_error);
  EXPECT_EQ(read_npy(directory_ / "a.npy").size(), 2U);
  EXPECT_EQ(entries(), 2);
}

RC_GTEST_PROP(npy_property, what_is_written_is_read, ()) {
  const tests::temporary_directory directory;
  array a;
  a.type = value_types.at(*rc::gen::inRange<std::size_t>(0, value_types.size())).type;
  a.shape = *rc::gen::resize(
      4, rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, 6)));
  std::size_t bytes = size_of(a.type);
  for (const std::size_t extent : a.shape) bytes *= extent;
  for (const auto byte :
       *rc::gen::container<std::vector<char>>(bytes, rc::gen::arbitrary<char>())) {
    a.bytes.push_back(std::byte(byte));
  }
  write_npy(directory / "a.npy", a);
  const array b = read_npy(directory / "a.npy");
  RC_ASSERT(b.type == a.type);
  RC_ASSERT(b.shape == a.shape);
  RC_ASSERT(b.bytes == a.bytes);
}

RC_GTEST_PROP(npy_property, a_damaged_file_is_read_or_refused, ()) {
  const tests::temporary_directory directory;
  const char major = *rc::gen::inRange<char>(1, 4);
  std::string bytes = npy(three, twelve, major);
  const int edits = *rc::gen::inRange(1, 6);
  for (int i = 0; i < edits && !bytes.empty(); ++i) {
    const std::size_t at = *rc::gen::inRange<std::size_t>(0, bytes.size());
    const char c = *rc::gen::oneOf(rc::gen::arbitrary<char>(),
                                   rc::gen::elementOf(std::string("0123456789(){},:'<>TF[ ")));
    switch (*rc::gen::inRange(0, 4)) {
      case 0: bytes[at] = c; break;
      case 1: bytes.insert(at, 1, c); break;
      case 2: bytes.erase(at, 1); break;
      default: bytes.resize(at); break;
    }
  }
  try {
    const array a = read_npy(directory.file("a.npy", bytes));
    RC_ASSERT(a.bytes.size() <= bytes.size());
  } catch (const data_error& e) {
    RC_ASSERT(std::string(e.what()).find('\n') == std::string::npos);
  }
}

}  // namespace
}  // namespace warpfold::data
