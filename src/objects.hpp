// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/path.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/krylov/options.hpp>
#include <hyperplane/line/block_tridiagonal.hpp>
#include <hyperplane/line/line_set.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

/// The library behind interfaces without templates: backend, block size and storage are chosen at run time. It is
/// compiled once, for what HYPERPLANE_BLOCK_SIZES lists and every backend of Kokkos; the C interface and the command
/// line are both made on it. Everything throws Error. Private to the project: no header of it is installed.
namespace hyperplane::run_time {

/// What leaves a shared library.
#define HYPERPLANE_EXPORT __attribute__((visibility("default")))

enum class MemorySpace { host, device };
enum class BlockOrder { row_major, column_major };
enum class StorageKind { double_precision, single_precision };
enum class Method { richardson, bicgstab, fgmres };
enum class PreconditionerKind { none, jacobi, ssor, sip, lines, bilu0 };

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

struct PreconditionerSettings {
  PreconditionerKind kind = PreconditionerKind::bilu0;
  StorageKind storage = StorageKind::double_precision;  ///< that of the matrix
  double relaxation = 1.0;                              ///< of SSOR and lines
  double alpha = 0.9;                                   ///< of SIP
  std::vector<int> line_directions = {0};               ///< 0, 1, 2: i, j, k; they take turns
  int line_sweeps = 1;
  Path path = Path::automatic;  ///< of BILU(0), SIP and SSOR
};

struct LineSolverSettings {
  StorageKind storage = StorageKind::double_precision;  ///< of the factors, and of a matrix
  BlockTridiagonalOptions options = {};
  int columns = 1;  ///< right-hand sides
};

/// n unknowns a point: BlockVector.
class Vector {
 public:
  virtual ~Vector() = default;
  virtual const Shape& shape() const = 0;
  /// From and to rows() values, row = point * n + c. What is in host memory may be used again when it returns; device
  /// memory is read and written in the order of the context's stream.
  virtual void set(const double* values, MemorySpace space) = 0;
  virtual void get(double* values, MemorySpace space) const = 0;
  virtual void fill(double value) = 0;
};

/// Seven n x n blocks a point: BlockStencil7.
class Matrix {
 public:
  virtual ~Matrix() = default;
  virtual const Shape& shape() const = 0;
  virtual StorageKind storage() const = 0;
  /// From 7 n^2 values a point, (point, direction, r, c) with c fastest, or r for column_major; see Vector::set.
  virtual void set(const double* values, BlockOrder order, MemorySpace space) = 0;
  virtual void get(double* values, BlockOrder order, MemorySpace space) const = 0;
  /// y = A x
  virtual void apply(const Vector& x, Vector& y) const = 0;
  /// r = b - A x
  virtual void residual(const Vector& b, const Vector& x, Vector& r) const = 0;
};

class Preconditioner {
 public:
  virtual ~Preconditioner() = default;
  virtual const Shape& shape() const = 0;
  virtual void factor(const Matrix& a) = 0;
  /// x = M^-1 rhs
  virtual void solve(const Vector& rhs, Vector& x) const = 0;
  /// Where the last factor() met a singular pivot; empty where it met none. Waits.
  virtual std::string singular_pivot() const = 0;
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
  /// From 3 n^2 values a point, (point, block, r, c) with c fastest, or r for column_major.
  virtual void factor(const double* values, BlockOrder order, MemorySpace space) = 0;
  virtual void factor(const Matrix& a) = 0;
  /// Where the last factor() met a singular pivot; empty where it met none. Waits.
  virtual std::string singular_pivot() const = 0;
  /// x = M^-1 rhs, (column, point, c) with c fastest
  virtual void solve(const double* rhs, double* x, MemorySpace space) const = 0;
  virtual void solve(const Vector& rhs, Vector& x) const = 0;
};

class Krylov {
 public:
  virtual ~Krylov() = default;
  virtual const Shape& shape() const = 0;
  /// Solves A x = b from the x that is given.
  virtual KrylovResult solve(const Matrix& a, const Preconditioner& m, const Vector& b, Vector& x) const = 0;
};

class Primitives;

/// An instance of an execution space, and what makes objects that work on it. Objects of one context alone may meet.
class Context {
 public:
  virtual ~Context() = default;
  virtual const char* backend() const = 0;
  /// Makes the context's device that of the calling thread.
  virtual void activate() const = 0;
  virtual int concurrency() const = 0;
  virtual void fence() const = 0;
  virtual const Primitives& primitives() const = 0;
  virtual std::unique_ptr<Vector> make_vector(const Shape& shape) const = 0;
  virtual std::unique_ptr<Matrix> make_matrix(const Shape& shape, StorageKind storage) const = 0;
  virtual std::unique_ptr<Preconditioner> make_preconditioner(const Shape& shape,
                                                              const PreconditionerSettings& settings) const = 0;
  virtual std::unique_ptr<LineSolver> make_line_solver(const LineSet& lines, int n,
                                                       const LineSolverSettings& settings) const = 0;
  virtual std::unique_ptr<Krylov> make_krylov(const Shape& shape, Method method,
                                              const KrylovOptions& options) const = 0;
};

/// A context of a backend that choose_backend() returned. `stream`: a cudaStream_t for cuda, which has to outlive
/// everything that is made with it; null: one of the context's own. Other backends have none.
HYPERPLANE_EXPORT std::shared_ptr<const Context> make_context(const std::string& backend, void* stream = nullptr);

/// The block sizes that this library was compiled for, rising.
HYPERPLANE_EXPORT std::span<const int> block_sizes() noexcept;
/// Throws Error, which says who asked and names those that are there, where n is not among them.
HYPERPLANE_EXPORT void require_block_size(int n, const std::string& source);

}  // namespace hyperplane::run_time
