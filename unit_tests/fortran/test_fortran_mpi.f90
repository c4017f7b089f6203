! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> Grid blocks over two ranks from Fortran.
program test_fortran_mpi
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t
  use :: expectations, only: expect, expect_refused, failures
  use :: hyperplane
  use :: hyperplane_mpi
  use :: mpi_f08
  implicit none

  integer, parameter :: n = 2
  type(hyperplane_grid), parameter :: half = hyperplane_grid(4, 3, 5)
  integer, parameter :: points = 60
  integer :: all_failures, rank

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call hyperplane_initialize()
  call check_system()
  call check_cut()
  call check_errors()
  call check_empty_grid()
  call hyperplane_finalize()
  call MPI_Allreduce(failures, all_failures, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Finalize()
  if (all_failures > 0) error stop 1

contains

  ! gfortran leaves out calls behind .and.
  subroutine expect_owners(grid, first, second)
    type(hyperplane_mpi_grid), intent(in) :: grid
    integer, intent(in) :: first, second
    integer :: owners(2)
    owners = [grid%owner(1), grid%owner(2)]
    call expect(all(owners == [first, second]), 'owners')
  end subroutine expect_owners

  !> Two grid blocks that meet along i, with their axes i and j exchanged.
  subroutine check_system()
    type(hyperplane_context) :: context
    type(hyperplane_mpi_grid) :: grid
    type(hyperplane_matrix) :: a, at, block_a
    type(hyperplane_vector) :: b, x, part
    type(hyperplane_preconditioner) :: m, mt
    type(hyperplane_krylov) :: krylov
    type(hyperplane_result) :: result
    type(hyperplane_interface) :: interfaces(1)
    integer, allocatable :: own(:)
    real(c_double), allocatable :: values(:, :, :, :), rows(:)
    integer(c_int) :: couplings(2)
    integer :: c, stat
    call context%create()
    interfaces(1) = hyperplane_interface(block=1, donor=2, face=HYPERPLANE_EAST, first=[4, 1, 1], last=[4, 3, 5], &
                                         donor_first=[1, 1, 1], transform=[2, 1, 3])
    call grid%create(context, MPI_COMM_WORLD%MPI_VAL, [half, hyperplane_grid(3, 4, 5)], interfaces, owners=[1, 0], &
                     stat=stat)
    call expect(stat == HYPERPLANE_SUCCESS, 'a grid')
    call grid%own_blocks(own)
    call expect(size(own) == 1, 'one grid block for each rank')
    call expect(own(1) == 2 - rank, 'which one')
    call expect_owners(grid, 1, 0)
    associate (there => grid%block_size(2))
      call expect(there%ni == 3 .and. there%nj == 4 .and. there%nk == 5, 'points')
    end associate

    call grid%make_matrix(n, a)
    call grid%make_vector(n, b)
    call grid%make_vector(n, x)
    allocate (values(n, n, 7, points), rows(n * points))
    values = 0
    do c = 1, n
      values(c, c, :, :) = -1
      values(c, c, HYPERPLANE_CENTER, :) = 7.5_c_double
      values(c, c, HYPERPLANE_WEST, :) = -2
    end do
    call a%set(values)
    rows = [(sin(real(c + 100 * rank, c_double)), c=1, size(rows))]
    call x%set(rows)
    ! b = A x; a solve then finds x again.
    call a%apply(x, b)
    couplings = [HYPERPLANE_COUPLING_NONE, HYPERPLANE_COUPLING_COLOURED]
    do c = 1, 2
      call grid%make_preconditioner(n, m, coupling=couplings(c))
      call m%factor(a)
      call m%check(stat)
      call expect(stat == HYPERPLANE_SUCCESS, 'factors')
      call grid%make_krylov(n, krylov, method=HYPERPLANE_BICGSTAB, tolerance=1e-12_c_double)
      call x%fill(0.0_c_double)
      call krylov%solve(a, b, x, result, m, stat)
      call expect(stat == HYPERPLANE_SUCCESS .and. result%outcome == HYPERPLANE_CONVERGED, 'a solve')
      call x%get(values(:, 1, 1, :))
      call expect(maxval(abs(reshape(values(:, 1, 1, :), [n * points]) - rows)) < 1e-9_c_double, 'the solution')
    end do

    ! With A^T and M^T.
    call at%create_transpose(a)
    call mt%create_transpose(m)
    call at%apply(x, b)
    call x%fill(0.0_c_double)
    call krylov%solve(at, b, x, result, mt, stat)
    call expect(stat == HYPERPLANE_SUCCESS .and. result%outcome == HYPERPLANE_CONVERGED, 'an adjoint solve')
    call x%get(values(:, 1, 1, :))
    call expect(maxval(abs(reshape(values(:, 1, 1, :), [n * points]) - rows)) < 1e-8_c_double, 'the adjoint solution')

    ! A grid block by itself.
    call hyperplane_get_block(x, own(1), part)
    call part%fill(3.0_c_double)
    call x%get(values(:, 1, 1, :))
    call expect(all(values(:, 1, 1, :) == 3.0_c_double), 'the values of a grid block')
    call hyperplane_get_block(a, own(1), block_a)
    values = 0
    call block_a%get(values)
    call expect(all(values(1, 1, HYPERPLANE_CENTER, :) == 7.5_c_double), 'the blocks of a grid block')
    call hyperplane_get_block(x, 3 - own(1), part, stat)
    call expect(stat == HYPERPLANE_INVALID_ARGUMENT, 'a grid block of the other rank')
  end subroutine check_system

  subroutine check_cut()
    type(hyperplane_context) :: context
    type(hyperplane_mpi_grid) :: grid
    integer :: first(3), stat
    call context%create()
    call grid%cut(context, MPI_COMM_WORLD%MPI_VAL, hyperplane_grid(4, 7, 5), [1, 2, 2])
    call expect(all(grid%block_first(4) == [1, 4, 3]), 'the first point of a part')
    first = grid%block_first(5, stat)
    call expect(all(first == 0) .and. stat == HYPERPLANE_INVALID_ARGUMENT, 'a part too many')
    call check_natural(grid)
    call grid%cut(context, MPI_COMM_WORLD%MPI_VAL, hyperplane_grid(4, 7, 5), [1, 2, 1], periodic=[.true., .true., .false.])
    call check_natural(grid)
    call check_ends(grid)
    call grid%cut(context, MPI_COMM_WORLD%MPI_VAL, hyperplane_grid(4, 7, 5), [1, 2, 1], owners=[1, 1])
    call check_natural(grid)
    call hyperplane_choose_parts(hyperplane_grid(4, 70, 5), 2, first)
    call expect(all(first == [1, 2, 1]), 'a cut by shape')
    call expect_owners(grid, 1, 1)
  end subroutine check_cut

  !> Of ones, a product with the couplings of i and j is 4 where both directions are periodic.
  subroutine check_ends(grid)
    type(hyperplane_mpi_grid), intent(in) :: grid
    type(hyperplane_matrix) :: a
    type(hyperplane_vector) :: x, y
    ! Rank 0 has three of the seven points along j.
    real(c_double) :: values(7, 20 * (3 + rank)), found(20 * (3 + rank))
    values = 0
    values([HYPERPLANE_WEST, HYPERPLANE_EAST, HYPERPLANE_SOUTH, HYPERPLANE_NORTH], :) = 1
    call grid%make_matrix(1, a)
    call grid%make_vector(1, x)
    call grid%make_vector(1, y)
    call a%set(values)
    call x%fill(1.0_c_double)
    call a%apply(x, y)
    call y%get(found)
    call expect(all(found == 4.0_c_double), 'ends of periodic directions')
  end subroutine check_ends

  !> A solve in the order of the whole grid; a rank may have nothing to do.
  subroutine check_natural(grid)
    type(hyperplane_mpi_grid), intent(in) :: grid
    type(hyperplane_matrix) :: a
    type(hyperplane_vector) :: b, x
    type(hyperplane_preconditioner) :: m
    type(hyperplane_krylov) :: krylov
    type(hyperplane_result) :: result
    type(hyperplane_grid) :: size_of_part
    real(c_double), allocatable :: values(:, :), found(:)
    integer, allocatable :: own(:)
    integer(c_int) :: storage
    integer :: b_number, points, stat
    call grid%own_blocks(own)
    points = 0
    do b_number = 1, size(own)
      size_of_part = grid%block_size(own(b_number))
      points = points + size_of_part%ni * size_of_part%nj * size_of_part%nk
    end do
    allocate (values(7, points), found(points))
    values = -1
    values(HYPERPLANE_CENTER, :) = 6.5_c_double
    call grid%make_matrix(1, a)
    call grid%make_vector(1, b)
    call grid%make_vector(1, x)
    call a%set(values)
    call x%fill(2.0_c_double)
    call a%apply(x, b)
    call x%fill(0.0_c_double)
    call grid%make_preconditioner(1, m, coupling=HYPERPLANE_COUPLING_NATURAL)
    call m%factor(a)
    call grid%make_krylov(1, krylov, method=HYPERPLANE_FGMRES, tolerance=1e-12_c_double)
    call krylov%solve(a, b, x, result, m, stat)
    call expect(stat == HYPERPLANE_SUCCESS .and. result%outcome == HYPERPLANE_CONVERGED, 'a solve in natural order')
    call x%get(found)
    call expect(all(abs(found - 2) < 1e-9_c_double), 'its solution')
    call grid%make_preconditioner(1, m, kind=HYPERPLANE_SIP, coupling=HYPERPLANE_COUPLING_COLOURED, alpha=0.5_c_double)
    call expect_solution('SIP', a, b, x, m, krylov, points)
    call grid%make_preconditioner(1, m, kind=HYPERPLANE_SSOR, coupling=HYPERPLANE_COUPLING_NATURAL, relaxation=1.2_c_double)
    call expect_solution('SSOR', a, b, x, m, krylov, points)
    call grid%make_preconditioner(1, m, kind=HYPERPLANE_JACOBI)
    call expect_solution('block Jacobi', a, b, x, m, krylov, points)
    call grid%make_preconditioner(1, m, kind=HYPERPLANE_LINES, relaxation=0.9_c_double, &
                                  line_directions=[HYPERPLANE_J, HYPERPLANE_K], line_sweeps=2)
    call expect_solution('lines', a, b, x, m, krylov, points)
    call grid%make_preconditioner(1, m, folded=[.true., .false., .true.])
    call expect_solution('folded directions', a, b, x, m, krylov, points)
    call grid%make_preconditioner(1, m, coupling=HYPERPLANE_COUPLING_NATURAL, storage=HYPERPLANE_STORAGE_BFLOAT16)
    call expect_solution('factors of 16 bits', a, b, x, m, krylov, points)
    call grid%make_preconditioner(1, m, storage=HYPERPLANE_STORAGE_AUTOMATIC, storage_fraction=1e-5_c_double)
    call expect_solution('storage that is chosen', a, b, x, m, krylov, points)
    call m%get_storage(storage)
    call expect(storage == HYPERPLANE_STORAGE_FLOAT, 'which is float')
  end subroutine check_natural

  !> That x, from 0, is 2 everywhere.
  subroutine expect_solution(what, a, b, x, m, krylov, points)
    character(len=*), intent(in) :: what
    type(hyperplane_matrix), intent(in) :: a
    type(hyperplane_vector), intent(in) :: b
    type(hyperplane_vector), intent(inout) :: x
    type(hyperplane_preconditioner), intent(inout) :: m
    type(hyperplane_krylov), intent(in) :: krylov
    integer, intent(in) :: points
    type(hyperplane_result) :: result
    real(c_double) :: found(points)
    call m%factor(a)
    call x%fill(0.0_c_double)
    call krylov%solve(a, b, x, result, m)
    call x%get(found)
    call expect(result%outcome == HYPERPLANE_CONVERGED .and. all(abs(found - 2) < 1e-9_c_double), what)
  end subroutine expect_solution

  subroutine check_errors()
    type(hyperplane_context) :: context
    type(hyperplane_mpi_grid) :: grid
    type(hyperplane_matrix) :: a
    type(hyperplane_preconditioner) :: m
    type(hyperplane_interface) :: no_interfaces(0)
    integer :: no_owners(0), stat
    call context%create()
    call grid%cut(context, MPI_COMM_WORLD%MPI_VAL, hyperplane_grid(4, 7, 5), [5, 1, 1], stat=stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, '5 parts of 4')
    call grid%cut(context, MPI_COMM_WORLD%MPI_VAL, hyperplane_grid(4, 7, 5), [1, 2, 1], owners=[0], stat=stat)
    call expect_refused(stat, HYPERPLANE_SIZE_MISMATCH, 'grid_cut_f: rank 0: the number of owners is 1, expected 2')
    call grid%create(context, MPI_COMM_WORLD%MPI_VAL, [half], no_interfaces, owners=[0, 1, 1], stat=stat)
    call expect_refused(stat, HYPERPLANE_SIZE_MISMATCH, 'grid_create_f: rank 0: the number of owners is 3, expected 1')
    call grid%create(context, MPI_COMM_WORLD%MPI_VAL, [half], no_interfaces, owners=no_owners, stat=stat)
    call expect_refused(stat, HYPERPLANE_SIZE_MISMATCH, 'the number of owners is 0')
    call grid%cut(context, MPI_COMM_WORLD%MPI_VAL, hyperplane_grid(4, 7, 5), [1, 2, 1])
    call grid%make_matrix(1, a)
    call grid%make_preconditioner(1, m, coupling=HYPERPLANE_COUPLING_NATURAL)
    call m%factor(a)
    call m%check(stat)
    call expect(stat == HYPERPLANE_SINGULAR_PIVOT, 'a matrix of zeros')
    call grid%make_preconditioner(1, m, kind=HYPERPLANE_LINES, line_directions=[HYPERPLANE_K])
    call m%factor(a)
    call m%check(stat)
    call expect(stat == HYPERPLANE_SINGULAR_PIVOT, 'lines of zeros')
    call grid%make_preconditioner(1, m, kind=HYPERPLANE_LINES, line_directions=[integer(c_int) ::], stat=stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, 'line_direction_count is 0, expected 1 to 3')
    call grid%make_preconditioner(1, m, kind=HYPERPLANE_LINES, line_sweeps=0, stat=stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, 'sweeps is 0, expected 1 or more')
    call grid%make_preconditioner(1, m, kind=HYPERPLANE_LINES, coupling=HYPERPLANE_COUPLING_COLOURED, stat=stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, 'lines has no coupling coloured')
    call grid%make_preconditioner(1, m, coupling=HYPERPLANE_COUPLING_NATURAL, folded=[.true., .false., .false.], stat=stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, 'folded directions have no coupling natural')
    call grid%make_preconditioner(1, m, kind=6_c_int, stat=stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, 'kind is 6, expected 0 to 5')
    call grid%make_preconditioner(1, m, kind=HYPERPLANE_SIP, coupling=HYPERPLANE_COUPLING_NATURAL, stat=stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, 'sip has no coupling natural')
    call grid%make_preconditioner(1, m, coupling=HYPERPLANE_COUPLING_NATURAL, storage=HYPERPLANE_STORAGE_HALF, stat=stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, 'bilu0 has no coupling natural with storage half')
    call grid%make_preconditioner(1, m, kind=HYPERPLANE_LINES, storage=HYPERPLANE_STORAGE_FLOAT, stat=stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, "storage is 'float', which lines has not over ranks")
  end subroutine check_errors

  !> What a grid that was never made cannot make is no object, least of all one of another variable.
  subroutine check_empty_grid()
    type(hyperplane_context) :: context
    type(hyperplane_mpi_grid) :: grid, empty
    type(hyperplane_vector) :: good, none
    type(hyperplane_matrix) :: good_a, no_a
    integer :: stat
    call context%create()
    call grid%cut(context, MPI_COMM_WORLD%MPI_VAL, hyperplane_grid(4, 7, 5), [1, 2, 1])
    call grid%make_vector(1, good)
    call empty%make_vector(1, none, stat)
    call expect(stat == HYPERPLANE_NULL_POINTER, 'a vector on an empty grid')
    call none%free()
    call good%fill(1.0_c_double, stat)
    call expect(stat == HYPERPLANE_SUCCESS, 'the vector before it lives on')
    call grid%make_matrix(1, good_a)
    call empty%make_matrix(1, no_a, stat)
    call expect(stat == HYPERPLANE_NULL_POINTER, 'a matrix on an empty grid')
    call no_a%free()
    call good_a%apply(good, good, stat)
    call expect_refused(stat, HYPERPLANE_INVALID_ARGUMENT, 'the result must not be x')
  end subroutine check_empty_grid

end program test_fortran_mpi
