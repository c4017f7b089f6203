! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> Timers of all kernels, of the module hyperplane.
module hyperplane_timers
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_loc, c_null_ptr, c_size_t
  use :: hyperplane_base
  use :: hyperplane_c_primitives
  implicit none
  private

  public :: hyperplane_timers_start, hyperplane_timers_stop, hyperplane_timers_reset, hyperplane_timers_table, &
            hyperplane_timers_json

  integer(c_int), parameter :: as_table = 0, as_json = 1

contains

  !> From here on kernels are timed, and wait for one another.
  subroutine hyperplane_timers_start(stat)
    integer, intent(out), optional :: stat
    call report(c_timers_start(), stat)
  end subroutine hyperplane_timers_start

  !> No more.
  subroutine hyperplane_timers_stop(stat)
    integer, intent(out), optional :: stat
    call report(c_timers_stop(), stat)
  end subroutine hyperplane_timers_stop

  !> Forgets what was measured.
  subroutine hyperplane_timers_reset(stat)
    integer, intent(out), optional :: stat
    call report(c_timers_reset(), stat)
  end subroutine hyperplane_timers_reset

  !> For people: a line for each kernel.
  function hyperplane_timers_table() result(text)
    character(len=:), allocatable :: text
    text = written(as_table)
  end function hyperplane_timers_table

  function hyperplane_timers_json() result(text)
    character(len=:), allocatable :: text
    text = written(as_json)
  end function hyperplane_timers_json

  function written(style) result(text)
    integer(c_int), intent(in) :: style
    character(len=:), allocatable :: text
    character(kind=c_char), allocatable, target :: buffer(:)
    integer(c_size_t) :: length
    integer :: i
    text = ''
    if (c_timers_report(style, c_null_ptr, 0_c_size_t, length) /= HYPERPLANE_SUCCESS) return
    allocate (buffer(length + 1))
    if (c_timers_report(style, c_loc(buffer), size(buffer, kind=c_size_t), length) /= HYPERPLANE_SUCCESS) return
    text = repeat(' ', int(min(length, size(buffer, kind=c_size_t) - 1)))
    do i = 1, len(text)
      text(i:i) = buffer(i)
    end do
  end function written

end module hyperplane_timers
