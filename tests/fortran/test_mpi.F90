! The module warpfold_mpi: each result has the bits of one process's. Run by mpirun.
program test_mpi
  use mpi_f08
  use warpfold_mpi
  implicit none
  integer, parameter :: n = 4321
  integer :: rank, ranks, level, first, last, i
  real(8) :: all(n)
  real(4) :: narrow(n)
  type(exact_accumulator) :: parts(2), total(2)
  type(MPI_Datatype) :: datatype
  type(MPI_Op) :: op
  call MPI_Init_thread(MPI_THREAD_FUNNELED, level)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  all = [(sin(real(i, 8)) * 10d0**mod(i, 30), i = 1, n)]
  narrow = real(all, 4)
  first = n * rank / ranks + 1
  last = n * (rank + 1) / ranks
  call check(exact_sum(all(first:last), MPI_COMM_WORLD) == exact_sum(all), 'sum')
  call check(exact_sum(narrow(first:last), MPI_COMM_WORLD) == exact_sum(narrow), 'sum, kind 4')
  call check(exact_mean(all(first:last), MPI_COMM_WORLD) == exact_mean(all), 'mean')
  call check(exact_sum(all(first:last), MPI_COMM_WORLD, all(first:last) > 0) == exact_sum(all, all > 0), 'mask')
  call check(exact_dot(all(first:last), narrow(first:last) * 1d0, MPI_COMM_WORLD) == &
             exact_dot(all, narrow * 1d0), 'dot')
  call check(exact_sum(reshape(all(first:last), [1, 1, last - first + 1]), MPI_COMM_WORLD) == exact_sum(all), &
             'sum, rank 3')

  parts(1) = accumulate(all(first:last), last - first + 1)
  parts(2) = accumulate(abs(all(first:last)), last - first + 1)
  call wf_mpi_datatype(datatype)
  call wf_mpi_op(op)
  call MPI_Allreduce(parts, total, 2, datatype, op, MPI_COMM_WORLD)
  call check(rounded(total(1)) == exact_sum(all), 'an all-reduce of two accumulators')
  call check(rounded(total(2)) == exact_sum(abs(all)), 'the second of them')
  call MPI_Type_free(datatype)
  call MPI_Op_free(op)
  call MPI_Finalize()
contains
  subroutine check(right, what)
    logical, intent(in) :: right
    character(len=*), intent(in) :: what
    if (right) return
    print *, 'rank', rank, 'of', ranks, ', wrong: ', what
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine
end program
