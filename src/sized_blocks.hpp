// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/multi_block.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/jacobi/block_jacobi.hpp>
#include <hyperplane/line/line_implicit.hpp>
#include <hyperplane/sip/sip.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <hyperplane/sweep/choose_storage.hpp>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "typed_objects.hpp"

namespace hyperplane::run_time {

/// The preconditioner whose options they are, its name in the table, where it is compiled, and whether its factors can
/// be narrower than its matrix, and of 8 bits.
template <class Options>
struct BlocksOf;
template <>
struct BlocksOf<BlockIlu0Options> {
  template <int n, class Exec, class Storage>
  using Type = BlockIlu0<double, n, Exec, Storage>;
  static constexpr const char* name = "bilu0";
  static constexpr Part part = Part::points;
  static constexpr bool has_short_factors = true;
  static constexpr bool has_quarter_factors = true;
};
template <>
struct BlocksOf<SsorOptions> {
  template <int n, class Exec, class Storage>
  using Type = Ssor<double, n, Exec, Storage>;
  static constexpr const char* name = "ssor";
  static constexpr Part part = Part::points;
  static constexpr bool has_short_factors = true;
  static constexpr bool has_quarter_factors = true;
};
template <>
struct BlocksOf<SipOptions> {
  template <int, class Exec, class Storage>
  using Type = Sip<double, Exec, Storage>;
  static constexpr const char* name = "sip";
  static constexpr Part part = Part::points;
  static constexpr bool has_short_factors = true;
  static constexpr bool has_quarter_factors = false;
};
template <>
struct BlocksOf<BlockJacobiOptions> {
  template <int n, class Exec, class Storage>
  using Type = BlockJacobi<double, n, Exec, Storage>;
  static constexpr const char* name = "jacobi";
  static constexpr Part part = Part::points;
  static constexpr bool has_short_factors = true;
  static constexpr bool has_quarter_factors = false;
};
template <>
struct BlocksOf<LineImplicitOptions> {
  template <int n, class Exec, class Storage>
  using Type = LineImplicit<double, n, Exec, Storage>;
  static constexpr const char* name = "lines";
  static constexpr Part part = Part::lines;
  static constexpr bool has_short_factors = false;
  static constexpr bool has_quarter_factors = false;
};
/// Whether it can have factors of Storage beside a matrix of doubles.
template <class Options, class Storage>
inline constexpr bool blocks_have =
    std::is_same_v<Storage, double> ||
    (std::is_same_v<Storage, Quarter> ? BlocksOf<Options>::has_quarter_factors : BlocksOf<Options>::has_short_factors);

/// Returns make(the type of a grid block's preconditioner with factors of Storage, options) for those that are given.
/// Throws Error where it is for another block size, or has no such coupling; where storage is chosen, it returns
/// nothing for one that has it not.
template <class Made, int n, ExecutionSpace Exec, class Storage, class Make>
Made make_of_blocks(const BlocksSettings& settings, const Make& make) {
  return std::visit(
      [&]<class Options>(const MultiBlockOptions<Options>& chosen) -> Made {
        constexpr bool is_narrowed = !std::is_same_v<Storage, double>;
        if constexpr (blocks_have<Options, Storage>) {
          using P = typename BlocksOf<Options>::template Type<n, Exec, Storage>;
          std::string const name = BlocksOf<Options>::name;
          if constexpr (P::block_size != n) {
            throw Error(name + " is for one unknown per point, not for " + std::to_string(n));
          } else {
            if (is_narrowed && settings.storage_fraction && !detail::is_tried<MultiBlock<P>, Storage>(chosen)) {
              return Made{};
            }
            if (MultiBlock<P>::has_coupling(chosen.coupling)) return make(std::type_identity<P>{}, chosen);
            throw Error(name + " has " +
                        detail::no_coupling<MultiBlock<P>>(
                            chosen.coupling,
                            is_narrowed ? std::string(" with storage ") + hyperplane::name(settings.storage) : ""));
          }
        }
        return Made{};
      },
      settings.options);
}

/// A MultiBlock<P> that is compiled with the rest of its block size.
template <class P>
class SizedBlocks : public TypedBlocks<typename P::execution_space> {
 public:
  using Exec = typename P::execution_space;
  using Plan = MultiBlock<P>;
  using Matrix = MultiBlockStencil7<double, P::block_size, Exec>;
  using Vector = typename Plan::Vector;
  virtual void factor(const Exec& exec, const Matrix& a) = 0;
  virtual void solve(const Exec& exec, const Vector& rhs, const Vector& x) const = 0;
  virtual void solve_transposed(const Exec& exec, const Vector& rhs, const Vector& x) const = 0;
  virtual typename Plan::Failure first_failure(const Exec& exec) const = 0;
};

template <class P>
class HeldBlocks final : public SizedBlocks<P> {
 public:
  using Base = SizedBlocks<P>;
  using Exec = typename Base::Exec;
  template <class... Arguments>
  explicit HeldBlocks(const Exec& exec, const MultiBlockGrid& grid, const Arguments&... arguments)
      : m_held(exec, grid, arguments...) {}

  void factor(const Exec& exec, const typename Base::Matrix& a) override { m_held.factor(exec, a); }
  void solve(const Exec& exec, const typename Base::Vector& rhs, const typename Base::Vector& x) const override {
    m_held.solve(exec, rhs, x);
  }
  void solve_transposed(const Exec& exec, const typename Base::Vector& rhs,
                        const typename Base::Vector& x) const override {
    m_held.solve_transposed(exec, rhs, x);
  }
  typename Base::Plan::Failure first_failure(const Exec& exec) const override { return m_held.first_failure(exec); }

 private:
  typename Base::Plan m_held;
};

/// The HeldBlocks of the settings, with what a constructor of MultiBlock takes behind them; null where it is compiled
/// in another part. Throws Error as make_of_blocks() does.
template <Part part, class Storage, int n, ExecutionSpace Exec>
std::unique_ptr<TypedBlocks<Exec>> make_held_blocks(const Exec& exec, const MultiBlockGrid& grid,
                                                    const BlocksSettings& settings,
                                                    const std::vector<int>& colours = {},
                                                    const std::shared_ptr<void>& remote = nullptr) {
  using Made = std::unique_ptr<TypedBlocks<Exec>>;
  return make_of_blocks<Made, n, Exec, Storage>(
      settings, [&]<class P>(std::type_identity<P>, const typename MultiBlock<P>::Options& chosen) -> Made {
        if constexpr (BlocksOf<typename P::Options>::part == part) {
          if constexpr (MultiBlock<P>::can_be_coloured) {
            if (remote != nullptr) {
              return std::make_unique<HeldBlocks<P>>(
                  exec, grid, chosen, colours, std::static_pointer_cast<typename MultiBlock<P>::RemoteColours>(remote));
            }
          }
          return std::make_unique<HeldBlocks<P>>(exec, grid, chosen);
        }
        return nullptr;
      });
}

}  // namespace hyperplane::run_time
