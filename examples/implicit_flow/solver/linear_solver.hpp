// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../physics/gas.hpp"
#include "steady.hpp"

#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/storage_kind.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/jacobi/block_jacobi.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/fgcrodr.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/options.hpp>
#include <hyperplane/krylov/richardson.hpp>
#include <hyperplane/line/line_implicit.hpp>
#include <hyperplane/line/line_path.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <hyperplane/sweep/sweep_path.hpp>

#include <algorithm>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace implicit_flow {

struct LinearReport {
  bool converged;  ///< to the tolerance
  bool usable;     ///< the factorization was regular and the iteration did not break down
  int iterations;  ///< of the method; one of BiCGStab has two solves with the preconditioner
};

/// Lines with both kinds of options in one, as MultiBlock hands them on.
template <hyperplane::ExecutionSpace Exec, class Storage>
class Lines : public hyperplane::LineImplicit<double, equations, Exec, Storage> {
 public:
  struct Options {
    hyperplane::LineImplicitOptions iteration{};
    hyperplane::LinePath path = hyperplane::LinePath::automatic;
  };
  Lines(const Exec& exec, const hyperplane::Grid& grid, const Options& options)
      : hyperplane::LineImplicit<double, equations, Exec, Storage>(exec, grid, options.iteration,
                                                                   {.path = options.path}) {}
};

/// The linear system of one implicit step over all grid blocks of all Processes, on plans that are made once.
template <class Processes>
class LinearSolver {
 public:
  using Exec = typename Processes::execution_space;
  using Grid = typename Processes::Grid;
  using Matrix = typename Processes::Matrix;
  using Vector = typename Processes::Vector;

  LinearSolver(const Exec& exec, const Grid& grid, const LinearOptions& options)
      : m_preconditioner(make_preconditioner(exec, grid, options)), m_method(make_method(exec, grid, options)) {}

  /// Solves A x = b from x = 0. Waits for the instance.
  LinearReport solve(const Exec& exec, const Matrix& a, const Vector& b, const Vector& x) {
    Kokkos::deep_copy(exec, x.flat(), 0.0);
    return std::visit(
        [&](auto& preconditioner, auto& method) -> LinearReport {
          preconditioner.factor(exec, a);
          if (!preconditioner.status(exec).ok()) return {false, false, 0};
          auto const result = method.solve(exec, a, preconditioner, b, x);
          return {result.converged(), result.outcome != hyperplane::KrylovOutcome::breakdown, result.iterations};
        },
        m_preconditioner, m_method);
  }

 private:
  using Storage = typename Processes::storage_type;
  template <class Factors>
  using Ilu = hyperplane::BlockIlu0<double, equations, Exec, Factors>;
  using LineSweeps = Lines<Exec, Storage>;
  template <class Factors>
  using Ssor = hyperplane::Ssor<double, equations, Exec, Factors>;
  using Jacobi = hyperplane::BlockJacobi<double, equations, Exec, Storage>;
  template <class P>
  using OfBlocks = typename Processes::template Preconditioner<P>;
  template <class... Factors>
  using AnyOf =
      std::variant<OfBlocks<Ilu<Factors>>..., OfBlocks<Ssor<Factors>>..., OfBlocks<LineSweeps>, OfBlocks<Jacobi>>;
  using AnyPreconditioner =
      std::conditional_t<Processes::has_short_factors,
                         AnyOf<Storage, hyperplane::Half, hyperplane::BFloat16, hyperplane::Quarter>, AnyOf<Storage>>;
  using AnyMethod = std::variant<hyperplane::BiCgStab<Vector>, hyperplane::Fgmres<Vector>, hyperplane::Fgcrodr<Vector>,
                                 hyperplane::Richardson<Vector>>;

  /// Lines have no path along slabs.
  static hyperplane::LinePath line_path(hyperplane::SweepPath path) {
    if (path == hyperplane::SweepPath::automatic) return hyperplane::LinePath::automatic;
    if (path == hyperplane::SweepPath::portable) return hyperplane::LinePath::portable;
    throw hyperplane::Error(std::string("lines have no path ") + name(path));
  }

