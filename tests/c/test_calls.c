/* Every call of warpfold.h on the host: what it computes, and what it refuses. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <warpfold.h>

static int failures = 0;

static void check(int right, const char* what, int line) {
  if (right) return;
  fprintf(stderr, "line %d: %s; last error: %s\n", line, what, wf_error());
  ++failures;
}
#define CHECK(condition) check((condition), #condition, __LINE__)
#define OK(call) CHECK((call) == WF_OK)
/* The call fails with this status and says this word. */
#define REFUSED(call, status, word) \
  CHECK((call) == (status) && strstr(wf_error(), (word)) != NULL)

enum { n = 100000 };

static void test_reductions(void) {
  static int32_t values[n];
  int64_t wide = 0, expected = 0;
  int32_t sum = 0, least = 0, start = 5;
  uint32_t bits[3] = {12, 10, 9}, all = 0;
  for (int i = 0; i < n; ++i) {
    values[i] = (i * 7919) % 100003 * 30000;
    expected += values[i];
  }
  OK(wf_reduce(NULL, WF_I32, WF_PLUS, values, n, WF_I64, NULL, &wide));
  CHECK(wide == expected);
  OK(wf_reduce(NULL, WF_I32, WF_PLUS, values, n, WF_I32, &start, &sum));
  CHECK(sum == (int32_t)(uint32_t)(uint64_t)(expected + 5));
  OK(wf_reduce(NULL, WF_I32, WF_MINIMUM, values, n, WF_I32, NULL, &least));
  CHECK(least <= values[17]);
  OK(wf_reduce(NULL, WF_I32, WF_MAXIMUM, NULL, 0, WF_I32, NULL, &least));
  CHECK(least == INT32_MIN);
  OK(wf_reduce(NULL, WF_U32, WF_BIT_AND, bits, 3, WF_U32, NULL, &all));
  CHECK(all == 8);
  OK(wf_reduce(NULL, WF_U32, WF_BIT_OR, bits, 3, WF_U32, NULL, &all));
  CHECK(all == 15);
  OK(wf_reduce(NULL, WF_U32, WF_BIT_XOR, bits, 3, WF_U32, NULL, &all));
  CHECK(all == 15);
  OK(wf_reduce(NULL, WF_U32, WF_MULTIPLIES, bits, 3, WF_U32, NULL, &all));
  CHECK(all == 1080);
}

static void test_axes(void) {
  const double block[2][3][2] = {{{1, 2}, {3, 4}, {5, 6}}, {{7, 8}, {9, 10}, {11, 12}}};
  double columns[4], rows[6];
  OK(wf_reduce_axis(NULL, WF_F64, WF_PLUS, block, 2, 3, 2, WF_F64, columns));
  CHECK(columns[0] == 9 && columns[1] == 12 && columns[2] == 27 && columns[3] == 30);
  OK(wf_reduce_axis(NULL, WF_F64, WF_MAXIMUM, block, 6, 2, 1, WF_F64, rows));
  CHECK(rows[0] == 2 && rows[5] == 12);
  OK(wf_reduce_axis(NULL, WF_F64, WF_PLUS, NULL, 2, 0, 2, WF_F64, columns));
  CHECK(columns[0] == 0 && columns[3] == 0);
}

static void test_scans(void) {
  const int8_t small[4] = {100, 100, -1, 3};
  int64_t wide[4], from = 10;
  int8_t narrow[4];
  OK(wf_scan(NULL, WF_I8, WF_PLUS, small, 4, 0, WF_I64, NULL, wide));
  CHECK(wide[0] == 100 && wide[1] == 200 && wide[2] == 199 && wide[3] == 202);
  OK(wf_scan(NULL, WF_I8, WF_PLUS, small, 4, 1, WF_I64, &from, wide));
  CHECK(wide[0] == 10 && wide[1] == 110 && wide[3] == 209);
  OK(wf_scan(NULL, WF_I8, WF_PLUS, small, 4, 0, WF_I8, NULL, narrow));
  CHECK(narrow[1] == (int8_t)200);
  OK(wf_scan(NULL, WF_I8, WF_MAXIMUM, small, 4, 1, WF_I8, NULL, narrow));
  CHECK(narrow[0] == INT8_MIN && narrow[3] == 100);
}

