// What the source step makes of CUDA's own syntax, and what it refuses.
#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt/source_step/diagnostics.hpp"
#include "simt/source_step/rewrite.hpp"
#include "simt/source_step/two_sides.hpp"

namespace {

using simt::source_step::refusal;
using simt::source_step::rewrite;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string refusal_of(const std::string& text) {
  try {
    return "not refused: " + rewrite("# 10 \"mine.cu\"\n" + text);
  } catch (const refusal& e) {
    return e.what();
  }
}

/// With one space for each run of them: what is rewritten leaves room where it was longer.
std::string with_single_spaces(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' || out.empty() || out.back() != ' ') out += c;
  }
  return out;
}

TEST(source_step, leaves_cxx_as_it_is) {
  const std::string cxx =
      "# 1 \"a.cpp\"\n"
      "#pragma once\n"
      "template <class T> struct a<b<c<T>>> { int x = 1 << 2 >> 1; };\n"
      "const char* s = \"k<<<1, 2>>>(); __global__ } \\\" __shared__\";\n"
      "const char* r = R\"x(__shared__ \" )\" <<< {)x\"; char q = '\"'; int m = 1'000'000;\n"
      "void f() __attribute__((__noinline__)); asm(\"nop\");\n";
  EXPECT_EQ(rewrite(cxx), cxx);
}

TEST(source_step, a_launch_configures_and_calls) {
  EXPECT_EQ(rewrite("void f() { k<<<g, b>>>(1, 2); }"),
            "void f() { (::simt::detail::configure(g, b), k          (1, 2)); }");
  EXPECT_EQ(rewrite("void f() { if (x) n::k<T, (1 > 2)><<<d(1, 2),\n s[0] >> 1>>>\n(a); }"),
            "void f() { if (x) (::simt::detail::configure(d(1, 2), s[0] >> 1), n::k<T, (1 > 2)>"
            "           \n             \n(a)); }");
  EXPECT_EQ(rewrite("void f() { return ::k<<<1, a<b<c>>>>>(); }"),
            "void f() { return (::simt::detail::configure(1, a<b<c>>), ::k                ()); }");
}

TEST(source_step, a_launch_may_have_spaces_in_it) {
  EXPECT_EQ(with_single_spaces(rewrite("void f() { k << <g, b>> >(1); k<< < g, b > > > (); }")),
            "void f() { (::simt::detail::configure(g, b), k (1)); "
            "(::simt::detail::configure(g, b), k ()); }");
}

TEST(source_step, operators_of_the_device_are_functions) {
  const std::string cxx = rewrite(
      "inline __device__ void operator+=(V& a, V b) { a.x += b.x; }\n"
      "inline __device__ bool operator!=(V a, V b) { return a.x != b.x; }\n"
      "__device__ inline bool operator==(V a, V b) { return a.x == b.x; }\n"
      "__device__ T& operator[](int i) { return p[i]; }\n"
      "__device__ int operator()(int i) const;\n");
  EXPECT_THAT(cxx, AllOf(Not(HasSubstr("__device__")), Not(HasSubstr("variable"))));
}

TEST(source_step, shared_variables_outside_are_named_where_they_are_used) {
  const std::string text = with_single_spaces(
      rewrite("namespace n { __shared__ int x, y; }\nextern __shared__ float z[];\n"
              "__device__ int f(int z) { return n::x + z; }\n"
              "namespace n { __global__ void k() { y = o.x; } }\n"
              "void host() { int x, z; }\n"));
  EXPECT_THAT(text, HasSubstr("{ struct simt_shared_1_x { int x, y; }; }"));
  EXPECT_THAT(text, HasSubstr("struct simt_shared_2_z { float z[1]; };"));
  EXPECT_THAT(text,
              HasSubstr("int f(int z) { return ::simt::detail::shared_variable<"
                        "n::simt_shared_1_x, 0, decltype(n::simt_shared_1_x::x)>(\"x\") + z; }"));
  EXPECT_THAT(text,
              HasSubstr("mutable { auto& y = ::simt::detail::shared_variable<simt_shared_1_x, "
                        "1, decltype(simt_shared_1_x::y)>(\"y\"); { y = o.x; }}"));
  EXPECT_THAT(text, HasSubstr("void host() { int x, z; }"));
}

