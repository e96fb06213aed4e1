"""Kernels on the CPU machine: results, what is seen of them, and how they fail."""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import warpfold as wf
from warpfold._build import _stands
from warpfold._kernels import kernels_of

pytestmark = pytest.mark.skipif("WARPFOLD" not in os.environ, reason="no CPU machine to run on")

SOURCE = r"""
#include <cassert>
#include <cstdio>
__global__ void transpose(const float* in, float* out, int n) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  if (x < n && y < n) tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  if (x < n && y < n) out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}
template <class T>
__global__ void scale(T* x, T by, int n) {
  if (threadIdx.x < n) x[threadIdx.x] *= by;
}
namespace one {
struct pair { int a, b; };
__global__ void __launch_bounds__(64) sum(const int* x, pair p, long long* y, bool twice) {
  extern __shared__ int all[];
  all[threadIdx.x] = x[threadIdx.x] * (twice ? 2 : 1);
  __syncthreads();
  if (threadIdx.x == 0) *y = (long long)all[0] + all[1] + p.a + p.b;
}
}  // namespace one
__global__ void hang(volatile int* x) {
  while (*x == 0) {
  }
}
__global__ void loop() {
  for (;;) {
  }
}
__global__ void wrong(int n) { assert(n > 5); }
__global__ void outside(int* x) { x[threadIdx.x + 100] = 1; }
__global__ void wild(int* x) { x[1ll << 40] = 1; }
__global__ void divide(int* x, int by) { *x = 7 / by; }
__device__ int depth(int n) { return n == 0 ? 0 : 1 + depth(n - 1) % 10; }
__global__ void deep(int* x) { *x = depth(1 << 20); }
__global__ void says(int n) { printf("n is %d\n", n); }
__global__ void lengths(const float2* x, float2 by, float* y) {
  y[threadIdx.x] = x[threadIdx.x].x * by.x + x[threadIdx.x].y * by.y;
}
__global__ void copy(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }
__global__ void race(int* x) { x[0] = threadIdx.x + blockIdx.x; }
"""


def line_of(text):
    return next(i for i, line in enumerate(SOURCE.split("\n"), 1) if text in line)


@pytest.fixture(scope="module")
def m():
    return wf.cuda.compile(SOURCE, kernels=["scale<float>"])


def test_results_counters_and_lines(m, monkeypatch):
    assert set(m.kernels) >= {"transpose", "one::sum", "scale<float>"}
    a = np.random.default_rng(1).random((64, 64), dtype=np.float32)
    b = np.zeros_like(a)
    run = m.transpose[(2, 2), (32, 32)](a, b, 64)
    assert np.array_equal(b, a.T)
    assert run.findings == []
    assert run.counters["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"] == 31 * 128
    lines = {line.line: line for line in run.lines}
    at = lines[line_of("out[y * n + x]")]
    assert at.bank_conflicts == 31 * 128 and at.global_requests == 128
    assert at.file == "kernels.cu" and "out[y * n + x]" in at.source
    on_h100 = run.predicted("h100")
    predicted = run.document["kernels"][0]["predicted"]["median_us"]
    assert on_h100.us == pytest.approx(predicted, rel=1e-4)
    assert on_h100.us != run.predicted("t4").us > 0
    with pytest.raises(ValueError, match="not known"):
        run.predicted("h1000")
    assert "32-way bank conflict" in str(run)
    page = run._repr_html_()
    assert "32-way bank conflict" in page and "x &lt; n" in page
    monkeypatch.setenv("SIMT_CHECK", "1")
    quiet = m.transpose[(2, 2), (32, 32)](a, b, 64, observe=False)
    assert quiet.lines == []


def test_arguments_of_all_kinds(m):
    x = np.arange(10, dtype=np.float32)
    m["scale<float>"][1, 32](x[::2], 2, 5)
    assert x.tolist() == [0, 1, 4, 3, 8, 5, 12, 7, 16, 9]
    y = np.zeros(1, np.int64)
    pair = np.array((100, 1000), dtype=[("a", "i4"), ("b", "i4")])
    m.sum[1, 2, 8](np.array([1, 2], np.int32), pair, y, True)
    assert y[0] == 1106
    same = np.arange(4, dtype=np.int32)
    m.copy[1, 4](same, same)
    assert same.tolist() == [0, 1, 2, 3]
    with pytest.raises(ValueError, match="overlap"):
        m.copy[1, 2](same[:3], same[1:])