static void test_sorts(void) {
  float keys[5] = {2, NAN, -1, 2, -0.0F};
  unsigned char items[5][3];
  uint64_t order[5];
  const float again[5] = {2, NAN, -1, 2, -0.0F};
  for (int i = 0; i < 5; ++i) memset(items[i], i, 3);
  OK(wf_argsort(NULL, WF_F32, keys, 5, WF_ASCENDING, order));
  CHECK(order[0] == 2 && order[1] == 4 && order[2] == 0 && order[3] == 3 && order[4] == 1);
  OK(wf_sort_by_key(NULL, WF_F32, keys, items, 3, 5, WF_ASCENDING));
  CHECK(keys[0] == -1 && isnan(keys[4]));
  for (int i = 0; i < 5; ++i) CHECK(items[i][0] == order[i] && items[i][2] == order[i]);
  memcpy(keys, again, sizeof keys);
  OK(wf_sort_by_key(NULL, WF_F32, keys, order, 8, 5, WF_DESCENDING));
  CHECK(isnan(keys[0]) && order[0] == 4 && order[1] == 2 && order[2] == 3);
  memcpy(keys, again, sizeof keys);
  OK(wf_sort(NULL, WF_F32, keys, 5, WF_DESCENDING));
  CHECK(keys[1] == 2 && keys[4] == -1);
}

static void test_extremes(void) {
  const double values[4] = {3, -5, 8, 8};
  wf_summary all;
  uint64_t index = 0;
  double value = 0, mean = 0;
  OK(wf_argmax(NULL, WF_F64, values, 4, &value, &index));
  CHECK(value == 8 && index == 2);
  OK(wf_argmin(NULL, WF_F64, values, 4, NULL, &index));
  CHECK(index == 1);
  OK(wf_minmax(NULL, WF_F64, values, 4, &value, &mean));
  CHECK(value == -5 && mean == 8);
  OK(wf_mean(NULL, WF_F64, values, 4, &mean));
  CHECK(mean == 3.5);
  OK(wf_statistics(NULL, WF_F64, values, 4, &all));
  CHECK(all.count == 4 && all.sum == 14 && all.mean == 3.5 && all.variance == 28.25);
  CHECK(all.argmin == 1 && all.argmax == 2 && all.min == -5 && all.max == 8);
}

static void test_exact_sums(void) {
  const double values[4] = {1e300, 1, -1e300, 0x1p-60};
  const wf_place anywhere = {WF_HOST, 0, NULL, WF_GPU_TO_GPU};
  double sum = 0, plain = 0, dot = 0, mean = 0;
  OK(wf_exact_sum(NULL, WF_F64, values, 4, &sum));
  CHECK(sum == 1 + 0x1p-60);
  OK(wf_reduce(&anywhere, WF_F64, WF_PLUS, values, 4, WF_F64, NULL, &plain));
  CHECK(plain == sum);
  OK(wf_exact_mean(NULL, WF_F64, values, 3, &mean));
  CHECK(mean == 1.0 / 3);
  OK(wf_exact_dot(NULL, WF_F64, values + 1, values + 1, 1, &dot));
  CHECK(dot == 1);
  OK(wf_exact_sum(NULL, WF_F64, NULL, 0, &sum));
  CHECK(sum == 0 && !signbit(sum));
}