TEST(source_step, kernels_allocate_from_the_devices_heap) {
  EXPECT_EQ(
      with_single_spaces(rewrite("__device__ void f() { p = new T[2]; delete[] p, q; free(p); "
                                 "x.free(p); new (p) T; }")),
      " void f() { p = new (::simt::detail::on_heap{}) T[2]; "
      "::simt::detail::device_delete_array(p), q; ::simt::detail::device_free(p); "
      "x.free(p); new (p) T; }");
  const std::string host = "void f() { delete new T; free(malloc(3)); }";
  EXPECT_EQ(rewrite(host), host);
}

TEST(source_step, the_clock_of_a_kernel_is_the_devices) {
  EXPECT_EQ(rewrite("void f() { clock(); }"), "void f() { clock(); }");
  EXPECT_EQ(with_single_spaces(rewrite("__device__ void f() { a = clock() - b.clock() + clock; }")),
            " void f() { a = ::simt::detail::device_clock() - b.clock() + clock; }");
}

TEST(source_step, shifts_of_the_device_are_marked) {
  const auto in_device = [](const std::string& statement) {
    const std::string cxx =
        with_single_spaces(rewrite("__device__ void f() { " + statement + " }"));
    return cxx.substr(12, cxx.size() - 14);
  };
  EXPECT_EQ(rewrite("void f() { a << b; }"), "void f() { a << b; }");
  EXPECT_EQ(in_device("a << b;"), "a << ::simt::detail::by(b);");
  EXPECT_EQ(in_device("a << 5 >> 31;"), "a << 5 >> 31;");
  EXPECT_EQ(in_device("a >> 32;"), "a >> ::simt::detail::by(32);");
  EXPECT_EQ(in_device("a >> 4 * b + f(c)[2].d - 1 & 3;"),
            "a >> ::simt::detail::by(4 * b + f(c)[2].d - 1) & 3;");
  EXPECT_EQ(in_device("x = a << -b < c;"), "x = a << ::simt::detail::by(-b) < c;");
  EXPECT_EQ(in_device("a <<= b ? c : d;"), "a <<= ::simt::detail::by(b ? c : d);");
  EXPECT_EQ(in_device("a << f<int>(b) << c;"),
            "a << ::simt::detail::by(f<int>(b)) << ::simt::detail::by(c);");
  EXPECT_THAT(in_device("k<<<a, b>>>(c);"), Not(HasSubstr("by(")));
  for (const char* none : {"v<w<int>> x;", "v<a, w<b*>> x(c);", "if (a < b && c > d) e();",
                           "T& operator<<(int a);", "a << \"b\";"}) {
    EXPECT_EQ(in_device(none), none);
  }
}

TEST(source_step, lines_stay_where_they_were) {
  const std::string cuda =
      "template <int N>\n__global__ void k(int* p,\n int n)\n{\n  __shared__ int\n    a[N];\n"
      "  extern __shared__\n float b[];\n  a[0] = n;\n}\nvoid f() { k<3>\n<<<1,\n2\n>>>(0,\n1); }\n"
      "__constant__\nint x =\n 3;\n";
  const std::string cxx = rewrite(cuda);
  EXPECT_EQ(std::count(cxx.begin(), cxx.end(), '\n'), std::count(cuda.begin(), cuda.end(), '\n'))
      << "there are no markers, so none are made";
  const auto line_of = [](const std::string& text, const std::string& what) {
    EXPECT_NE(text.find(what), std::string::npos) << what << " in\n" << text;
    if (text.find(what) == std::string::npos) return std::ptrdiff_t{-1};
    return std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find(what)),
                      '\n');
  };
  EXPECT_EQ(line_of(cxx, "a[0] = n"), line_of(cuda, "a[0] = n"));
  EXPECT_EQ(line_of(cxx, "[N]"), line_of(cuda, "[N]"));
}

/// Where a compiler says that the n-th such word stands, by the markers of lines.
std::pair<int, int> place_of(const std::string& text, const std::string& word, int n = 0) {
  int line = 0;
  std::istringstream in(text);
  for (std::string l; std::getline(in, l); ++line) {
    if (l.starts_with("# ")) {
      line = std::atoi(l.c_str() + 2) - 1;
      continue;
    }
    for (std::size_t at = 0; (at = l.find(word, at)) != std::string::npos; ++at) {
      if (n-- == 0) return {line, static_cast<int>(at) + 1};
    }
  }
  ADD_FAILURE() << word << " is not in\n" << text;
  return {};
}

