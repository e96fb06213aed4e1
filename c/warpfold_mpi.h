/* Exact sums across the ranks of an MPI communicator: the same bits for any number of ranks and any
 * split of the values, with one all-reduce a call. Link with -lwarpfold_mpi. MPI begins with
 * MPI_Init_thread and MPI_THREAD_FUNNELED. The statuses are warpfold.h's. */
#ifndef WARPFOLD_MPI_H
#define WARPFOLD_MPI_H

#include <mpi.h>

#include "warpfold.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the last failed call of this header on this thread says; "" before any has failed. */
WF_API const char* wf_mpi_error(void);

/* The sum, the mean and the dot product of all ranks' values, rounded once, on every rank. All ranks
 * of `comm` make the call; the first one with a communicator duplicates it. `where` is a place of the
 * host's, or NULL. Types: F32, F64. */
WF_API wf_status wf_mpi_exact_sum(MPI_Comm comm, const wf_place* where, wf_type type,
                                  const void* values, size_t n, void* result);
WF_API wf_status wf_mpi_exact_mean(MPI_Comm comm, const wf_place* where, wf_type type,
                                   const void* values, size_t n, void* result);
WF_API wf_status wf_mpi_exact_dot(MPI_Comm comm, const wf_place* where, wf_type type, const void* a,
                                  const void* b, size_t n, void* result);

/* For collective calls of your own: the datatype of one accumulator's bytes
 * (wf_accumulator_to_bytes), committed, and the operator that merges such, which commutes. Free them
 * with MPI_Type_free and MPI_Op_free. Bytes that are no accumulator's merge to such; from_bytes
 * refuses them. */
WF_API wf_status wf_mpi_datatype(wf_type type, MPI_Datatype* datatype);
WF_API wf_status wf_mpi_op(MPI_Op* op);

/* The same with Fortran's handles, for the module warpfold_mpi. */
WF_API wf_status wf_mpi_exact_sum_f(MPI_Fint comm, wf_type type, const void* values, size_t n,
                                    void* result);
WF_API wf_status wf_mpi_exact_mean_f(MPI_Fint comm, wf_type type, const void* values, size_t n,
                                     void* result);
WF_API wf_status wf_mpi_exact_dot_f(MPI_Fint comm, wf_type type, const void* a, const void* b,
                                    size_t n, void* result);
WF_API wf_status wf_mpi_datatype_f(wf_type type, MPI_Fint* datatype);
WF_API wf_status wf_mpi_op_f(MPI_Fint* op);

#ifdef __cplusplus
}
#endif
#endif
