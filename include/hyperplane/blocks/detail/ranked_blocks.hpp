// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/block_packs.hpp>
#include <hyperplane/blocks/colouring.hpp>
#include <hyperplane/blocks/detail/failure_records.hpp>
#include <hyperplane/blocks/detail/grouped_of.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/sweep/sweep_path.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <cstddef>
#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A preconditioner for each grid block, by the rank of its colour; without colours all have rank 0. Those of a rank do
/// not depend on one another: where they can be, they are run together. Where they are run `in_order`, with couplings
/// to neighbours outside of each of them, that is always so, also of one.
template <class P>
class RankedBlocks {
  using Exec = typename P::Vector::execution_space;
  using GroupedSweeps = typename GroupedSweepsOf<P>::Type;
  using GroupedFactor = typename GroupedFactorOf<P>::Type;
  static constexpr bool sweeps_together = !std::is_same_v<GroupedSweeps, std::monostate>;
  static constexpr bool factors_together = !std::is_same_v<GroupedFactor, std::monostate>;

 public:
  /// Whether there are preconditioners that are run in order.
  static constexpr bool orders = HostExecutionSpace<Exec> && sweeps_together && factors_together && OrdersOf<P>::exist;

  /// Whether they can be run in order.
  template <class Options>
  static bool can_be_in_order(const Options& options) {
    if constexpr (orders) {
      return options.path == SweepPath::automatic || options.path == SweepPath::slab;
    } else {
      return false;
    }
  }

  template <class Options>
  RankedBlocks(const Exec& exec, const MultiBlockGrid& grid, const Options& options, const Colouring& colouring,
               bool in_order)
      : m_in_order(in_order) {
    m_blocks.reserve(as_size(grid.block_count()));
    for (auto const& block : grid.blocks()) m_blocks.emplace_back(exec, block, options);
    m_ranks.resize(as_size(colouring.count));
    for (std::size_t b = 0; b < m_blocks.size(); ++b) {
      m_ranks[colouring.ranks.empty() ? 0 : as_size(colouring.ranks[b])].numbers.push_back(static_cast<int>(b));
    }
    int multiprocessors = 0;
    if constexpr (requires { options.multiprocessors; }) multiprocessors = options.multiprocessors;
    for (auto& rank : m_ranks) {
      group(exec, grid, rank, multiprocessors);
      if constexpr (!HostExecutionSpace<Exec> && requires(const P& p) { p.sweeps().record(); }) {
        std::vector<typename FailureRecords<Exec>::Entry> records;
        for (int const b : rank.numbers) records.push_back({block(b).sweeps().record().ref().words()});
        rank.failures.emplace(exec, records);
      }
    }
  }

  int ranks() const { return static_cast<int>(m_ranks.size()); }
  const P& block(int number) const { return m_blocks.at(as_size(number)); }

  /// The first grid block of a rank whose factorization failed, if there is one. Waits for the instance: on devices
  /// once, unless there is one, because each wait takes as long as a small factorization.
  std::optional<int> failed(const Exec& exec, int rank) const {
    auto const& those = m_ranks[as_size(rank)];
    if (those.failures && !those.failures->any(exec)) return std::nullopt;
    for (int const b : those.numbers) {
      if (!block(b).status(exec).ok()) return b;
    }
    return std::nullopt;
  }

  template <class Matrix>
  void factor(const Exec& exec, const Matrix& a, int rank) {
    auto& those = m_ranks[as_size(rank)];
    if constexpr (factors_together) {
      if (those.factor) {
        auto const number = [&](int g) { return those.together[as_size(g)]; };
        auto const plan_of = [&](int g) -> P& { return m_blocks[as_size(number(g))]; };
        auto const matrix_of = [&](int g) { return a.block(number(g)); };
        those.factor->template run<typename Matrix::storage_type>(exec, plan_of, matrix_of);
      }
    }
    for (int const b : those.factor ? those.alone : those.numbers) m_blocks[as_size(b)].factor(exec, a.block(b));
  }