TEST(source_step, columns_stay_where_they_were) {
  const std::string cuda =
      "# 1 \"mine.cu\"\n"
      "template <int N> __global__ void kernel(int* first, int second) { int third = N; }\n"
      "\t__device__ int global = 3, other; int unrelated;\n"
      "__global__ void shared() { __shared__ float tile[32][N], *q; tile[0][1] = second; }\n"
      "void host() { if (x) n::kernel<T><<<grid, block>>>(argument, 3), after(); last(); }\n"
      "void two() { kernel<<<1, 2>>>(one); kernel<<<3, 4>>>(two_too); end(); }\n"
      "# 40 \"other.cuh\" 3\n"
      "__noinline__ int twice(int value) { return value; }\n";
  const std::string cxx = rewrite(cuda);
  for (const char* word :
       {"first", "second", "third", "int third", "global = 3", "unrelated", "tile[0]", "host",
        "if (x)", "argument", "last", "one)", "two_too", "end()", "value)", "return"}) {
    EXPECT_EQ(place_of(cxx, word), place_of(cuda, word)) << word << " in\n" << cxx;
  }
  EXPECT_THAT(cxx, HasSubstr("\n# 40 \"other.cuh\" 3\n             "));
  const std::string whole_lines =
      "# 1 \"mine.cu\"\n__global__\nvoid k(int* p) {\n  *p = 1;\n}\nvoid f() {\n  k<<<1, "
      "2>>>(p);\n}\n";
  EXPECT_EQ(place_of(rewrite(whole_lines), "*p = 1"), std::pair(3, 3));
}

TEST(source_step, functions_of_the_device_are_functions) {
  const std::string cxx = rewrite(
      "__device__ int f(int x) { return x; }\n"
      "struct s { __device__ int g(); static __device__ int h() { return 1; } };\n"
      "auto l = [] __device__ (int i) { return i; };\n"
      "template <class T> __device__ T t(T x);\n"
      "__device__ bool operator<(const s& a, const s& b);\n"
      "extern __device__ int elsewhere;\n");
  EXPECT_THAT(cxx, AllOf(Not(HasSubstr("__device__")), Not(HasSubstr("variable"))));
}

TEST(source_step, variables_are_registered) {
  const std::string cxx = rewrite(
      "namespace n { __device__ int a, b[3] = {1, 2, 3}; }\n"
      "extern \"C\" { static __constant__ struct { int x; } c; }\n"
      "__device__ float (*f)(float) = g;\n");
  for (const char* name : {"a", "b", "f"}) {
    const std::string x = name;
    EXPECT_THAT(cxx, HasSubstr("simt_variable_" + x + "(&" + x + ", sizeof(" + x + "), \"" + x +
                               "\", ::simt::detail::variable::device)"));
  }
  EXPECT_THAT(cxx, HasSubstr("\"c\", ::simt::detail::variable::constant)"));
}

TEST(source_step, instances_of_variable_templates_are_registered) {
  const std::string text =
      with_single_spaces(rewrite("template <class T, int = 2, class... Us> __constant__ T a[3];\n"
                                 "template <class T> __constant__ T a<T*, 1>[4];\n"
                                 "template <class T> __device__ constexpr T pi = 3;\n"
                                 "template <class T> extern __device__ T elsewhere;\n"));
  EXPECT_THAT(text, HasSubstr("namespace { template <class T, int simt_5, class... Us> struct "
                              "simt_variable_a { static const ::simt::detail::variable one; }; } "
                              "template <class T, int simt_5= 2, class... Us> T a "
                              "alignas(::simt::detail::registered<simt_variable_a<T, simt_5, Us...>"
                              "::one>)"));
  EXPECT_THAT(text, HasSubstr("one(&a<T, simt_5, Us...>, sizeof(a<T, simt_5, Us...>), \"a\", "
                              "::simt::detail::variable::constant);"));
  EXPECT_THAT(text, HasSubstr("a<T*, 1> alignas(::simt::detail::registered<simt_variable_a<T*, 1>"
                              "::one>)"));
  EXPECT_THAT(text, HasSubstr("constexpr T pi = 3;"));
  EXPECT_THAT(text, Not(HasSubstr("elsewhere alignas")));
}

TEST(source_step, shared_variable_templates_are_named_with_their_arguments) {
  const std::string text = with_single_spaces(
      rewrite("namespace n { template <int A> extern __shared__ char x[]; }\n"
              "template <class T> __shared__ T y;\n"
              "__device__ char f(int y) { return n::x<16>[2] + y + ::y<int>; }\n"));
  EXPECT_THAT(text, HasSubstr("template <int A> struct simt_shared_1_x { char x[1]; };"));
  EXPECT_THAT(text, HasSubstr("return ::simt::detail::dynamic_array<decltype(n::simt_shared_1_x<16>"
                              "::x)>()[2] + y + ::simt::detail::shared_variable<"
                              "::simt_shared_2_y<int>, 0, decltype(::simt_shared_2_y<int>::y)>"
                              "(\"y\")"));
}

