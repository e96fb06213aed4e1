/* Exact sums across ranks from C: equal to one process's, for any number of ranks; and an all-reduce
 * of accumulators made by hand. Run by mpirun. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <warpfold_mpi.h>

enum { n = 10007 };

static double values[n];

static void expect(int right, const char* what) {
  if (right) return;
  fprintf(stderr, "%s: %s %s\n", what, wf_error(), wf_mpi_error());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
  int level, rank, ranks;
  size_t begin, count;
  double all = 0, mine = 0;
  wf_accumulator* sum = NULL;
  unsigned char bytes[2][292], total[2][292];
  MPI_Datatype datatype;
  MPI_Op op;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < n; ++i) values[i] = (i % 2 ? -1e15 : 1e15) / (i % 97 + 1) + 1e-9 * i;
  begin = (size_t)n * (size_t)rank / (size_t)ranks;
  count = (size_t)n * ((size_t)rank + 1) / (size_t)ranks - begin;

  expect(wf_exact_sum(NULL, WF_F64, values, n, &all) == WF_OK, "sum");
  expect(wf_mpi_exact_sum(MPI_COMM_WORLD, NULL, WF_F64, values + begin, count, &mine) == WF_OK,
         "sum across ranks");
  expect(memcmp(&all, &mine, sizeof all) == 0, "the sum has other bits");
  expect(wf_exact_mean(NULL, WF_F64, values, n, &all) == WF_OK, "mean");
  expect(wf_mpi_exact_mean(MPI_COMM_WORLD, NULL, WF_F64, values + begin, count, &mine) == WF_OK,
         "mean across ranks");
  expect(memcmp(&all, &mine, sizeof all) == 0, "the mean has other bits");
  expect(wf_exact_dot(NULL, WF_F64, values, values, n, &all) == WF_OK, "dot");
  expect(wf_mpi_exact_dot(MPI_COMM_WORLD, NULL, WF_F64, values + begin, values + begin, count,
                          &mine) == WF_OK, "dot across ranks");
  expect(memcmp(&all, &mine, sizeof all) == 0, "the dot product has other bits");

  /* Two accumulators a rank in one all-reduce. */
  expect(wf_accumulator_create(WF_F64, &sum) == WF_OK, "create");
  expect(wf_accumulator_add(sum, NULL, values + begin, count) == WF_OK, "add");
  expect(wf_accumulator_to_bytes(sum, bytes[0], sizeof bytes[0]) == WF_OK, "to bytes");
  expect(wf_accumulator_merge(sum, sum) == WF_OK, "merge");
  expect(wf_accumulator_to_bytes(sum, bytes[1], sizeof bytes[1]) == WF_OK, "to bytes");
  expect(wf_mpi_datatype(WF_F64, &datatype) == WF_OK, "datatype");
  expect(wf_mpi_op(&op) == WF_OK, "operator");
  MPI_Allreduce(bytes, total, 2, datatype, op, MPI_COMM_WORLD);
  expect(wf_accumulator_from_bytes(sum, total[0], sizeof total[0]) == WF_OK, "from bytes");
  expect(wf_accumulator_round(sum, &mine) == WF_OK, "round");
  expect(wf_exact_sum(NULL, WF_F64, values, n, &all) == WF_OK, "sum");
  expect(memcmp(&all, &mine, sizeof all) == 0, "the all-reduce has other bits");
  expect(wf_accumulator_from_bytes(sum, total[1], sizeof total[1]) == WF_OK, "from bytes");
  expect(wf_accumulator_round(sum, &mine) == WF_OK, "round");
  expect(mine == 2 * all, "the second sum is twice the first");

  /* What is no accumulator makes none. */
  memset(bytes, rank == 0 ? 1 : 0, sizeof bytes);
  MPI_Allreduce(bytes, total, 1, datatype, op, MPI_COMM_WORLD);
  expect(wf_accumulator_from_bytes(sum, total[0], sizeof total[0]) == WF_DATA, "no accumulator");
  expect(wf_mpi_exact_sum(MPI_COMM_WORLD, NULL, WF_I32, values, n, &all) == WF_USAGE &&
             strstr(wf_mpi_error(), "f64") != NULL, "a type without exact sums");

  MPI_Type_free(&datatype);
  MPI_Op_free(&op);
  wf_accumulator_destroy(sum);
  MPI_Finalize();
  return 0;
}