  template <class P>
  static OfBlocks<P> of_blocks(const Exec& exec, const Grid& grid, const LinearOptions& options,
                               const typename P::Options& block = {}) {
    return Processes::template preconditioner<P>(exec, grid, options, block);
  }

  static AnyPreconditioner make_preconditioner(const Exec& exec, const Grid& grid, const LinearOptions& options) {
    switch (options.preconditioner) {
      case Preconditioner::bilu0: break;
      case Preconditioner::lines:
        return of_blocks<LineSweeps>(
            exec, grid, options,
            {.iteration = {.directions = line_directions(Processes::all_blocks(grid), options.line_direction),
                           .sweeps = options.line_sweeps,
                           .relaxation = options.relaxation},
             .path = line_path(options.path)});
      case Preconditioner::ssor:
        return of_stored_factors(options, [&]<class Factors>(std::type_identity<Factors>) -> AnyPreconditioner {
          return of_blocks<Ssor<Factors>>(
              exec, grid, options, {.relaxation = options.relaxation, .path = options.path, .folded = options.folded});
        });
      case Preconditioner::jacobi: return of_blocks<Jacobi>(exec, grid, options);
    }
    return of_stored_factors(options, [&]<class Factors>(std::type_identity<Factors>) -> AnyPreconditioner {
      return of_blocks<Ilu<Factors>>(exec, grid, options, {.path = options.path, .folded = options.folded});
    });
  }
  /// make(type) with the type of factors that the options ask for. Throws Error where the matrix has none of it.
  template <class Make>
  static AnyPreconditioner of_stored_factors(const LinearOptions& options, const Make& make) {
    using enum hyperplane::StorageKind;
    constexpr auto of_matrix = std::is_same_v<Storage, float> ? single_precision : double_precision;
    auto const storage = options.factor_storage.value_or(of_matrix);
    if (storage == of_matrix) return make(std::type_identity<Storage>{});
    if constexpr (Processes::has_short_factors) {
      if (storage == half) return make(std::type_identity<hyperplane::Half>{});
      if (storage == bfloat16) return make(std::type_identity<hyperplane::BFloat16>{});
      if (storage == quarter) return make(std::type_identity<hyperplane::Quarter>{});
    }
    throw hyperplane::Error(std::string("LinearOptions::factor_storage is ") + name(storage) +
                            ": here factors of BILU(0) and SSOR are " + name(of_matrix) +
                            (Processes::has_short_factors ? ", half, bfloat16 or quarter" : " alone"));
  }

  /// Alternating lines leave out directions in which all grid blocks are one cell thick.
  static std::vector<hyperplane::LineDirection> line_directions(const hyperplane::MultiBlockGrid& grid,
                                                                LineDirections chosen) {
    using enum hyperplane::LineDirection;
    switch (chosen) {
      case LineDirections::i: return {i};
      case LineDirections::j: return {j};
      case LineDirections::k: return {k};
      case LineDirections::alternating: break;
    }
    std::vector<hyperplane::LineDirection> result = {j};
    auto const blocks = grid.blocks();
    if (std::ranges::any_of(blocks, [](const auto& block) { return block.ni() > 1; })) result.push_back(i);
    if (std::ranges::any_of(blocks, [](const auto& block) { return block.nk() > 1; })) result.push_back(k);
    return result;
  }

  static AnyMethod make_method(const Exec& exec, const Grid& grid, const LinearOptions& options) {
    hyperplane::KrylovOptions krylov;
    krylov.tolerance = options.tolerance;
    krylov.max_iterations = options.max_iterations;
    krylov.restart = options.restart;
    krylov.recycled = options.recycled;
    switch (options.method) {
      case Method::bicgstab: break;
      case Method::fgmres: return hyperplane::Fgmres<Vector>(exec, grid, krylov);
      case Method::fgcrodr: return hyperplane::Fgcrodr<Vector>(exec, grid, krylov);
      case Method::correction: return hyperplane::Richardson<Vector>(exec, grid, krylov);
    }
    return hyperplane::BiCgStab<Vector>(exec, grid, krylov);
  }

  AnyPreconditioner m_preconditioner;
  AnyMethod m_method;
};

}  // namespace implicit_flow
