/* Reduce, scan, sort and exact sums for C and for languages that call C.
 *
 *   float sum;
 *   if (wf_exact_sum(NULL, WF_F32, values, n, &sum) != WF_OK) fputs(wf_error(), stderr);
 *
 * All arrays are contiguous and aligned to their type. The first argument is where a call runs:
 * NULL is the host with all cores. A call returns a status, and stores nothing if that is not
 * WF_OK, unless its comment says otherwise; wf_error() then has the reason. Calls of different
 * threads are independent. docs/c.md describes the calls; sums, orders and NaN are those of the C++
 * library.
 */
#ifndef WARPFOLD_H
#define WARPFOLD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WF_API __attribute__((visibility("default")))

typedef enum wf_status {
  WF_OK = 0,
  WF_USAGE = 2,    /* an argument that makes no sense */
  WF_DEVICE = 3,   /* no device can run this, or it failed */
  WF_DATA = 4,     /* malformed bytes */
  WF_INTERNAL = 5, /* a defect of the library */
  WF_MEMORY = 6    /* the host has no memory left */
} wf_status;

/* The type of values. Integers are two's complement, floats IEEE 754. */
typedef enum wf_type {
  WF_I8 = 0,
  WF_I16 = 1,
  WF_I32 = 2,
  WF_I64 = 3,
  WF_U8 = 4,
  WF_U16 = 5,
  WF_U32 = 6,
  WF_U64 = 7,
  WF_F32 = 8,
  WF_F64 = 9
} wf_type;

/* Integers wrap. The bitwise operators take integers only. */
typedef enum wf_op {
  WF_PLUS = 0,
  WF_MULTIPLIES = 1,
  WF_MINIMUM = 2, /* NaN if any value is */
  WF_MAXIMUM = 3, /* likewise */
  WF_BIT_AND = 4,
  WF_BIT_OR = 5,
  WF_BIT_XOR = 6
} wf_op;

/* Equal keys keep their order in both. Floats: -0 before +0; NaN is greater than every number. */
typedef enum wf_order { WF_ASCENDING = 0, WF_DESCENDING = 1 } wf_order;

typedef enum wf_machine { WF_HOST = 0, WF_CUDA = 1 } wf_machine;

typedef enum wf_determinism {
  WF_RUN_TO_RUN = 0,
  WF_GPU_TO_GPU = 1 /* the same bits on any machine. wf_reduce and wf_mean sum floats exactly; all
                     * other results of floats have the canonical order (docs/canonical.md) */
} wf_determinism;

/* Where a call runs. {0} is the host with all cores.
 *
 * On WF_CUDA, the current device, arrays are device memory. wf_reduce, wf_scan, the sorts,
 * wf_exact_sum, wf_exact_mean and wf_exact_dot put their work into the stream and return; their
 * result is device memory too. All other calls wait, and store their result in host memory. Types
 * there are I32, I64, U32, U64, F32 and F64. wf_has_cuda() says whether the library was built for
 * it. */
typedef struct wf_place {
  wf_machine machine;
  unsigned threads; /* the host's, at most; 0: all cores */
  void* stream;     /* a cudaStream_t; NULL: the default stream */
  wf_determinism determinism;
} wf_place;

/* The version of the library, "major.minor.patch". */
WF_API const char* wf_version(void);
/* The message of this thread's last failed call, one sentence; "" if none has failed. Valid until
 * the thread's next call fails. */
WF_API const char* wf_error(void);
/* 1 if the library was built for CUDA, else 0. */
WF_API int wf_has_cuda(void);
/* Bytes of a value; 0 if there is no such type. */
WF_API size_t wf_type_size(wf_type type);

/* result = op(init, values[0], …, values[n - 1]). `result_type`, that of init and result, is
 * `type`, or, for WF_PLUS and WF_MULTIPLIES, the 64-bit type of its kind (I64, U64, F64). `init` is
 * host memory; NULL: the operator's identity. */
WF_API wf_status wf_reduce(const wf_place* where, wf_type type, wf_op op, const void* values,
                           size_t n, wf_type result_type, const void* init, void* result);
/* results[i * inner + j] = op over k of values[(i * n + k) * inner + j], i < outer, k < n and
 * j < inner: one axis of an array. On the host only. */
WF_API wf_status wf_reduce_axis(const wf_place* where, wf_type type, wf_op op, const void* values,
                                size_t outer, size_t n, size_t inner, wf_type result_type,
                                void* results);
/* Prefixes: out[i] = op(init, in[0], …, in[i]), without in[i] if exclusive is not 0. Types and init
 * as wf_reduce's. `out` may be `in` if both types are the same; otherwise they must not overlap. A
 * failed call may have stored some values. */
