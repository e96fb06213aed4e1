! The calls of the module warpfold, and the same across the ranks of an MPI communicator, with one
! all-reduce a call: the same bits for any number of ranks and any split of the values.
!
!   use warpfold_mpi
!   total = exact_sum(field, MPI_COMM_WORLD)                   ! on every rank
!   total = exact_sum(field, MPI_COMM_WORLD, mask=field > 0)
!
! All ranks make the call. MPI begins with MPI_Init_thread and MPI_THREAD_FUNNELED.
module warpfold_mpi
  use, intrinsic :: iso_c_binding
  use mpi_f08, only: MPI_Comm, MPI_Datatype, MPI_Op
  use warpfold
  implicit none
  private
  public :: exact_sum, exact_mean, exact_dot
  public :: exact_accumulator, accumulate, merge_into, rounded
  public :: wf_mpi_datatype, wf_mpi_op

  interface exact_sum
    module procedure sum_r4_1, sum_r4_2, sum_r4_3, sum_r8_1, sum_r8_2, sum_r8_3
  end interface
  interface exact_mean
    module procedure mean_r4_1, mean_r4_2, mean_r4_3, mean_r8_1, mean_r8_2, mean_r8_3
  end interface
  interface exact_dot
    module procedure dot_r4_1, dot_r4_2, dot_r4_3, dot_r8_1, dot_r8_2, dot_r8_3
  end interface

  interface
    integer(c_int) function c_mpi_sum(comm, type, values, n, total) bind(c, name='wf_mpi_exact_sum_f')
      import
      integer(c_int), value :: comm, type
      type(*), intent(in) :: values(*)
      integer(c_size_t), value :: n
      type(*) :: total
    end function
    integer(c_int) function c_mpi_mean(comm, type, values, n, mean) bind(c, name='wf_mpi_exact_mean_f')
      import
      integer(c_int), value :: comm, type
      type(*), intent(in) :: values(*)
      integer(c_size_t), value :: n
      type(*) :: mean
    end function
    integer(c_int) function c_mpi_dot(comm, type, a, b, n, total) bind(c, name='wf_mpi_exact_dot_f')
      import
      integer(c_int), value :: comm, type
      type(*), intent(in) :: a(*), b(*)
      integer(c_size_t), value :: n
      type(*) :: total
    end function
    type(c_ptr) function c_mpi_error() bind(c, name='wf_mpi_error')
      import
    end function
    integer(c_int) function c_mpi_datatype(type, datatype) bind(c, name='wf_mpi_datatype_f')
      import
      integer(c_int), value :: type
      integer(c_int) :: datatype
    end function
    integer(c_int) function c_mpi_op(op) bind(c, name='wf_mpi_op_f')
      import
      integer(c_int) :: op
    end function
  end interface

contains

  !> The datatype of an exact_accumulator, committed; MPI_Type_free frees it.
  subroutine wf_mpi_datatype(datatype)
    type(MPI_Datatype), intent(out) :: datatype
    call stop_on_error(c_mpi_datatype(wf_f64, datatype%MPI_VAL), c_mpi_error())
  end subroutine

  !> The operator that merges such; MPI_Op_free frees it.
  subroutine wf_mpi_op(op)
    type(MPI_Op), intent(out) :: op
    call stop_on_error(c_mpi_op(op%MPI_VAL), c_mpi_error())
  end subroutine

#define ACROSS_RANKS
#define SUM_CALL c_mpi_sum
#define MEAN_CALL c_mpi_mean
#define DOT_CALL c_mpi_dot
#define PLACE comm%MPI_VAL
#define ERROR_TEXT c_mpi_error
#include "calls.inc"

end module
