// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/box.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/function_ref.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/krylov/options.hpp>
#include <hyperplane/line/block_tridiagonal.hpp>
#include <hyperplane/line/line_set.hpp>

#include <Kokkos_Macros.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "factor_problem.hpp"
#include "preconditioner_settings.hpp"

/// Seen from outside, for the library over ranks that is built with this one.
#define HYPERPLANE_FOR_RANKS __attribute__((visibility("default")))

/// The library behind interfaces without templates: backend, block size and storage are chosen at run time. It is
/// compiled once, for what HYPERPLANE_BLOCK_SIZES lists and every backend of Kokkos; the C interface is made on it.
/// Everything throws Error. Private to the compiled library.
namespace hyperplane::run_time {

enum class MemorySpace { host, device };
enum class BlockOrder { row_major, column_major };
enum class Method { richardson, bicgstab, fgmres, fgcrodr };

/// A grid with a number of unknowns at each point.
struct Shape {
  Grid grid;
  int block_size;

  std::int64_t rows() const { return grid.size() * block_size; }
  friend bool operator==(const Shape& a, const Shape& b) { return a.grid == b.grid && a.block_size == b.block_size; }
  /// "IxJxK x n"
  friend std::string to_string(const Shape& shape) {
    return to_string(shape.grid) + " x " + std::to_string(shape.block_size);
  }
};

struct LineSolverSettings {
  StorageKind storage = StorageKind::double_precision;  ///< of the factors, and of a matrix
  BlockTridiagonalOptions options = {};
  int columns = 1;  ///< right-hand sides
};

/// Compressed rows of square blocks, see hyperplane_csr.
struct Csr {
  std::int64_t rows;
  std::int64_t entries;
  int block_size;
  BlockOrder order;
  bool has_wide_indices;  ///< 64 bits instead of 32
  const void* row_offsets;
  const void* columns;
  const double* values;
  std::int64_t value_count;  ///< as the caller knows it, or -1
  int unknowns_per_point;    ///< n of the matrix, or 0, where the caller does not say
};

struct Array;

/// n unknowns per point: BlockVector, or of the grid blocks of a rank DistributedVector.
class Vector {
 public:
  virtual ~Vector() = default;
  /// Points that this process has.
  virtual std::int64_t points() const = 0;
  /// Their unknowns.
  virtual std::int64_t rows() const = 0;
  /// From and to rows() values, row = point * n + c. What is in host memory may be used again when it returns; device
  /// memory is read and written in the order of the context's stream.
  virtual void set(const double* values, MemorySpace space) = 0;
  virtual void get(double* values, MemorySpace space) const = 0;
  virtual void fill(double value) = 0;
  /// The box, from and to an array of n components where it begins at point `begin`; float or double.
  virtual void set_box(const Box& box, const Array& values, const Point& begin) = 0;
  virtual void get_box(const Box& box, const Array& values, const Point& begin) const = 0;
  /// Zero at masked points, whose value in the mask is zero; see set() for where that is.
  virtual void mask(const std::int8_t* points, MemorySpace space) = 0;
};

/// What may be of several processes, all of which take part in what it does.
class Collective {
 public:
  virtual ~Collective() = default;
  /// Calls look(), which looks at the arguments of a call. What it throws in one process, all throw.
  virtual void agree(detail::FunctionRef<> look) const { look(); }
};

/// Instead of a number of parts.
inline constexpr int parts_that_pay = -1;

/// Seven n x n blocks per point: BlockStencil7, or of the grid blocks of a rank DistributedStencil7.
class Matrix : public Collective {
 public:
  /// Points that this process has.
  virtual std::int64_t points() const = 0;
  /// Values of their blocks.
  virtual std::int64_t value_count() const = 0;
  /// From 7 n^2 values per point, (point, direction, r, c) with c fastest, or r for column_major; see Vector::set.
  virtual void set(const double* values, BlockOrder order, MemorySpace space) = 0;
  virtual void get(double* values, BlockOrder order, MemorySpace space) const = 0;
  /// From compressed rows, whose entries all are in the stencil or zero; else Error names the first that is not, and
  /// the matrix stays as it was. Waits.
  virtual void set(const Csr& csr, MemorySpace space) = 0;
  /// Throws Error where a box of blocks cannot be set from the array, or be written to it, as set_box() and get_box()
  /// do.
  virtual void check_box(const Box& box, const Array& blocks, const Point& begin) const = 0;
  /// The blocks in one direction of the points of a box, from and to an array of n^2 components; see Vector::set_box.
  virtual void set_box(const Box& box, Direction direction, const Array& blocks, const Point& begin,
                       BlockOrder order) = 0;
  virtual void get_box(const Box& box, Direction direction, const Array& blocks, const Point& begin,
                       BlockOrder order) const = 0;
  /// Leaves masked points out, see mask_points(); also where lines are periodic.
  virtual void mask(const std::int8_t* points, MemorySpace space) = 0;
  /// y = A x
  virtual void apply(const Vector& x, Vector& y) const = 0;
  /// r = b - A x
  virtual void residual(const Vector& b, const Vector& x, Vector& r) const = 0;
  /// A^T, which follows the values of A.
  virtual std::unique_ptr<Matrix> transpose() const = 0;
  /// A with memory for a copy in a narrower storage, which its products read from then on; see narrow().
  virtual std::unique_ptr<Matrix> narrowed(StorageKind storage) const = 0;
  /// Rounds A to its copy, which is of no use before, nor when Overflow says that a value does not fit. Waits.
  virtual void narrow() = 0;
  /// The parts of the grid that cut the least coupling, so many, or with parts_that_pay as many as pay: see
  /// hyperplane::choose_parts(). Waits.
  virtual std::array<int, 3> choose_parts(int count) const = 0;
};

/// A line of the table of preconditioners, or of the grid blocks of a rank one that they may have, or the identity.
class Preconditioner : public Collective {
 public:
  /// Points that this process has, and their unknowns.
  virtual std::int64_t points() const = 0;
  virtual std::int64_t rows() const = 0;
  virtual void factor(const Matrix& a) = 0;
  /// Of SIP, with a value for each point that is zero where it is masked.
  virtual void factor(const Matrix& a, const std::int8_t* mask, MemorySpace space) = 0;
  /// x = M^-1 rhs
  virtual void solve(const Vector& rhs, Vector& x) const = 0;
  /// x[v] = M^-1 rhs[v], of as many
  virtual void solve(std::span<const Vector* const> rhs, std::span<Vector* const> x) const = 0;
  /// The same for arrays, (column, row) with the row fastest, by way of vectors that the first call allocates.
  virtual void solve(int columns, const double* rhs, double* x, MemorySpace space) const = 0;
  /// M^T, which follows the factors of M.
  virtual std::unique_ptr<Preconditioner> transpose() const = 0;
  /// Why the factors of the last factor() are of no use, if they are not. Waits.
  virtual FactorProblem problem() const = 0;
  /// What factors are stored in. Throws Error where the first factor() is to choose it, and has not been called.
  virtual StorageKind storage() const = 0;
  /// Measures every solve from now on, and waits for it.
  virtual void measure() = 0;
  virtual const std::vector<double>& seconds() const = 0;
};

/// BlockTridiagonal, with a matrix and right-hand sides by point number; see Vector::set for arrays.
class LineSolver {
 public:
  virtual ~LineSolver() = default;
  virtual int block_size() const = 0;
  virtual int columns() const = 0;
  /// Points that arrays have.
  virtual std::int64_t points() const = 0;
  /// From 3 n^2 values per point, (point, block, r, c) with c fastest, or r for column_major.
  virtual void factor(const double* values, BlockOrder order, MemorySpace space) = 0;
  virtual void factor(const Matrix& a) = 0;
  /// Why the factors of the last factor() are of no use, if they are not. Waits.
  virtual FactorProblem problem() const = 0;
  /// x = M^-1 rhs, (column, point, c) with c fastest
  virtual void solve(const double* rhs, double* x, MemorySpace space) const = 0;
  virtual void solve(const Vector& rhs, Vector& x) const = 0;
  /// M^T, which follows the factors of M.
  virtual std::unique_ptr<LineSolver> transpose() const = 0;
};

/// BiCgStab, Fgmres, Fgcrodr or Richardson, whose vectors and matrices are those of one grid or of the grid blocks of a
/// rank.
class Krylov : public Collective {
 public:
  /// Of what it solves for.
  virtual std::unique_ptr<Vector> make_vector() const = 0;
  /// Solves A x = b from the x that is given.
  virtual KrylovResult solve(const Matrix& a, const Preconditioner& m, const Vector& b, Vector& x,
                             const KrylovLimits& limits) const = 0;
  /// The same for arrays, (column, row) with the row fastest: a result for each column. Not over ranks.
  virtual std::vector<KrylovResult> solve(const Matrix&, const Preconditioner&, int /*columns*/, const double* /*b*/,
                                          double* /*x*/, MemorySpace, const KrylovLimits&) const {
    throw Error("several right-hand sides are not for objects over ranks");
  }
  /// The next solve begins without the subspace that the ones before it left, if the method keeps one.
  virtual void forget() = 0;
};

/// The same of a method itself.
template <class Method>
void forget_subspace(Method& method) {
  if constexpr (requires { method.forget(); }) method.forget();
}

class Primitives;
class CsrSolvers;

/// An instance of an execution space, and what makes objects that work on it. Objects of one context alone may meet.
class Context {
 public:
  virtual ~Context() = default;
  virtual const char* backend() const = 0;
  /// The Instance of the execution space of the backend.
  virtual const void* instance() const = 0;
  /// Makes the context's device that of the calling thread.
  virtual void activate() const = 0;
  virtual int concurrency() const = 0;
  virtual void fence() const = 0;
  virtual const Primitives& primitives() const = 0;
  virtual const CsrSolvers& csr() const = 0;
  virtual std::unique_ptr<Vector> make_vector(const Shape& shape) const = 0;
  virtual std::unique_ptr<Matrix> make_matrix(const Shape& shape, StorageKind storage) const = 0;
  /// Of doubles that exist, those of a grid block among others. `values`: a Kokkos::View<double*> of the backend's
  /// memory, in the compact layout.
  virtual std::unique_ptr<Vector> wrap_vector(const Shape& shape, const void* values) const = 0;
  virtual std::unique_ptr<Matrix> wrap_matrix(const Shape& shape, const void* values) const = 0;
  virtual std::unique_ptr<Preconditioner> make_preconditioner(const Shape& shape,
                                                              const PreconditionerSettings& settings) const = 0;
  virtual std::unique_ptr<LineSolver> make_line_solver(const LineSet& lines, int n,
                                                       const LineSolverSettings& settings) const = 0;
  virtual std::unique_ptr<Krylov> make_krylov(const Shape& shape, Method method,
                                              const KrylovOptions& options) const = 0;
};

/// A context of a backend that choose_backend() returned. `stream`: a cudaStream_t for cuda, which has to outlive
/// everything that is made with it; null: one of the context's own. Other backends have none.
std::shared_ptr<const Context> make_context(const std::string& backend, void* stream = nullptr);
/// Whether the backend works in a process that was forked from the one that initialized Kokkos: threads and devices are
/// not there. Where Kokkos has CUDA none does, as it waits for the device before it frees any memory, the host's too.
inline bool outlives_fork([[maybe_unused]] const std::string& backend) {
#ifdef KOKKOS_ENABLE_CUDA
  return false;
#else
  return backend == "serial";
#endif
}

/// The block sizes that this library was compiled for, rising.
std::span<const int> block_sizes() noexcept;
/// Throws Error, which says who asked and names those that are there, where n is not among them.
void require_block_size(int n, const std::string& source);

}  // namespace hyperplane::run_time