WF_API wf_status wf_scan(const wf_place* where, wf_type type, wf_op op, const void* in, size_t n,
                         int exclusive, wf_type result_type, const void* init, void* out);

/* Sorts the keys in place. */
WF_API wf_status wf_sort(const wf_place* where, wf_type type, void* keys, size_t n, wf_order order);
/* Sorts the keys in place and moves item i, `item_bytes` bytes, along with key i. A device moves
 * items of 4 and 8 bytes. */
WF_API wf_status wf_sort_by_key(const wf_place* where, wf_type type, void* keys, void* items,
                                size_t item_bytes, size_t n, wf_order order);
/* indices[0] is the index of the key that comes first, and so on. */
WF_API wf_status wf_argsort(const wf_place* where, wf_type type, const void* keys, size_t n,
                            wf_order order, uint64_t* indices);

/* The sums and products are exact, rounded once: the same bits for any order, machine and number of
 * threads. Types: F32, F64, which is also the result's. The sum of no values is +0; a mean needs
 * one at least. */
WF_API wf_status wf_exact_sum(const wf_place* where, wf_type type, const void* values, size_t n,
                              void* result);
WF_API wf_status wf_exact_mean(const wf_place* where, wf_type type, const void* values, size_t n,
                               void* result);
WF_API wf_status wf_exact_dot(const wf_place* where, wf_type type, const void* a, const void* b,
                              size_t n, void* result);

/* The smallest or greatest value and its index: the first NaN, else the first of equal ones.
 * `value` is of the values' type. Both results may be NULL. n > 0. */
WF_API wf_status wf_argmin(const wf_place* where, wf_type type, const void* values, size_t n,
                           void* value, uint64_t* index);
WF_API wf_status wf_argmax(const wf_place* where, wf_type type, const void* values, size_t n,
                           void* value, uint64_t* index);
/* Both values; NaN if any is. Of no values the operators' identities. */
WF_API wf_status wf_minmax(const wf_place* where, wf_type type, const void* values, size_t n,
                           void* minimum, void* maximum);
/* The arithmetic mean, accumulated in f64. n > 0. */
WF_API wf_status wf_mean(const wf_place* where, wf_type type, const void* values, size_t n,
                         double* mean);

/* From one read of the values. The variance is the population's: divided by the count. */
typedef struct wf_summary {
  uint64_t count;
  double sum, mean, variance;
  uint64_t argmin, argmax; /* as wf_argmin's and wf_argmax's index */
  double min, max;         /* the values there; 64-bit integers are rounded to f64 */
} wf_summary;
/* n > 0. */
WF_API wf_status wf_statistics(const wf_place* where, wf_type type, const void* values, size_t n,
                               wf_summary* summary);

/* An exact sum that is not rounded yet, of F32 or F64 values. It belongs to one thread at a time. */
typedef struct wf_accumulator wf_accumulator;
/* Makes one of no terms; wf_accumulator_destroy frees it. */
WF_API wf_status wf_accumulator_create(wf_type type, wf_accumulator** accumulator);
/* NULL is allowed. */
WF_API void wf_accumulator_destroy(wf_accumulator* accumulator);
/* F32 or F64; unspecified for NULL. */
WF_API wf_type wf_accumulator_type(const wf_accumulator* accumulator);
/* Adds n values of its type. */
WF_API wf_status wf_accumulator_add(wf_accumulator* accumulator, const wf_place* where,
                                    const void* values, size_t n);
/* Adds the sum of `other`, which has the same type. */
WF_API wf_status wf_accumulator_merge(wf_accumulator* accumulator, const wf_accumulator* other);
/* The sum, rounded once, as a value of its type. */
WF_API wf_status wf_accumulator_round(const wf_accumulator* accumulator, void* result);
/* The sum divided by count (not 0), rounded once. */
WF_API wf_status wf_accumulator_mean(const wf_accumulator* accumulator, uint64_t count,
                                     void* result);
/* Size of the byte format of docs/exact.md: 64 for F32, 292 for F64, else 0. */
WF_API size_t wf_accumulator_size(wf_type type);
/* Writes wf_accumulator_size bytes: the same for equal sums, on every machine. */
WF_API wf_status wf_accumulator_to_bytes(const wf_accumulator* accumulator, void* bytes,
                                         size_t size);
/* Sets the sum from bytes that to_bytes wrote for its type. WF_DATA for other bytes. */
WF_API wf_status wf_accumulator_from_bytes(wf_accumulator* accumulator, const void* bytes,
                                           size_t size);

#ifdef __cplusplus
}
#endif
#endif
