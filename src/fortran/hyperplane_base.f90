! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> What all parts of the module hyperplane have in common: statuses, the library, objects and contexts.
module hyperplane_base
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_pointer, c_int, c_null_char, c_null_ptr, c_ptr
  use :: hyperplane_c_functions
  implicit none
  private

  public :: hyperplane_initialize, hyperplane_finalize, hyperplane_is_initialized, hyperplane_version, &
            hyperplane_backends, hyperplane_has_block_size, hyperplane_error_message, hyperplane_take_error
  !> For the other parts.
  public :: report, take, to_text

  integer(c_int), parameter, public :: HYPERPLANE_SUCCESS = 0, HYPERPLANE_NOT_INITIALIZED = 1, &
                                       HYPERPLANE_NULL_POINTER = 2, HYPERPLANE_INVALID_HANDLE = 3, &
                                       HYPERPLANE_INVALID_ARGUMENT = 4, HYPERPLANE_SIZE_MISMATCH = 5, &
                                       HYPERPLANE_NOT_AVAILABLE = 6, HYPERPLANE_SINGULAR_PIVOT = 7, &
                                       HYPERPLANE_OUT_OF_MEMORY = 8, HYPERPLANE_INTERNAL_ERROR = 9, &
                                       HYPERPLANE_NOT_FINITE = 10, HYPERPLANE_OVERFLOW = 11
  !> Positions in the third dimension of matrix values, and of coefficients of a stencil; faces of a box. From 1.
  integer, parameter, public :: HYPERPLANE_BOTTOM = 1, HYPERPLANE_SOUTH = 2, HYPERPLANE_WEST = 3, &
                                HYPERPLANE_CENTER = 4, HYPERPLANE_EAST = 5, HYPERPLANE_NORTH = 6, HYPERPLANE_TOP = 7
  integer(c_int), parameter, public :: HYPERPLANE_STORAGE_DOUBLE = 0, HYPERPLANE_STORAGE_FLOAT = 1, &
                                       HYPERPLANE_STORAGE_HALF = 2, HYPERPLANE_STORAGE_BFLOAT16 = 3, &
                                       HYPERPLANE_STORAGE_QUARTER = 4, HYPERPLANE_STORAGE_AUTOMATIC = 5
  integer(c_int), parameter, public :: HYPERPLANE_PATH_AUTOMATIC = 0, HYPERPLANE_PATH_PORTABLE = 1, &
                                       HYPERPLANE_PATH_SLAB = 2, HYPERPLANE_PATH_CUDA_GRAPH = 3, &
                                       HYPERPLANE_PATH_STAGED = 7
  !> What is coupled where a preconditioner cuts the grid into parts.
  integer(c_int), parameter, public :: HYPERPLANE_COUPLING_NONE = 0, HYPERPLANE_COUPLING_COLOURED = 1, &
                                       HYPERPLANE_COUPLING_NATURAL = 2
  !> In which order preconditioners of general matrices take the rows.
  integer(c_int), parameter, public :: HYPERPLANE_ORDER_NATURAL = 0, HYPERPLANE_ORDER_RCM = 1, &
                                       HYPERPLANE_ORDER_COLOURS = 2, HYPERPLANE_ORDER_GIVEN = 3, &
                                       HYPERPLANE_ORDER_LINES = 4
  !> Directions of lines.
  integer(c_int), parameter, public :: HYPERPLANE_I = 0, HYPERPLANE_J = 1, HYPERPLANE_K = 2

  integer(c_int), parameter, public :: in_host = 0, in_device = 1, column_major = 1

  !> Any object. A variable refers to it: after y = x both are one object, which goes with the last of them. free(stat)
  !> makes a variable refer to nothing. The handle is that of the C interface, for what is called there.
  type, public :: hyperplane_object
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: free => object_free
    procedure, private :: assign => object_assign
    generic :: assignment(=) => assign
    final :: object_final
  end type hyperplane_object

  !> Where and in which order work is done. create(backend, stream, stat); fence(stat); backend(); concurrency().
  type, extends(hyperplane_object), public :: hyperplane_context
  contains
    procedure :: create => context_create
    procedure :: fence => context_fence
    procedure :: backend => context_backend
    procedure :: concurrency => context_concurrency
  end type hyperplane_context