/* ((x0 x1) (x2 x3)) (x4 x5), and prefixes of these nodes. */
static void test_canonical_order(void) {
  enum { m = 6 };
  const wf_place anywhere = {WF_HOST, 2, NULL, WF_GPU_TO_GPU};
  double x[m], sum, product, result, out[m];
  wf_summary all;
  for (int i = 0; i < m; ++i) x[i] = 1.0 / (3 + i);
  product = ((x[0] * x[1]) * (x[2] * x[3])) * (x[4] * x[5]);
  sum = ((x[0] + x[1]) + (x[2] + x[3])) + (x[4] + x[5]);
  OK(wf_reduce(&anywhere, WF_F64, WF_MULTIPLIES, x, m, WF_F64, NULL, &result));
  CHECK(result == product);
  OK(wf_scan(&anywhere, WF_F64, WF_PLUS, x, m, 0, WF_F64, NULL, out));
  CHECK(out[2] == (x[0] + x[1]) + x[2] && out[5] == sum);
  OK(wf_scan(&anywhere, WF_F64, WF_PLUS, x, m, 1, WF_F64, &product, out));
  CHECK(out[0] == product && out[3] == (product + (x[0] + x[1])) + x[2]);
  OK(wf_statistics(&anywhere, WF_F64, x, m, &all));
  CHECK(all.count == m && all.sum == sum && all.argmin == m - 1 && all.max == x[0]);
  OK(wf_reduce_axis(&anywhere, WF_F64, WF_PLUS, x, 1, m, 1, WF_F64, out));
  CHECK(out[0] == sum);
}

/* An axis has one tree for each row or column. */
static void test_canonical_axes(void) {
  enum { rows = 3, columns = 1000 };
  static float by_row[rows][columns], by_column[columns][rows];
  const wf_place anywhere = {WF_HOST, 2, NULL, WF_GPU_TO_GPU};
  double of_rows[rows], of_columns[rows];
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      by_column[c][r] = by_row[r][c] = 1 + (float)((r + c * 7919) % 1009 - 504) / 7777;
    }
  }
  for (int op = WF_PLUS; op <= WF_MULTIPLIES; ++op) {
    OK(wf_reduce_axis(&anywhere, WF_F32, (wf_op)op, by_row, rows, columns, 1, WF_F64, of_rows));
    OK(wf_reduce_axis(&anywhere, WF_F32, (wf_op)op, by_column, 1, columns, rows, WF_F64,
                      of_columns));
    CHECK(memcmp(of_rows, of_columns, sizeof of_rows) == 0);
  }
}

static void test_accumulators(void) {
  const float values[3] = {1e30F, 1, -1e30F};
  wf_accumulator *a = NULL, *b = NULL, *of_f64 = NULL;
  unsigned char bytes[64], same[64];
  float sum = 0;
  OK(wf_accumulator_create(WF_F32, &a));
  OK(wf_accumulator_create(WF_F32, &b));
  OK(wf_accumulator_create(WF_F64, &of_f64));
  CHECK(wf_accumulator_type(of_f64) == WF_F64 && wf_accumulator_type(a) == WF_F32);
  OK(wf_accumulator_add(a, NULL, values, 2));
  OK(wf_accumulator_add(b, NULL, values + 2, 1));
  OK(wf_accumulator_merge(a, b));
  OK(wf_accumulator_round(a, &sum));
  CHECK(sum == 1);
  OK(wf_accumulator_mean(a, 4, &sum));
  CHECK(sum == 0.25F);
  CHECK(wf_accumulator_size(WF_F32) == 64 && wf_accumulator_size(WF_F64) == 292);
  OK(wf_accumulator_to_bytes(a, bytes, sizeof bytes));
  OK(wf_accumulator_from_bytes(b, bytes, sizeof bytes));
  OK(wf_accumulator_to_bytes(b, same, sizeof same));
  CHECK(memcmp(bytes, same, sizeof bytes) == 0);
  bytes[20] ^= 1;
  REFUSED(wf_accumulator_from_bytes(b, bytes, sizeof bytes), WF_DATA, "checksum");
  OK(wf_accumulator_to_bytes(b, bytes, sizeof bytes));
  CHECK(memcmp(bytes, same, sizeof bytes) == 0);
  REFUSED(wf_accumulator_merge(a, of_f64), WF_USAGE, "f64");
  REFUSED(wf_accumulator_to_bytes(of_f64, bytes, sizeof bytes), WF_USAGE, "292");
  REFUSED(wf_accumulator_create(WF_I32, &a), WF_USAGE, "i32");
  wf_accumulator_destroy(a);
  wf_accumulator_destroy(b);
  wf_accumulator_destroy(of_f64);
  wf_accumulator_destroy(NULL);
}

