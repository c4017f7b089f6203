! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> What tests of the Fortran module share: they count what is wrong, and print a line for each.
module expectations
  use, intrinsic :: iso_c_binding, only: c_int
  use, intrinsic :: iso_fortran_env, only: error_unit
  use :: hyperplane, only: hyperplane_error_message
  implicit none
  private
  public :: expect, expect_refused, first_of

  integer, protected, public :: failures = 0

contains

  subroutine expect(ok, what)
    logical, intent(in) :: ok
    character(len=*), intent(in) :: what
    if (ok) return
    failures = failures + 1
    write (error_unit, '(4a)') 'wrong: ', what, ': ', hyperplane_error_message()
  end subroutine expect

  subroutine expect_refused(status, expected, message)
    integer, intent(in) :: status
    integer(c_int), intent(in) :: expected
    character(len=*), intent(in) :: message
    character(len=:), allocatable :: said
    said = hyperplane_error_message()
    call expect(status == expected .and. index(said, message) > 0, message)
  end subroutine expect_refused

  !> Of names with commas between them.
  function first_of(list) result(name)
    character(len=*), intent(in) :: list
    character(len=:), allocatable :: name
    name = list
    if (index(list, ',') > 0) name = list(:index(list, ',') - 1)
  end function first_of

end module expectations
