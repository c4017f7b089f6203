// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/csr/row_order.hpp>
#include <hyperplane/line/line_set.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "objects.hpp"

/// Systems of general matrices in compressed rows, whose points have numbers and any neighbours. Their objects are
/// those of grids to everyone who uses them.
namespace hyperplane::run_time {

/// Points without a grid, with a number of unknowns at each.
struct PointShape {
  std::int64_t points;
  int block_size;

  std::int64_t rows() const { return points * block_size; }
  friend bool operator==(const PointShape&, const PointShape&) = default;
  /// "1000 points x 5"
  friend std::string to_string(const PointShape& shape) {
    return std::to_string(shape.points) + " points x " + std::to_string(shape.block_size);
  }
};

/// Places in the table of preconditioners of compressed rows, which are their numbers in C.
inline constexpr int csr_identity = 0, csr_jacobi = 1, csr_ssor = 2, csr_dilu = 3, csr_bilu0 = 4, csr_iluk = 5,
                     csr_ilut = 6, csr_lines = 7;

/// A place in the table of preconditioners of compressed rows, and all options that these have.
struct CsrPreconditionerSettings {
  int kind = csr_bilu0;
  double relaxation = 1.0;
  int fill = 1;
  double drop_tolerance = 1e-2;
  int row_entries = 20;
  RowOrder order = RowOrder::natural;
  std::vector<int> given_order{};  ///< for RowOrder::given
  int transposed = 0;              ///< 1: for solves with M^T, too
  double pivot_shift = 0.0;
  int line_sweeps = 1;
  double strong_coupling = 2.0;                         ///< CouplingLinesOptions::strong
  std::optional<LineSet> given_lines{};                 ///< without, those along the strongest couplings
  StorageKind storage = StorageKind::double_precision;  ///< of the factors
  /// Where it is given, the first matrix says what factors are stored in instead: see ChooseStorageOptions::fraction.
  std::optional<double> storage_fraction = {};
};

/// The table.
std::span<const PreconditionerDescription> csr_preconditioners();
/// By name. Throws Error, which has all names, where there is none, or where it has no such option.
CsrPreconditionerSettings csr_preconditioner_settings(std::string_view name, const OptionTexts& options);
/// Throws Error where an option that the preconditioner does not have is another than it is by itself, or where it has
/// not the storage.
void require_own_options(const CsrPreconditionerSettings& settings);

/// What makes the objects of a context that are of compressed rows. Everything throws Error.
class CsrSolvers {
 public:
  virtual ~CsrSolvers() = default;
  virtual std::unique_ptr<Vector> make_vector(const PointShape& shape) const = 0;
  /// Of the structure and, where there are any, the values of compressed rows of n x n blocks, which it copies.
  virtual std::unique_ptr<Matrix> make_matrix(const Csr& csr, MemorySpace space) const = 0;
  /// Of the structure of a matrix.
  virtual std::unique_ptr<Preconditioner> make_preconditioner(const Matrix& a,
                                                              const CsrPreconditionerSettings& settings) const = 0;
  virtual std::unique_ptr<Preconditioner> make_identity(const PointShape& shape) const = 0;
  virtual std::unique_ptr<Krylov> make_krylov(const PointShape& shape, Method method,
                                              const KrylovOptions& options) const = 0;
};

}  // namespace hyperplane::run_time