TEST(source_step, messages_show_lines_as_they_were_written) {
  const auto as_written = [](const std::string& said, const std::string& line) {
    return simt::source_step::with_lines_as_written(
        said, [&](std::string_view, std::size_t) { return std::optional(line); });
  };
  EXPECT_EQ(as_written("a.cu:3:9: error: bad 'x'\n  made = (x, y);\n          ^\nmore\n",
                       "  k<<<x>>>(y);"),
            "a.cu:3:7: error: bad 'x'\n  k<<<x>>>(y);\n      ^\nmore\n");
  EXPECT_EQ(
      as_written("a.cu:3:9: error: bad\n  made = {\n         ^\n         ;\n1 error\n", "  k"),
      "a.cu:3: error: bad\n  k\n1 error\n");
  const std::string own = "\x1b[1ma.cu:3:1: \x1b[0;31merror: \x1b[0mbad\n  k;\n\x1b[32m^\n";
  EXPECT_EQ(as_written(own, "  k;"), own);
  EXPECT_EQ(as_written(own, "k"), "a.cu:3: error: bad\nk\n");
}

TEST(source_step, code_of_the_device_can_be_of_one_file) {
  const auto own = [](const std::string& declaration) {
    using simt::source_step::device_code;
    EXPECT_THAT(rewrite(declaration), Not(HasSubstr("internal_linkage"))) << declaration;
    return rewrite(declaration, device_code::of_file).find("internal_linkage") != std::string::npos;
  };
  for (const char* const text :
       {"__device__ int f(int);", "namespace n { __constant__ float x[3]; }",
        "__device__ int a, b;",
        "__device__ __attribute__((noinline)) std::size_t f() { return 1; }",
        "__device__ v operator+(v a, v b) { return a; }", "__managed__ struct { int x; } c = {1};",
        "__constant__ alignas(16) float x[4];"}) {
    EXPECT_TRUE(own(text)) << text;
  }
  for (const char* const text :
       {"extern __device__ int f(int);", "extern __constant__ int x; __constant__ int x;",
        "__device__ int s::f() { return 1; }", "__device__ v s::operator+(v a) { return a; }",
        "template <class T> __device__ T f(T x) { return x; }", "__host__ __device__ int f(int);",
        "inline __device__ int f() { return 1; }", "struct s { __device__ int f() { return 1; } };",
        "auto f = [] __device__ (int x) { return x; };"}) {
    EXPECT_FALSE(own(text)) << text;
  }
}

TEST(source_step, inline_ptx_calls_functions) {
  const std::string cxx = rewrite(
      "__device__ int f(int y) { int x; asm volatile(\"{ .reg .pred p; \\n\\t\" \"setp.lt.s32 p, "
      "%1, 5;\"\n"
      "\"@!p bra OUT; popc.b32 %0, %1; OUT: }\" : \"=r\"(x) : \"r\"(y) : \"memory\"); return x; }");
  EXPECT_THAT(cxx, AllOf(HasSubstr("__label__ simt_OUT"), HasSubstr("bool simt_p{}"),
                         HasSubstr("compare_lt<int>"), HasSubstr("goto simt_OUT"),
                         HasSubstr("count_ones<unsigned>"), HasSubstr("out(simt_0_out, simt_0)"),
                         Not(HasSubstr("asm"))));
  const std::string of_the_host = "void f() { asm volatile(\"cpuid\" : \"=a\"(x) : \"0\"(y)); }";
  EXPECT_EQ(rewrite(of_the_host), of_the_host);
}

TEST(source_step, a_kernel_hands_on_what_its_attributes_say) {
  const auto scope = [](const std::string& text) {
    const std::string cxx = with_single_spaces(rewrite(text));
    const auto begin = cxx.find("kernel_scope");
    return cxx.substr(begin, cxx.find("([=]") - begin);
  };
  const std::string none = "::simt::detail::three()", tail = ", " + none + ", " + none + ">";
  EXPECT_EQ(scope("__global__ void k() {}"), "kernel_scope");
  EXPECT_EQ(scope("template <int N> __global__ void __launch_bounds__(N > 2 ? N : 2, 4) k() {}"),
            "kernel_scope<::simt::detail::three(N > 2 ? N : 2, 4), " + none + tail);
  EXPECT_EQ(scope("__launch_bounds__(64) __cluster_dims__(2, 1, 1) __global__ void k() {}"),
            "kernel_scope<::simt::detail::three(64), ::simt::detail::three(2, 1, 1)" + tail);
  EXPECT_EQ(scope("__global__ void __block_size__((8, 8, 1), (2, 1, 1)) k() {}"),
            "kernel_scope<" + none + ", " + none +
                ", ::simt::detail::three(8, 8, 1), ::simt::detail::three(2, 1, 1)>");
  EXPECT_EQ(scope("__global__ void __maxnreg__(32) k(int (*f)(int)) {}"), "kernel_scope");
  EXPECT_EQ(scope("__global__ void __launch_bounds__(64) k(); __global__ void k() {}"),
            "kernel_scope<::simt::detail::three(64), " + none + tail)
      << "as it was declared";
}

