! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> A general matrix that tests of the Fortran module share.
module general_mesh
  use, intrinsic :: iso_c_binding, only: c_double, c_int
  implicit none
  private
  public :: make_mesh, times

  integer, parameter, public :: n = 2, points = 24, neighbours = 4, entries = points * neighbours
  integer(c_int), public :: offsets(points + 1), columns(entries)
  real(c_double), public :: blocks(n, n, entries)

contains

  !> Points with neighbours that no grid has, not the same to and fro.
  subroutine make_mesh()
    integer :: p, r
    call random_number(blocks)
    blocks = blocks - 0.5_c_double
    do p = 1, points
      offsets(p) = (p - 1) * neighbours + 1
      columns(offsets(p):offsets(p) + 3) = [modulo(p + 4, points) + 1, p, modulo(p, points) + 1, modulo(p - 9, points) + 1]
      do r = 1, n
        blocks(r, r, offsets(p) + 1) = 4
      end do
    end do
    offsets(points + 1) = entries + 1
  end subroutine make_mesh

  function times(x, transposed) result(y)
    real(c_double), intent(in) :: x(n, points)
    logical, intent(in) :: transposed
    real(c_double) :: y(n, points)
    integer :: p, e
    y = 0
    do p = 1, points
      do e = offsets(p), offsets(p + 1) - 1
        if (transposed) then
          y(:, columns(e)) = y(:, columns(e)) + matmul(transpose(blocks(:, :, e)), x(:, p))
        else
          y(:, p) = y(:, p) + matmul(blocks(:, :, e), x(:, columns(e)))
        end if
      end do
    end do
  end function times

end module general_mesh