@pytest.mark.parametrize(
    "x",
    (
        np.array([[1, 2], [3, 4]], np.float32),
        np.array([1, 2, 3, 4], np.float32),
        np.array([1 + 2j, 3 + 4j], np.complex64),
        np.array([(1, 2), (3, 4)], [("x", "f4"), ("y", "f4")]),
    ),
)
def test_vectors(m, x):
    y = np.zeros(2, np.float32)
    m.lengths[1, 2](x, (10, 100), y)
    assert y.tolist() == [210, 430]
    for by in ((1, 2, 3), 1.5, "12", np.zeros(3, np.float32)):
        with pytest.raises(TypeError, match="2 numbers"):
            m.lengths[1, 2](x, by, y)
    with pytest.raises(TypeError, match="float32, not of"):
        m.lengths[1, 2](x.view(np.int32), (1, 1), y)


def test_findings_do_not_end_a_run(m):
    (found,) = m.outside[1, 32](np.zeros(10, np.int32)).findings
    assert found.kind == "access out of bounds"
    assert (found.file, found.line, found.times) == (
        "kernels.cu",
        line_of("x[threadIdx.x + 100]"),
        32,
    )
    run = m.race[2, 1](np.zeros(1, np.int32), seed=3)
    assert "race" in repr(run) and f"kernels.cu:{line_of('x[0] =')}" in repr(run)


def test_printing(m, capsys):
    m.says[1, 1](7)
    assert capsys.readouterr().out == "n is 7\n"


@pytest.mark.parametrize("observe", (True, False))
@pytest.mark.parametrize(
    ("name", "arguments", "word", "text"),
    (
        ("wrong", (3,), "assertion", "assert(n"),
        ("wild", (np.zeros(1, np.int32),), "not device memory", "1ll << 40"),
        ("divide", (np.ones(1, np.int32), 0), "by zero", "7 / by"),
        ("deep", (np.ones(1, np.int32),), "stack|memory", "depth(n - 1)"),
        ("hang", (np.zeros(1, np.int32),), "0.5 seconds", "while (*x"),
        ("loop", (), "0.5 seconds", "for (;;)"),
    ),
)
def test_kernels_that_fail(m, name, arguments, word, text, observe):
    before = [np.copy(a) for a in arguments]
    with pytest.raises(wf.cuda.KernelError, match=word) as raised:
        m[name][1, 1](*arguments, observe=observe, limit=0.5 if "seconds" in word else 60)
    assert raised.value.file == "kernels.cu"
    assert raised.value.line - line_of(text) in (0, 1)  # the head of a loop, or its body
    assert raised.value.run is not None
    assert all(np.array_equal(a, b) for a, b in zip(arguments, before, strict=True))


def test_a_signal_ends_a_launch(m, stopping):
    with stopping("select"):
        m.loop[1, 1](limit=0)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


@pytest.mark.parametrize(
    ("call", "error", "word"),
    (
        (lambda m: m.wrong[1, 1](), TypeError, "1 argument"),
        (lambda m: m.wrong[1, 1](1, 2), TypeError, "1 argument"),
        (lambda m: m.wrong[1, 1](2.5), TypeError, "integer"),
        (lambda m: m.wrong[1, 1](1 << 40), OverflowError, "fit"),
        (lambda m: m.wrong[1, 1]("x"), TypeError, "integer"),
        (lambda m: m["scale<float>"][1, 1](np.zeros(1, "f4"), 1e39, 1), OverflowError, "4 bytes"),
        (lambda m: m["scale<float>"][1, 1](np.zeros(1, "f4"), "1", 1), TypeError, "not str"),
        (
            lambda m: m.lengths[1, 1](np.zeros(2), (1, 1), None),
            TypeError,
            "float32, not of float64",
        ),
        (lambda m: m.lengths[1, 1](np.zeros(3, "f4"), (1, 1), None), ValueError, "8 bytes"),
        (lambda m: m.wrong[1, 1](9, limit=-1), ValueError, "limit"),
        (lambda m: m.wrong[1, 1](9, seed=1 << 64), ValueError, "seed"),
        (lambda m: m.wild[1, 1]([1, 2]), TypeError, "array"),
        (lambda m: m.wild[1, 1](np.zeros(2)), TypeError, "int32"),
        (lambda m: m.wild[1, 1](np.array([object()])), TypeError, "object"),
        (lambda m: m.wild[1, 1](np.ma.masked_array([1])), TypeError, "Masked"),
        (lambda m: m.wild[1, 1](np.broadcast_to(np.int32(1), 3)), ValueError, "read-only"),
        (lambda m: m["scale<float>"][1, 1](np.zeros(1, "f4"), "x", 1), TypeError, "number"),
        (lambda m: m.sum[1, 2, 8](None, np.zeros(3), None, True), TypeError, "8 bytes"),
        (lambda m: m.wrong[1, 2048](9), ValueError, "1024"),
        (lambda m: m.wrong[1, 1, 300000](9), ValueError, "232,448"),
        (lambda m: m.wrong[0, 1](9), ValueError, "positive"),
        (lambda m: m.wrong[1, 1, -1](9), ValueError, "-1"),
        (lambda m: m.wrong[1](9), TypeError, "grid"),
        (lambda m: m.wrong(9), TypeError, "grid"),
        (lambda m: m.missing, AttributeError, "transpose"),
        (lambda m: m.wrong[1, 1](9, device="h1000"), ValueError, "h1000"),
    ),
)
def test_refused_calls(m, call, error, word):
    with pytest.raises(error, match=word) as raised:
        call(m)
    assert "\n" not in str(raised.value)


