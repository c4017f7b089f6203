// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/block_packs.hpp>
#include <hyperplane/blocks/colouring.hpp>
#include <hyperplane/blocks/detail/failure_records.hpp>
#include <hyperplane/blocks/detail/grouped_of.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/blocks/stages.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/singular_pivot.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/sweep/sweep_path.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A preconditioner for each grid block, which are run stage after stage; without colours all are in one. What is in a
/// stage does not depend on one another: where it can be, it is run together. Where grid blocks are run `in_order`,
/// with couplings to neighbours outside of each of them, or are cut into pieces, that is always so, also of one.
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

  /// Whether grid blocks can be cut into pieces.
  template <class Options>
  static bool can_be_cut(const Options& options) {
    if constexpr (HostExecutionSpace<Exec> && sweeps_together && factors_together) {
      return options.path == SweepPath::automatic || options.path == SweepPath::slab;
    } else {
      return false;
    }
  }

  template <class Options>
  RankedBlocks(const Exec& exec, const MultiBlockGrid& grid, const Options& options, const Colouring& colouring,
               bool in_order)
      : m_in_order(in_order), m_stages(colouring.stages(grid)), m_of_stages(as_size(m_stages.count())) {
    m_blocks.reserve(as_size(grid.block_count()));
    for (auto const& block : grid.blocks()) m_blocks.emplace_back(exec, block, options);
    m_ranks.resize(as_size(colouring.count));
    for (std::size_t b = 0; b < m_blocks.size(); ++b) {
      m_ranks[colouring.ranks.empty() ? 0 : as_size(colouring.ranks[b])].numbers.push_back(static_cast<int>(b));
    }
    int multiprocessors = 0;
    if constexpr (requires { options.multiprocessors; }) multiprocessors = options.multiprocessors;
    for (int stage = 0; stage < stages(); ++stage) group(exec, grid, stage, multiprocessors);
    for (auto& rank : m_ranks) {
      if constexpr (!HostExecutionSpace<Exec> && requires(const P& p) { p.sweeps().record(); }) {
        std::vector<typename FailureRecords<Exec>::Entry> records;
        for (int const b : rank.numbers) records.push_back({block(b).sweeps().record().ref().words()});
        rank.failures.emplace(exec, records);
      }
    }
  }

  /// Of colours.
  int ranks() const { return static_cast<int>(m_ranks.size()); }
  int stages() const { return m_stages.count(); }
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
  void factor(const Exec& exec, const Matrix& a, int stage) {
    auto& those = m_of_stages[as_size(stage)];
    if constexpr (factors_together) {
      if (those.factor) {
        auto const number = [&](int g) { return those.factored[as_size(g)]; };
        auto const plan_of = [&](int g) -> P& { return m_blocks[as_size(number(g))]; };
        auto const matrix_of = [&](int g) { return a.block(number(g)); };
        those.factor->template run<typename Matrix::storage_type>(exec, plan_of, matrix_of);
      }
    }
    for (int const b : those.factored_alone) m_blocks[as_size(b)].factor(exec, a.block(b));
  }
  /// The same where they are run in order, with what `outside_of(b)` knows outside of grid block b.
  template <class Matrix, class OutsideOf>
  void factor(const Exec& exec, const Matrix& a, int stage, const OutsideOf& outside_of)
    requires(orders)
  {
    auto const& those = m_of_stages[as_size(stage)];
    require(those.alone.empty(), "MultiBlock: a grid block is not on the path that takes neighbours outside of it");
    if (!those.factor) return;
    auto const number = [&](int g) { return those.factored[as_size(g)]; };
    those.factor->template run<typename Matrix::storage_type>(
        exec, [&](int g) -> P& { return m_blocks[as_size(number(g))]; }, [&](int g) { return a.block(number(g)); },
        [&](int g) { return outside_of(number(g)); });
  }
  /// Where a factorization ends before its last stage: what pieces have recorded so far is no failure of the next one.
  void abandon_factor([[maybe_unused]] const Exec& exec) const {
    if constexpr (HostExecutionSpace<Exec> && requires(const P& p) { p.sweeps().record(); }) {
      for (int b = 0; m_stages.are_cut() && b < static_cast<int>(m_blocks.size()); ++b) {
        block(b).sweeps().record().conclude(exec, NothingToExplain{});
      }
    }
  }

  template <class Vector, class OutsideOf>
  void sweep(const Exec& exec, int stage, Sweeps sweeps, const Vector& rhs, const Vector& x,
             const OutsideOf& outside_of) const
    requires(orders)
  {
    auto const& those = m_of_stages[as_size(stage)];
    require(those.alone.empty(), "MultiBlock: a grid block is not on the path that takes neighbours outside of it");
    if (!those.sweeps) return;
    those.sweeps->run(exec, sweeps, rhs.flat().data(), x.flat().data(),
                      [&](int g) { return outside_of(those.together[as_size(g)]); });
  }

  /// solve(), forward() or backward(), as `sweeps` says: the halves where P is coupled by colours.
  template <class Vector>
  void sweep(const Exec& exec, int stage, Sweeps sweeps, const Vector& rhs, const Vector& x) const {
    auto const& those = m_of_stages[as_size(stage)];
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

  /// solve_transposed(), or a half of it: on devices, and where they are not run together, of one grid block after the
  /// other.
  template <class Vector>
  void sweep_transposed(const Exec& exec, int stage, Sweeps sweeps, const Vector& rhs, const Vector& x) const {
    auto const& those = m_of_stages[as_size(stage)];
    auto const* following = &those.alone;
    if constexpr (requires { those.sweeps->run_transposed(exec, sweeps, rhs.flat().data(), x.flat().data()); }) {
      if (those.sweeps) those.sweeps->run_transposed(exec, sweeps, rhs.flat().data(), x.flat().data());
    } else {
      following = &those.numbers;
    }
    for (int const b : *following) {
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
    std::vector<int> numbers;  ///< of all grid blocks of a colour
    std::optional<FailureRecords<Exec>> failures;
  };
  /// By the numbers of their grid blocks, of which other pieces may be in other stages.
  struct Stage {
    std::vector<int> numbers;         ///< of all that is in it
    std::vector<int> together;        ///< of those that are swept together
    std::vector<int> alone;           ///< of the others
    std::vector<int> factored;        ///< of those that are factored together
    std::vector<int> factored_alone;  ///< of the others
    std::optional<GroupedSweeps> sweeps;
    std::optional<GroupedFactor> factor;
  };
  /// Of a record of which nobody wants to know.
  struct NothingToExplain {
    KOKKOS_FUNCTION PivotFinding operator()(std::int64_t, int) const { return {}; }
  };

  void group(const Exec& exec, const MultiBlockGrid& grid, int number, int multiprocessors) {
    auto& stage = m_of_stages[as_size(number)];
    auto const& pieces = m_stages.pieces(number);
    for (auto const& piece : pieces) stage.numbers.push_back(piece.block);
    if constexpr (sweeps_together) {
      BlockPacks<GroupedSweeps::vector_length> const packs(grid);
      std::vector<typename GroupedSweeps::Member> members;
      for (auto const& piece : pieces) {
        auto const& plan = grouped_plan(block(piece.block));
        bool const taken = GroupedSweeps::takes(plan);
        (taken ? stage.together : stage.alone).push_back(piece.block);
        if (taken) members.push_back(member<typename GroupedSweeps::Member>(plan, packs.first(piece.block), piece));
      }
      require(!m_stages.are_cut() || stage.alone.empty(), "MultiBlock: a grid block in pieces is not swept by slabs");
      if (members.size() > (m_in_order || m_stages.are_cut() ? 0 : 1)) {
        stage.sweeps.emplace(exec, members, multiprocessors);
        if constexpr (factors_together) {
          if (GroupedFactor::is_available()) return group_factors(exec, members, stage, multiprocessors);
        }
        stage.factored_alone = stage.numbers;
        return;
      }
    }
    stage.together.clear();
    stage.alone = stage.factored_alone = stage.numbers;
  }

  /// Those that are not by slabs have no pieces: they come with the first piece of their grid block.
  template <class Member>
  void group_factors(const Exec& exec, std::vector<Member> members, Stage& stage, int multiprocessors) {
    stage.factored = stage.together;
    stage.factored_alone = stage.alone;
    if constexpr (requires(Member m) { m.first_slab; } && !requires { GroupedFactor::by_slabs; }) {
      if (m_stages.are_cut()) {
        std::vector<Member> whole;
        stage.factored.clear();
        for (std::size_t m = 0; m < members.size(); ++m) {
          if (members[m].first_slab > 0) continue;
          whole.push_back({members[m].plan, members[m].first_pack});
          stage.factored.push_back(stage.together[m]);
        }
        if (whole.empty()) return;
        stage.factor.emplace(exec, whole, multiprocessors);
        return;
      }
    }
    stage.factor.emplace(exec, members, multiprocessors);
  }

  template <class Member, class Plan>
  Member member(const Plan& plan, std::int64_t first_pack, const Stages::Piece& piece) const {
    if constexpr (requires(Member m) { m.first_slab; }) {
      constexpr int lanes = GroupedSweeps::vector_length;
      return {plan, first_pack, piece.begin / lanes, (piece.end - 1) / lanes + 1 - piece.begin / lanes};
    } else {
      return {plan, first_pack};
    }
  }

  bool m_in_order;
  std::vector<P> m_blocks;
  std::vector<Rank> m_ranks;
  Stages m_stages;
  std::vector<Stage> m_of_stages;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