TEST(source_step, refuses_by_name_and_place) {
  EXPECT_THAT(refusal_of("\n__shared__ int x = 3;"),
              AllOf(HasSubstr("mine.cu:11:"), HasSubstr("can't be initialised")));
  EXPECT_THAT(refusal_of("void f() { __shared__ int x = 3; }"), HasSubstr("can't be initialised"));
  EXPECT_THAT(refusal_of("void f() { extern __shared__ int x; }"), HasSubstr("TYPE NAME[]"));
  EXPECT_THAT(refusal_of("void f() { __shared__ int (&x)[3]; }"), HasSubstr("unsupported"));
  EXPECT_THAT(refusal_of("void f() { __shared__; }"), HasSubstr("unsupported"));
  for (const char* const assembly :
       {": mov.u32 %0, 1;", "mov.u32 %99999999999999999999, 1;",
        ".reg .b32 r<99999999>; mov.u32 %0, 1;", ".reg .b32 r<n>; mov.u32 %0, 1;",
        ".reg .b32 %; mov.u32 %0, 1;"}) {
    EXPECT_THAT(refusal_of("void f() { asm(\"" + std::string(assembly) + "\" : \"=r\"(x)); }"),
                HasSubstr("mine.cu:10"))
        << assembly;
  }
  EXPECT_THAT(refusal_of("__device__ void f() { asm(\".reg .pred;\"); }"),
              HasSubstr("a name or an operand is missing"));
  EXPECT_THAT(refusal_of("void f() {\nasm(\"mov.u32 %0, 1;\"\n\"brx.idx.b32 %0;\" : \"=r\"(x)); }"),
              AllOf(HasSubstr("mine.cu:11:1: error: inline PTX: \"brx.idx.b32 %0\""),
                    HasSubstr("#ifndef __SIMT__")));
  EXPECT_THAT(refusal_of("__device__ void f() { asm(\"add.u32.wild %0, 1, 2;\" : \"=r\"(x)); }"),
              HasSubstr("wild"));
  EXPECT_THAT(refusal_of("__device__ void f() { asm(\"popc.odd.b32 %0, 1;\" : \"=r\"(x)); }"),
              HasSubstr("(.odd)"));
  EXPECT_THAT(refusal_of("__device__ void f() { asm(\"mov.u32 %0, %%envreg3;\" : \"=r\"(x)); }"),
              HasSubstr("the register %%envreg3"));
  EXPECT_THAT(
      refusal_of("__device__ void f() { asm(\"mov.u32 %0, %2;\" : \"=r\"(x) : \"r\"(y)); }"),
      HasSubstr("%2, which names no operand"));
  EXPECT_THAT(refusal_of("__global__ void __block_size__(64) k() {}"),
              HasSubstr("__block_size__((x, y, z))"));
  EXPECT_THAT(refusal_of("void f() { k<<<1, 2; }"), HasSubstr(">>>("));
  EXPECT_THAT(refusal_of("void f() { 3 <<<1, 2>>>(); }"), HasSubstr("no kernel"));
  EXPECT_THAT(refusal_of("__global__ int x;"), HasSubstr("a function with a body"));
  EXPECT_THAT(refusal_of("void f() {}}"), HasSubstr("without its {"));
  EXPECT_THAT(refusal_of("void f() { g((1); }"), HasSubstr("not refused")) << "clang will say it";
}

TEST(source_step, a_file_may_be_the_host_s_alone) {
  std::string warnings;
  const std::string merged =
      simt::source_step::for_two_sides("# 1 \"a.cu\"\n", "# 1 \"a.cu\"\nint f();\n", warnings);
  EXPECT_THAT(merged, HasSubstr("int f();"));
  EXPECT_EQ(warnings, "");
}

}  // namespace