static void test_refusals(void) {
  float values[2] = {1, 2}, result = 7;
  uint64_t index = 0;
  const wf_place device = {WF_CUDA, 0, NULL, WF_RUN_TO_RUN}, nowhere = {(wf_machine)9, 0, NULL, 0};
  const wf_type no_type = (wf_type)77;
  const wf_op no_op = (wf_op)-1;
  REFUSED(wf_reduce(NULL, no_type, WF_PLUS, values, 2, WF_F32, NULL, &result), WF_USAGE, "77");
  REFUSED(wf_reduce(NULL, WF_F32, no_op, values, 2, WF_F32, NULL, &result), WF_USAGE, "operator");
  REFUSED(wf_reduce(NULL, WF_F32, WF_BIT_OR, values, 2, WF_F32, NULL, &result), WF_USAGE, "bit_or");
  REFUSED(wf_reduce(NULL, WF_F32, WF_PLUS, values, 2, WF_I32, NULL, &result), WF_USAGE, "i32");
  REFUSED(wf_reduce(NULL, WF_F32, WF_MAXIMUM, values, 2, WF_F64, NULL, &result), WF_USAGE, "f64");
  REFUSED(wf_reduce(NULL, WF_F32, WF_PLUS, NULL, 2, WF_F32, NULL, &result), WF_USAGE, "NULL");
  REFUSED(wf_reduce(NULL, WF_F32, WF_PLUS, values, 2, WF_F32, NULL, NULL), WF_USAGE, "NULL");
  REFUSED(wf_reduce(&nowhere, WF_F32, WF_PLUS, values, 2, WF_F32, NULL, &result), WF_USAGE, "9");
  REFUSED(wf_scan(NULL, WF_F32, WF_PLUS, values, 2, 0, WF_F64, NULL, values), WF_USAGE, "place");
  REFUSED(wf_sort(NULL, WF_F32, values, 2, (wf_order)5), WF_USAGE, "order");
  REFUSED(wf_sort_by_key(NULL, WF_F32, values, values, 4, 2, WF_ASCENDING), WF_USAGE, "overlap");
  REFUSED(wf_argmin(NULL, WF_F32, values, 0, NULL, &index), WF_USAGE, "no values");
  REFUSED(wf_exact_sum(NULL, WF_I32, values, 2, &result), WF_USAGE, "i32");
  REFUSED(wf_exact_mean(NULL, WF_F32, NULL, 0, &result), WF_USAGE, "no values");
  if (!wf_has_cuda()) {
    REFUSED(wf_exact_sum(&device, WF_F32, values, 2, &result), WF_DEVICE, "CUDA");
  }
  CHECK(result == 7);
  CHECK(wf_type_size(WF_F64) == 8 && wf_type_size(no_type) == 0);
}

static void* other_thread(void* unused) {
  (void)unused;
  CHECK(strcmp(wf_error(), "") == 0);  /* another thread's failure is not this one's */
  return NULL;
}

int main(void) {
  pthread_t thread;
  test_reductions();
  test_axes();
  test_scans();
  test_sorts();
  test_extremes();
  test_exact_sums();
  test_canonical_order();
  test_canonical_axes();
  test_accumulators();
  test_refusals();
  CHECK(pthread_create(&thread, NULL, other_thread, NULL) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK(strchr(wf_version(), 0x2e) != NULL);
  return failures != 0;
}
