! The module warpfold: kinds, ranks, masks and strides, against sums that are known.
program test_warpfold
  use warpfold
  implicit none
  integer :: failures = 0, i
  real(4) :: a4(6), b4(2, 3), c4(1, 2, 3)
  real(8) :: a8(6), b8(2, 3), c8(1, 2, 3), long(100000)
  type(exact_accumulator) :: part, other
  a8 = [1d300, 1d0, 1d-300, -1d300, 2d0, 3d0]
  b8 = reshape(a8, [2, 3])
  c8 = reshape(a8, [1, 2, 3])
  a4 = [1e30, 1e0, 1e-30, -1e30, 2e0, 3e0]
  b4 = reshape(a4, [2, 3])
  c4 = reshape(a4, [1, 2, 3])
  call check(exact_sum(a8) == 6d0 .and. exact_sum(b8) == 6d0 .and. exact_sum(c8) == 6d0, 'sum, kind 8')
  call check(exact_sum(a4) == 6e0 .and. exact_sum(b4) == 6e0 .and. exact_sum(c4) == 6e0, 'sum, kind 4')
  call check(kind(exact_sum(a4)) == 4 .and. kind(exact_sum(a8)) == 8, 'kind of the result')
  call check(exact_mean(a8) == 1d0 .and. exact_mean(b4) == 1e0 .and. exact_mean(c8) == 1d0, 'mean')
  call check(exact_sum(a8, a8 > 0 .and. a8 < 2.5d0) == 3d0, 'mask')
  call check(exact_sum(b4, b4 > 2.5 .and. b4 < 4) == 3e0, 'mask of rank 2')
  call check(exact_sum(a8, .false. .and. a8 > 0) == 0d0, 'mask of none')
  call check(exact_mean(c4, abs(c4) < 10) == 1.5e0, 'mean of some')
  call check(exact_sum(a8(2:6:3)) == 3d0, 'every third value')
  call check(exact_sum(b8(2, :)) == 4d0 - 1d300, 'a row')
  call check(exact_sum(a8(1:0)) == 0d0, 'no values')
  call check(exact_dot(a8, a8(6:1:-1)) == 6d300, 'dot, where some cancel')
  call check(exact_dot(b4, b4, b4 < 2.5 .and. b4 > 0.5) == 5e0, 'dot of some')
  long = [(real(i, 8) * (-1d0)**i * 1d-3, i = 1, size(long))]
  call check(exact_sum(long) == exact_sum(long(size(long):1:-1)), 'any order')
  part = accumulate(long, 40000)
  other = accumulate(long(40001:), 60000)
  call merge_into(part, other)
  call check(rounded(part) == exact_sum(long), 'accumulators')
  if (failures > 0) error stop 1
contains
  subroutine check(right, what)
    logical, intent(in) :: right
    character(len=*), intent(in) :: what
    if (right) return
    print *, 'wrong: ', what
    failures = failures + 1
  end subroutine
end program