  /// The same where they are run in order, with what `outside_of(b)` knows outside of grid block b.
  template <class Matrix, class OutsideOf>
  void factor(const Exec& exec, const Matrix& a, int rank, const OutsideOf& outside_of)
    requires(orders)
  {
    auto const& those = m_ranks[as_size(rank)];
    require(those.alone.empty(), "MultiBlock: a grid block is not on the path that takes neighbours outside of it");
    if (!those.factor) return;
    auto const number = [&](int g) { return those.together[as_size(g)]; };
    those.factor->template run<typename Matrix::storage_type>(
        exec, [&](int g) -> P& { return m_blocks[as_size(number(g))]; }, [&](int g) { return a.block(number(g)); },
        [&](int g) { return outside_of(number(g)); });
  }
  template <class Vector, class OutsideOf>
  void sweep(const Exec& exec, int rank, Sweeps sweeps, const Vector& rhs, const Vector& x,
             const OutsideOf& outside_of) const
    requires(orders)
  {
    auto const& those = m_ranks[as_size(rank)];
    require(those.alone.empty(), "MultiBlock: a grid block is not on the path that takes neighbours outside of it");
    if (!those.sweeps) return;
    those.sweeps->run(exec, sweeps, rhs.flat().data(), x.flat().data(),
                      [&](int g) { return outside_of(those.together[as_size(g)]); });
  }

  /// solve(), forward() or backward(), as `sweeps` says: the halves where P is coupled by colours.
  template <class Vector>
  void sweep(const Exec& exec, int rank, Sweeps sweeps, const Vector& rhs, const Vector& x) const {
    auto const& those = m_ranks[as_size(rank)];
    if constexpr (sweeps_together) {
      if (those.sweeps) those.sweeps->run(exec, sweeps, rhs.flat().data(), x.flat().data());
    }
    for (int const b : those.alone) {
      auto const from = rhs.block(b), to = x.block(b);
      if (sweeps == Sweeps::both) {
        block(b).solve(exec, from, to);
      } else if constexpr (requires { block(b).forward(exec, from, to); }) {
        sweeps == Sweeps::forward ? block(b).forward(exec, from, to) : block(b).backward(exec, from, to);
      } else {
        fail("MultiBlock: this preconditioner has no halves of a solve");
      }
    }
  }

  /// What the first sweep_transposed() prepares of all grid blocks, where it does.
  void prepare_transposed(const Exec& exec) const {
    for (auto const& each : m_blocks) {
      if constexpr (requires { each.sweeps().prepare_transposed(exec); }) each.sweeps().prepare_transposed(exec);
    }
  }

  /// solve_transposed(), or a half of it, of one grid block after the other.
  template <class Vector>
  void sweep_transposed(const Exec& exec, int rank, Sweeps sweeps, const Vector& rhs, const Vector& x) const {
    for (int const b : m_ranks[as_size(rank)].numbers) {
      auto const from = rhs.block(b), to = x.block(b);
      if (sweeps == Sweeps::both) {
        block(b).solve_transposed(exec, from, to);
      } else if constexpr (requires { block(b).sweeps().forward_transposed(exec, from, to); }) {
        auto const& plan = block(b).sweeps();
        sweeps == Sweeps::forward ? plan.forward_transposed(exec, from, to) : plan.backward_transposed(exec, from, to);
      } else {
        fail("MultiBlock: this preconditioner has no halves of a transposed solve");
      }
    }
  }

 private:
  struct Rank {
    std::vector<int> numbers;   ///< of all its grid blocks
    std::vector<int> together;  ///< of those that are run together, none or at least two
    std::vector<int> alone;     ///< of the others
    std::optional<GroupedSweeps> sweeps;
    std::optional<GroupedFactor> factor;
    std::optional<FailureRecords<Exec>> failures;
  };

  void group(const Exec& exec, const MultiBlockGrid& grid, Rank& rank, int multiprocessors) {
    if constexpr (sweeps_together) {
      for (int const b : rank.numbers) {
        (GroupedSweeps::takes(grouped_plan(block(b))) ? rank.together : rank.alone).push_back(b);
      }
      if (rank.together.size() > (m_in_order ? 0 : 1)) {
        BlockPacks<GroupedSweeps::vector_length> const packs(grid);
        std::vector<typename GroupedSweeps::Member> members;
        for (int const b : rank.together) members.push_back({grouped_plan(block(b)), packs.first(b)});
        rank.sweeps.emplace(exec, members, multiprocessors);
        if constexpr (factors_together) {
          if (GroupedFactor::is_available()) rank.factor.emplace(exec, members, multiprocessors);
        }
        return;
      }
    }
    rank.together.clear();
    rank.alone = rank.numbers;
  }

  bool m_in_order;
  std::vector<P> m_blocks;
  std::vector<Rank> m_ranks;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