contains

  !> Makes the library ready, and Kokkos with it unless the program has.
  subroutine hyperplane_initialize(stat)
    integer, intent(out), optional :: stat
    call report(c_initialize(), stat)
  end subroutine hyperplane_initialize

  !> Frees what is left. Objects that live on (those of the main program) must not be used any more.
  subroutine hyperplane_finalize(stat)
    integer, intent(out), optional :: stat
    call report(c_finalize(), stat)
  end subroutine hyperplane_finalize

  function hyperplane_is_initialized() result(is)
    logical :: is
    is = c_is_initialized() /= 0
  end function hyperplane_is_initialized

  function hyperplane_version() result(text)
    character(len=:), allocatable :: text
    text = to_text(c_version())
  end function hyperplane_version

  !> The backends of the library, the default last: "serial, openmp".
  function hyperplane_backends() result(text)
    character(len=:), allocatable :: text
    text = to_text(c_backends())
  end function hyperplane_backends

  function hyperplane_has_block_size(n) result(has)
    integer, intent(in) :: n
    logical :: has
    has = c_has_block_size(int(n, c_int)) /= 0
  end function hyperplane_has_block_size

  !> What the last call of this thread that failed had to say.
  function hyperplane_error_message() result(text)
    character(len=:), allocatable :: text
    text = to_text(c_last_error_message())
  end function hyperplane_error_message

  !> The first error of a call without stat in this thread since the last time that this was called there;
  !> HYPERPLANE_SUCCESS if there is none.
  subroutine hyperplane_take_error(stat, message)
    integer, intent(out) :: stat
    character(len=:), allocatable, intent(out), optional :: message
    type(c_ptr) :: text
    stat = c_take_error(text)
    if (present(message)) message = to_text(text)
  end subroutine hyperplane_take_error

  subroutine report(status, stat)
    integer(c_int), intent(in) :: status
    integer, intent(out), optional :: stat
    if (present(stat)) then
      stat = status
    else if (status /= HYPERPLANE_SUCCESS) then
      call c_keep_error(status)
    end if
  end subroutine report

  function to_text(pointer) result(text)
    type(c_ptr), intent(in) :: pointer
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: characters(:)
    integer :: i
    call c_f_pointer(pointer, characters, [c_strlen(pointer)])
    allocate (character(len=size(characters)) :: text)
    do i = 1, size(characters)
      text(i:i) = characters(i)
    end do
  end function to_text

  subroutine object_free(this, stat)
    class(hyperplane_object), intent(inout) :: this
    integer, intent(out), optional :: stat
    call report(c_free(this%handle), stat)
    this%handle = c_null_ptr
  end subroutine object_free

  !> to refers to what from refers to.
  impure elemental subroutine object_assign(to, from)
    class(hyperplane_object), intent(inout) :: to
    class(hyperplane_object), intent(in) :: from
    type(c_ptr) :: before
    integer(c_int) :: ignored
    before = to%handle
    if (c_associated(from%handle)) ignored = c_retain(from%handle)
    to%handle = from%handle
    if (c_associated(before)) ignored = c_free(before)
  end subroutine object_assign

  !> An object that is gone with the library is no error here.
  impure elemental subroutine object_final(this)
    type(hyperplane_object), intent(inout) :: this
    integer(c_int) :: ignored
    if (c_associated(this%handle)) ignored = c_free(this%handle)
    this%handle = c_null_ptr
  end subroutine object_final

  !> What create() has made takes the place of what was there, also where it has made nothing: `made` counts only where C
  !> says that it has succeeded.
  subroutine take(this, made, status, stat)
    class(hyperplane_object), intent(inout) :: this
    type(c_ptr), intent(in) :: made
    integer(c_int), intent(in) :: status
    integer, intent(out), optional :: stat
    integer(c_int) :: ignored
    if (c_associated(this%handle)) ignored = c_free(this%handle)
    this%handle = c_null_ptr
    if (status == HYPERPLANE_SUCCESS) this%handle = made
    call report(status, stat)
  end subroutine take

  !> Where create() is to run: backend is a name, or empty; stream is a cudaStream_t.
  subroutine context_create(this, backend, stream, stat)
    class(hyperplane_context), intent(inout) :: this
    character(len=*), intent(in), optional :: backend
    type(c_ptr), intent(in), optional :: stream
    integer, intent(out), optional :: stat
    character(len=:), allocatable :: name
    type(c_ptr) :: made, in_order
    integer(c_int) :: status
    name = ''
    if (present(backend)) name = trim(backend)
    in_order = c_null_ptr
    if (present(stream)) in_order = stream
    status = c_context_create(to_c(name), in_order, made)
    call take(this, made, status, stat)
  end subroutine context_create

  function to_c(text) result(characters)
    character(len=*), intent(in) :: text
    character(kind=c_char) :: characters(len(text) + 1)
    integer :: i
    do i = 1, len(text)
      characters(i) = text(i:i)
    end do
    characters(len(text) + 1) = c_null_char
  end function to_c

  subroutine context_fence(this, stat)
    class(hyperplane_context), intent(in) :: this
    integer, intent(out), optional :: stat
    call report(c_context_fence(this%handle), stat)
  end subroutine context_fence

  !> Empty where there is none.
  function context_backend(this) result(name)
    class(hyperplane_context), intent(in) :: this
    character(len=:), allocatable :: name
    type(c_ptr) :: text
    name = ''
    if (c_context_backend(this%handle, text) == HYPERPLANE_SUCCESS) name = to_text(text)
  end function context_backend

  !> Threads; 0 where there is no context.
  function context_concurrency(this) result(threads)
    class(hyperplane_context), intent(in) :: this
    integer :: threads
    integer(c_int) :: found
    threads = 0
    if (c_context_concurrency(this%handle, found) == HYPERPLANE_SUCCESS) threads = found
  end function context_concurrency

end module hyperplane_base