def test_what_does_not_compile(monkeypatch):
    with pytest.raises(wf.cuda.CompileError, match="undeclared identifier 'y'") as raised:
        wf.cuda.compile("\n__global__ void f(int* x) {\n  *x = y;\n}\n")
    error = raised.value
    assert (error.filename, error.lineno, error.offset) == ("kernels.cu", 3, 8)
    assert error.text.strip() == "*x = y;" and "kernels.cu:3:8" in error.output
    with pytest.raises(ValueError, match="no kernel"):
        wf.cuda.compile("int x;")
    with pytest.raises(ValueError, match="main"):
        wf.cuda.compile("__global__ void f() {}\nint main() {}")
    with pytest.raises(wf.cuda.CompileError, match="undefined reference") as raised:
        wf.cuda.compile("__device__ int g();\n\n__global__ void f(int* x) { *x = g(); }\n")
    assert (raised.value.filename, raised.value.lineno) == ("kernels.cu", 3)
    with pytest.raises(ValueError, match=r"f can't be launched: .*copied as bytes"):
        wf.cuda.compile("__global__ void f(int& x) { x = 1; }")
    scale = "template <class T> __global__ void scale(T* x) {}"
    for name in ("missing<int>", "scale<it>", "scale<int", "scale", 'scale<int>"', ""):
        with pytest.raises(ValueError, match="can't be launched"):
            wf.cuda.compile(scale, kernels=[name])
    with pytest.raises(ValueError, match="'--banana'"):
        wf.cuda.compile("__global__ void f() {}", options=["--banana"])
    with pytest.raises(TypeError, match="sequences"):
        wf.cuda.compile(scale, kernels="scale<int>")
    with pytest.raises(ValueError, match=r"pathlib\.Path"):
        wf.cuda.compile("kernels.cu")
    monkeypatch.setenv("SIMT_CXX", "/missing/clang++")
    with pytest.raises(FileNotFoundError, match="apt install clang"):
        wf.cuda.compile("__global__ void f() {}")
    monkeypatch.delenv("WARPFOLD")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(FileNotFoundError, match="dev install"):
        wf.cuda.compile("__global__ void f() {}")


def test_builds_are_used_again_until_a_header_changes(tmp_path):
    (tmp_path / "two.hpp").write_text("#pragma once\nconstexpr int two = 2;\n")
    source = tmp_path / "f.cu"
    source.write_text('#include "two.hpp"\n__global__ void f(int* x) { *x = two; }\n')
    x = np.zeros(1, np.int32)
    first = wf.cuda.compile(source)
    first.f[1, 1](x)
    program = os.stat(first._built.program)
    again = wf.cuda.compile(source)
    assert x[0] == 2 and os.stat(again._built.program) == program
    assert _stands(first._built.folder)
    (tmp_path / "two.hpp").write_text("constexpr int two = 222;\n")
    assert not _stands(first._built.folder)


def test_threads_that_build_the_same(tmp_path, monkeypatch):
    monkeypatch.setenv("SIMT_CACHE", str(tmp_path))
    source = "__global__ void f(int* x) { *x = 1; }"
    with ThreadPoolExecutor(4) as pool:
        modules = list(pool.map(wf.cuda.compile, [source] * 4))
    for module in modules:
        x = np.zeros(1, np.int32)
        module.f[1, 1](x)
        assert x[0] == 1


@pytest.mark.parametrize(
    ("source", "names"),
    (
        (
            '// __global__ void a();\n/* __global__ void b(); */ char* s = "__global__ void c();";',
            [],
        ),
        ("__global__ void a(int); static __global__ void a(int x) { f(x); }", ["a"]),
        ('extern "C" { __global__ void a(); }', ["a"]),
        ("namespace n::m { namespace { __global__ void a(); } }", ["n::m::a"]),
        ("struct s { static __global__ void a(); };", []),
        ("void __global__ __launch_bounds__(2 * (1 + 1), 4) a(int x) {}", ["a"]),
        ("template <class T> __global__ void a(T x) {} __global__ void b() {}", ["b"]),
    ),
)
def test_kernels_are_found(source, names):
    assert kernels_of(source) == names
