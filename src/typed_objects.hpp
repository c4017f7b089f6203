// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/multi_block.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/jacobi/block_jacobi.hpp>
#include <hyperplane/line/line_implicit_options.hpp>
#include <hyperplane/sip/sip.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "find_size.hpp"
#include "objects.hpp"
#include "primitives.hpp"
#include "shaped_vector.hpp"
#include "typed_csr.hpp"

/// Objects of one execution space. Only what depends on the block size is compiled for each of them (SizedFactory).
namespace hyperplane::run_time {

/// Products with a matrix or a copy of it, whatever its block size and storage.
template <ExecutionSpace Exec>
class TypedProducts {
 public:
  virtual ~TypedProducts() = default;
  virtual void apply(const Exec& exec, const ShapedVector<Exec>& x, const ShapedVector<Exec>& y) const = 0;
  virtual void apply_transposed(const Exec& exec, const ShapedVector<Exec>& x, const ShapedVector<Exec>& y) const = 0;
  /// Of several vectors, with the matrix read once.
  virtual void apply(const Exec& exec, const ShapedVectors<Exec>& x, const ShapedVectors<Exec>& y) const = 0;
  virtual void apply_transposed(const Exec& exec, const ShapedVectors<Exec>& x, const ShapedVectors<Exec>& y) const = 0;
};

/// The matrix whatever its block size and storage.
template <ExecutionSpace Exec>
class TypedMatrix : public TypedProducts<Exec> {
 public:
  /// (point, direction, r, c)
  template <class T>
  using Values =
      Kokkos::View<T****, Kokkos::LayoutStride, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  virtual void pack_values(const Exec& exec, const Values<const double>& values) = 0;
  virtual void unpack_values(const Exec& exec, const Values<double>& values) const = 0;
  /// The compact layout, of values of the storage.
  virtual void* packed_values() const = 0;
  virtual void residual(const Exec& exec, const ShapedVector<Exec>& b, const ShapedVector<Exec>& x,
                        const ShapedVector<Exec>& r) const = 0;
  virtual void residual_transposed(const Exec& exec, const ShapedVector<Exec>& b, const ShapedVector<Exec>& x,
                                   const ShapedVector<Exec>& r) const = 0;
  virtual std::string not_finite(const Exec& exec) const = 0;
  /// Of a matrix of doubles: memory for a copy in a narrower storage on its grid, a TypedMatrix where that is float;
  /// and its values rounded to it, with the first one that overflows, in words.
  virtual std::unique_ptr<TypedProducts<Exec>> make_copy(const Exec& exec, StorageKind storage) const = 0;
  virtual std::string narrow(const Exec& exec, const TypedProducts<Exec>& copy, StorageKind storage) const = 0;
  /// Which block of a copy is none, in words.
  virtual std::string other_copy(const Exec& exec, const TypedProducts<Exec>& copy, StorageKind storage) const = 0;
};

/// The preconditioner whatever it is.
template <ExecutionSpace Exec>
class TypedPreconditioner {
 public:
  virtual ~TypedPreconditioner() = default;
  /// `a` has the block size of the preconditioner, and the storage that its settings want.
  virtual void factor(const Exec& exec, const TypedMatrix<Exec>& a) = 0;
  /// With a mask where kernels read it.
  virtual void factor(const Exec&, const TypedMatrix<Exec>&, const std::int8_t*) {
    throw Error("masks are for SIP alone");
  }
  virtual void solve(const Exec& exec, const ShapedVector<Exec>& rhs, const ShapedVector<Exec>& x) const = 0;
  /// Of several vectors, one after the other where they are not taken together.
  virtual void solve(const Exec& exec, std::span<const ShapedVector<Exec>> rhs,
                     std::span<const ShapedVector<Exec>> x) const {
    for (std::size_t v = 0; v < rhs.size(); ++v) solve(exec, rhs[v], x[v]);
  }
  virtual void solve(const Exec& exec, const ShapedVectors<Exec>& rhs, const ShapedVectors<Exec>& x) const {
    for (int v = 0; v < grid_vectors; ++v) solve(exec, rhs[v], x[v]);
  }
  /// Throws Error where there is no solve_transposed().
  virtual void require_transposed() const = 0;
  /// x = M^-T rhs
  virtual void solve_transposed(const Exec& exec, const ShapedVector<Exec>& rhs, const ShapedVector<Exec>& x) const = 0;
  virtual void solve_transposed(const Exec& exec, const ShapedVectors<Exec>& rhs, const ShapedVectors<Exec>& x) const {
    for (int v = 0; v < grid_vectors; ++v) solve_transposed(exec, rhs[v], x[v]);
  }
  virtual FactorProblem problem(const Exec& exec) const = 0;
  /// What its factors are stored in, if that is its own choice, and made.
  virtual std::optional<StorageKind> chosen_storage() const { return std::nullopt; }
};

/// The line solver whatever its block size and storage. Arrays are where kernels read them.
template <ExecutionSpace Exec>
class TypedLineSolver {
 public:
  /// (point, block, r, c)
  template <class T>
  using Values = typename TypedMatrix<Exec>::template Values<T>;
  virtual ~TypedLineSolver() = default;
  virtual void factor(const Exec& exec, const Values<const double>& values) = 0;
  virtual void factor(const Exec& exec, const TypedMatrix<Exec>& a) = 0;
  virtual FactorProblem problem(const Exec& exec) const = 0;
  virtual void solve(const Exec& exec, const double* rhs, double* x) const = 0;
  virtual void solve(const Exec& exec, const ShapedVector<Exec>& rhs, const ShapedVector<Exec>& x) const = 0;
  virtual void solve_transposed(const Exec& exec, const double* rhs, double* x) const = 0;
  virtual void solve_transposed(const Exec& exec, const ShapedVector<Exec>& rhs, const ShapedVector<Exec>& x) const = 0;
};

/// What grid blocks of several processes may have: the type says which preconditioner, see BlocksOf.
using BlocksOptions =
    std::variant<MultiBlockOptions<BlockIlu0Options>, MultiBlockOptions<SsorOptions>, MultiBlockOptions<SipOptions>,
                 MultiBlockOptions<BlockJacobiOptions>, MultiBlockOptions<LineImplicitOptions>>;

/// The same with what factors are stored in, of a matrix of doubles: PreconditionerSettings of grid blocks.
struct BlocksSettings {
  BlocksOptions options = {};
  StorageKind storage = StorageKind::double_precision;
  std::optional<double> storage_fraction = {};
};

/// The preconditioner of the grid blocks that one of several processes has, whatever it is and the block size; see
/// SizedBlocks.
template <ExecutionSpace Exec>
class TypedBlocks {
 public:
  virtual ~TypedBlocks() = default;
};

/// What is compiled for a block size.
template <ExecutionSpace Exec>
class SizedFactory {
 public:
  template <class T>
  using Rows = Kokkos::View<T*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  virtual ~SizedFactory() = default;
  virtual void pack_rows(const Exec& exec, const Rows<const double>& rows, const ShapedVector<Exec>& vector) const = 0;
  virtual void unpack_rows(const Exec& exec, const ShapedVector<Exec>& vector, const Rows<double>& rows) const = 0;
  virtual std::unique_ptr<TypedMatrix<Exec>> make_matrix(const Exec& exec, const Grid& grid,
                                                         StorageKind storage) const = 0;
  /// Null where the table has it among the lines.
  virtual std::unique_ptr<TypedPreconditioner<Exec>> make_preconditioner(
      const Exec& exec, const Grid& grid, const PreconditionerSettings& settings) const = 0;
  /// A matrix of doubles with values that exist, those of a grid block among others.
  using Flat = typename ShapedVector<Exec>::Flat;
  virtual std::unique_ptr<TypedMatrix<Exec>> wrap_matrix(const Grid& grid, const Flat& values) const = 0;
  /// A SizedBlocks of the block size with factors of double; see the constructors of MultiBlock. `remote` is its
  /// RemoteColours; without it the options alone say what is coupled. Null where it is among the lines.
  virtual std::unique_ptr<TypedBlocks<Exec>> make_blocks(const Exec& exec, const MultiBlockGrid& grid,
                                                         const BlocksSettings& settings,
                                                         const std::vector<int>& colours,
                                                         const std::shared_ptr<void>& remote) const = 0;
};

/// What is compiled for a block size beside it, so that both are compiled at a time: all that solves along lines.
template <ExecutionSpace Exec>
class SizedLineFactory {
 public:
  virtual ~SizedLineFactory() = default;
  virtual std::unique_ptr<TypedLineSolver<Exec>> make_line_solver(const Exec& exec, const LineSet& lines,
                                                                  const LineSolverSettings& settings) const = 0;
  virtual std::unique_ptr<TypedPreconditioner<Exec>> make_preconditioner(
      const Exec& exec, const Grid& grid, const PreconditionerSettings& settings) const = 0;
  /// As that of SizedFactory, of what is among the lines.
  virtual std::unique_ptr<TypedBlocks<Exec>> make_blocks(const Exec& exec, const MultiBlockGrid& grid,
                                                         const BlocksSettings& settings) const = 0;
  /// The line-implicit iteration of compressed rows.
  virtual std::unique_ptr<TypedCsrPlan<Exec>> make_csr_plan(const Exec& exec, const CsrArrays<Exec>& a,
                                                            const CsrPreconditionerSettings& settings) const = 0;
};

/// The same of preconditioners whose factors are narrower than their matrices of doubles: of 16 bits, or of float where
/// storage is chosen. Where it is, null says that this one is not to be tried.
template <ExecutionSpace Exec>
class SizedShortFactory {
 public:
  virtual ~SizedShortFactory() = default;
  virtual std::unique_ptr<TypedPreconditioner<Exec>> make_preconditioner(
      const Exec& exec, const Grid& grid, const PreconditionerSettings& settings) const = 0;
  /// As that of SizedFactory.
  virtual std::unique_ptr<TypedBlocks<Exec>> make_blocks(const Exec& exec, const MultiBlockGrid& grid,
                                                         const BlocksSettings& settings,
                                                         const std::vector<int>& colours,
                                                         const std::shared_ptr<void>& remote) const = 0;
};

/// Defined in primitives.cpp.
template <ExecutionSpace Exec>
std::unique_ptr<Primitives> make_primitives(const Exec& exec);

/// Defined in relaxations.cpp.
template <ExecutionSpace Exec>
std::unique_ptr<Relaxation> make_relaxation(const Exec& exec, const Grid& grid, const Stencil& a,
                                            const RelaxationSettings& settings);

/// The SizedFactory, the SizedLineFactory or the SizedShortFactory of the backend for a block size, see
/// for_each_backend(). Throws NotAvailable where the build has not this one. For the library over ranks.
HYPERPLANE_FOR_RANKS const void* find_factory(const std::string& backend, int n, Part part);

/// Those of block size n, if that is in a group of them. Defined in sizes.hpp, line_sizes.hpp and short_sizes.hpp,
/// which are compiled for one group at a time.
template <int group, ExecutionSpace Exec>
const SizedFactory<Exec>* find_sized_factory(int n);
template <int group, ExecutionSpace Exec>
const SizedLineFactory<Exec>* find_sized_line_factory(int n);
template <int group, ExecutionSpace Exec>
const SizedShortFactory<Exec>* find_sized_short_factory(int n);

/// That of a block size that there is, in one of so many groups.
template <int groups, ExecutionSpace Exec>
const SizedFactory<Exec>& sized_factory(int n) {
  return *find_in_groups([&]<int group>() { return find_sized_factory<group, Exec>(n); },
                         std::make_integer_sequence<int, groups>{});
}

}  // namespace hyperplane::run_time
