! A 2-D field spread over ranks, and its sum in three ways: a plain all-reduce, one of double-double
! numbers, as climate models write by hand, and an exact one. The first depends on the decomposition,
! the second nearly never, the third never.
!
!   mpirun -n 4 field [columns] [rows]
module double_double
  use mpi_f08
  implicit none
contains
  ! Knuth's sum of two numbers, with its error; the parts of a number are added to another's.
  pure subroutine add(sum, term)
    real(8), intent(inout) :: sum(2)
    real(8), intent(in) :: term(2)
    real(8) :: s, e, t
    s = sum(1) + term(1)
    t = s - sum(1)
    e = (sum(1) - (s - t)) + (term(1) - t) + sum(2) + term(2)
    sum(1) = s + e
    sum(2) = e - (sum(1) - s)
  end subroutine
  subroutine add_all(in, inout, count, datatype)
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr), value :: in, inout
    integer :: count
    type(MPI_Datatype) :: datatype
    real(8), pointer :: from(:, :), to(:, :)
    integer :: i, size
    call MPI_Type_size(datatype, size)
    call c_f_pointer(in, from, [size / 8, count])
    call c_f_pointer(inout, to, [size / 8, count])
    do i = 1, count
      call add(to(:, i), from(:, i))
    end do
  end subroutine
end module

program field_sum
  use mpi_f08
  use warpfold_mpi
  use double_double
  implicit none
  integer :: columns = 720, rows = 1440, rank, ranks, level, first, last, i, j
  real(8), allocatable :: field(:, :)
  real(8) :: plain, exact, pair(2), total(2), seconds(3), begin
  type(MPI_Datatype) :: two
  type(MPI_Op) :: add_pairs
  call MPI_Init_thread(MPI_THREAD_FUNNELED, level)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call argument(1, columns)
  call argument(2, rows)

  ! This rank's rows of the whole field: values of both signs and many sizes.
  first = int(int(rows, 8) * rank / ranks) + 1
  last = int(int(rows, 8) * (rank + 1) / ranks)
  allocate(field(columns, first:last))
  do j = first, last
    do i = 1, columns
      field(i, j) = sin(real(i, 8) * j) * 10d0**mod(7 * i + 3 * j, 17)
    end do
  end do

  begin = start()
  call MPI_Allreduce(sum(field), plain, 1, MPI_REAL8, MPI_SUM, MPI_COMM_WORLD)
  seconds(1) = MPI_Wtime() - begin

  call MPI_Type_contiguous(2, MPI_REAL8, two)
  call MPI_Type_commit(two)
  call MPI_Op_create(add_all, .true., add_pairs)
  begin = start()
  pair = 0
  do j = first, last
    do i = 1, columns
      call add(pair, [field(i, j), 0d0])
    end do
  end do
  call MPI_Allreduce(pair, total, 1, two, add_pairs, MPI_COMM_WORLD)
  seconds(2) = MPI_Wtime() - begin

  exact = exact_sum(field, MPI_COMM_WORLD)  ! duplicates the communicator
  begin = start()
  exact = exact_sum(field, MPI_COMM_WORLD)
  seconds(3) = MPI_Wtime() - begin

  if (rank == 0) then
    print '(a, i0, a, i0, a, i0, a)', 'field of ', columns, ' x ', rows, ' on ', ranks, ' ranks'
    print '(a, z16.16, es26.17, f9.3, a)', 'plain          ', plain, plain, 1e3 * seconds(1), ' ms'
    print '(a, z16.16, es26.17, f9.3, a)', 'double-double  ', total(1), total(1), 1e3 * seconds(2), ' ms'
    print '(a, z16.16, es26.17, f9.3, a)', 'exact          ', exact, exact, 1e3 * seconds(3), ' ms'
  end if
  call MPI_Type_free(two)
  call MPI_Op_free(add_pairs)
  call MPI_Finalize()

contains

  real(8) function start()
    call MPI_Barrier(MPI_COMM_WORLD)
    start = MPI_Wtime()
  end function

  subroutine argument(number, value)
    integer, intent(in) :: number
    integer, intent(inout) :: value
    character(len=20) :: text
    if (command_argument_count() < number) return
    call get_command_argument(number, text)
    read (text, *) value
  end subroutine

end program
