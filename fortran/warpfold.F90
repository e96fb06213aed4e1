! Exact sums for Fortran: the real sum, rounded once, whatever the order of the values.
!
!   use warpfold
!   total = exact_sum(field)                  ! real(4) or real(8), of rank 1 to 3
!   total = exact_sum(field, field > 0)       ! of some
!   total = exact_dot(a, b);  average = exact_mean(field)
!
! The result has the kind of the values. An error (a mean of no values, a and b of different sizes)
! stops the program with a text. warpfold_mpi has the same across ranks.
module warpfold
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: exact_sum, exact_mean, exact_dot, exact_accumulator, accumulate, merge_into, rounded

  integer(c_int), parameter, public :: wf_f32 = 8, wf_f64 = 9  ! of wf_type in warpfold.h

  !> An exact sum of real(8) values that is not rounded yet: the bytes of docs/exact.md.
  type, bind(c) :: exact_accumulator
    integer(c_int8_t) :: bytes(292)
  end type

  !> The sum of all values, or of those where mask is true; +0 of none.
  interface exact_sum
    module procedure sum_r4_1, sum_r4_2, sum_r4_3, sum_r8_1, sum_r8_2, sum_r8_3
  end interface
  !> That sum divided by the number of values, rounded once.
  interface exact_mean
    module procedure mean_r4_1, mean_r4_2, mean_r4_3, mean_r8_1, mean_r8_2, mean_r8_3
  end interface
  !> The sum of the products a*b, rounded once.
  interface exact_dot
    module procedure dot_r4_1, dot_r4_2, dot_r4_3, dot_r8_1, dot_r8_2, dot_r8_3
  end interface

  interface
    integer(c_int) function c_exact_sum(where, type, values, n, total) bind(c, name='wf_exact_sum')
      import
      type(c_ptr), value :: where
      integer(c_int), value :: type
      type(*), intent(in) :: values(*)
      integer(c_size_t), value :: n
      type(*) :: total
    end function
    integer(c_int) function c_exact_mean(where, type, values, n, mean) bind(c, name='wf_exact_mean')
      import
      type(c_ptr), value :: where
      integer(c_int), value :: type
      type(*), intent(in) :: values(*)
      integer(c_size_t), value :: n
      type(*) :: mean
    end function
    integer(c_int) function c_exact_dot(where, type, a, b, n, total) bind(c, name='wf_exact_dot')
      import
      type(c_ptr), value :: where
      integer(c_int), value :: type
      type(*), intent(in) :: a(*), b(*)
      integer(c_size_t), value :: n
      type(*) :: total
    end function
    type(c_ptr) function c_error() bind(c, name='wf_error')
      import
    end function
    integer(c_int) function c_create(type, made) bind(c, name='wf_accumulator_create')
      import
      integer(c_int), value :: type
      type(c_ptr) :: made
    end function
    subroutine c_destroy(made) bind(c, name='wf_accumulator_destroy')
      import
      type(c_ptr), value :: made
    end subroutine
    integer(c_int) function c_add(sum, where, values, n) bind(c, name='wf_accumulator_add')
      import
      type(c_ptr), value :: sum, where
      type(*), intent(in) :: values(*)
      integer(c_size_t), value :: n
    end function
    integer(c_int) function c_merge(sum, other) bind(c, name='wf_accumulator_merge')
      import
      type(c_ptr), value :: sum, other
    end function
    integer(c_int) function c_round(sum, total) bind(c, name='wf_accumulator_round')
      import
      type(c_ptr), value :: sum
      real(c_double) :: total
    end function
    integer(c_int) function c_to_bytes(sum, bytes, size) bind(c, name='wf_accumulator_to_bytes')
      import
      type(c_ptr), value :: sum
      integer(c_int8_t) :: bytes(*)
      integer(c_size_t), value :: size
    end function
    integer(c_int) function c_from_bytes(sum, bytes, size) bind(c, name='wf_accumulator_from_bytes')
      import
      type(c_ptr), value :: sum
      integer(c_int8_t), intent(in) :: bytes(*)
      integer(c_size_t), value :: size
    end function
  end interface

  public :: stop_on_error, require_equal

contains

  !> For the library: stops with C's text unless the status is 0.
  subroutine stop_on_error(status, text)
    integer(c_int), intent(in) :: status
    type(c_ptr), intent(in) :: text
    character(kind=c_char), pointer :: letters(:)
    character(len=:), allocatable :: message
    integer :: i
    if (status == 0) return
    call c_f_pointer(text, letters, [1000])
    message = ''
    do i = 1, size(letters)
      if (letters(i) == c_null_char) exit
      message = message // letters(i)
    end do
    error stop 'warpfold: ' // message
  end subroutine

  !> For the library: stops unless both arrays of a dot product have as many values.
  subroutine require_equal(a, b)
    integer(c_size_t), intent(in) :: a, b
    if (a /= b) error stop 'warpfold: exact_dot of two arrays of different sizes; pass as many of both'
  end subroutine

  !> The sum of the values, not rounded yet.
  function accumulate(values, n) result(sum)
    real(c_double), intent(in) :: values(*)
    integer, intent(in) :: n
    type(exact_accumulator) :: sum
    type(c_ptr) :: made
    call stop_on_error(c_create(wf_f64, made), c_error())
    call stop_on_error(c_add(made, c_null_ptr, values, int(n, c_size_t)), c_error())
    call stop_on_error(c_to_bytes(made, sum%bytes, size(sum%bytes, kind=c_size_t)), c_error())
    call c_destroy(made)
  end function

  !> Adds the other sum.
  subroutine merge_into(sum, other)
    type(exact_accumulator), intent(inout) :: sum
    type(exact_accumulator), intent(in) :: other
    type(c_ptr) :: a, b
    a = restored(sum)
    b = restored(other)
    call stop_on_error(c_merge(a, b), c_error())
    call stop_on_error(c_to_bytes(a, sum%bytes, size(sum%bytes, kind=c_size_t)), c_error())
    call c_destroy(a)
    call c_destroy(b)
  end subroutine

  !> The sum, rounded once.
  function rounded(sum) result(total)
    type(exact_accumulator), intent(in) :: sum
    real(c_double) :: total
    type(c_ptr) :: made
    made = restored(sum)
    call stop_on_error(c_round(made, total), c_error())
    call c_destroy(made)
  end function

  function restored(sum) result(made)
    type(exact_accumulator), intent(in) :: sum
    type(c_ptr) :: made
    call stop_on_error(c_create(wf_f64, made), c_error())
    call stop_on_error(c_from_bytes(made, sum%bytes, size(sum%bytes, kind=c_size_t)), c_error())
  end function

#define SUM_CALL c_exact_sum
#define MEAN_CALL c_exact_mean
#define DOT_CALL c_exact_dot
#define PLACE c_null_ptr
#define ERROR_TEXT c_error
#include "calls.inc"

end module
