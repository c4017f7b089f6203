// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <hyperplane/mpi/transport.hpp>
#include <memory>
#include <optional>

#include "factor_problem.hpp"
#include "rank_grid.hpp"
#include "rank_vector.hpp"
#include "typed_objects.hpp"

/// What is compiled for each block size of objects over ranks: products, which have couplings between grid blocks at
/// their place in the sums, and the couplings of preconditioners. All else that is inside of grid blocks is the
/// library's.
namespace hyperplane::run_time {

/// A DistributedStencil7 whatever its block size.
template <class Exec>
class TypedRankMatrix {
 public:
  using Vector = RankVector<Exec>;

  virtual ~TypedRankMatrix() = default;
  /// All values of this rank.
  virtual const typename Vector::Flat& flat() const = 0;
  /// y = A x, or y = b - A x where there is b. Collective.
  virtual void multiply(const Exec& exec, const Vector* b, const Vector& x, const Vector& y) const = 0;
  /// The same with A^T.
  virtual void multiply_transposed(const Exec& exec, const Vector* b, const Vector& x, const Vector& y) const = 0;
  /// Leaves out the points of this rank that are zero in a mask which kernels read. Collective.
  virtual void mask(const Exec& exec, const std::int8_t* points) = 0;
  virtual Transport transport() const = 0;
};

/// A DistributedMultiBlock whatever its preconditioner and its block size, with the same functions.
template <class Exec>
class TypedRankBlocks {
 public:
  using Vector = RankVector<Exec>;

  virtual ~TypedRankBlocks() = default;
  /// `a` has the block size of the preconditioner.
  virtual void factor(const Exec& exec, const TypedRankMatrix<Exec>& a) = 0;
  /// That of its status, with points as the grid says them. Collective.
  virtual FactorProblem problem(const Exec& exec, const RankGrid& grid) const = 0;
  virtual void solve(const Exec& exec, const Vector& rhs, const Vector& x) const = 0;
  virtual void solve_transposed(const Exec& exec, const Vector& rhs, const Vector& x) const = 0;
  virtual Transport transport() const = 0;
  virtual bool goes_through_devices() const = 0;
  /// What its factors are stored in; none before the first factor(), where that chooses it.
  virtual std::optional<StorageKind> storage() const = 0;
};

/// What makes both of a block size.
template <class Exec>
class RankFactory {
 public:
  virtual ~RankFactory() = default;
  virtual std::unique_ptr<TypedRankMatrix<Exec>> make_matrix(const Exec& exec, const RankShape& shape) const = 0;
  /// With factors of the storage of the settings. Collective. Throws Error, on all ranks, where the preconditioner is
  /// for another block size, or has no such coupling. Where storage is chosen, null says that this one is not to be
  /// tried.
  virtual std::unique_ptr<TypedRankBlocks<Exec>> make_blocks(const Exec& exec, const RankShape& shape,
                                                             const BlocksSettings& settings) const = 0;
};

/// That of block size n, if it is in a group of them; else null. Defined in rank_sizes.hpp, which is compiled for one
/// group at a time.
template <int group, class Exec>
const RankFactory<Exec>* find_rank_factory(int n);

}  // namespace hyperplane::run_time
