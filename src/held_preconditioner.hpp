// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/stencil/block_vectors.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "preconditioner_table.hpp"
#include "sized_matrix.hpp"
#include "typed_objects.hpp"

namespace hyperplane::run_time {

/// A preconditioner whose block size, and the storage of whose matrix, are known.
template <int n, class Exec, class MatrixStorage, class Held>
class HeldPreconditioner final : public TypedPreconditioner<Exec> {
 public:
  using Vector = ShapedVector<Exec>;
  using Vectors = ShapedVectors<Exec>;
  using TypedPreconditioner<Exec>::factor;
  using TypedPreconditioner<Exec>::solve;
  HeldPreconditioner(const Exec& exec, const Grid& grid, const typename Held::Options& options)
      : m_held(exec, grid, options) {}

  void factor(const Exec& exec, const TypedMatrix<Exec>& a) override {
    m_held.factor(exec, dynamic_cast<const StencilMatrix<n, Exec, MatrixStorage>&>(a).stencil());
  }
  void factor(const Exec& exec, const TypedMatrix<Exec>& a, const std::int8_t* mask) override {
    if constexpr (requires { typename Held::Mask; }) {
      auto const& stencil = dynamic_cast<const StencilMatrix<n, Exec, MatrixStorage>&>(a).stencil();
      m_held.factor(exec, stencil, typename Held::Mask(mask, stencil.grid().size()));
    } else {
      TypedPreconditioner<Exec>::factor(exec, a, mask);
    }
  }
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const override {
    m_held.solve(exec, rhs.template as<n>(), x.template as<n>());
  }
  void solve(const Exec& exec, std::span<const Vector> rhs, std::span<const Vector> x) const override {
    using Sized = BlockVector<double, n, Exec>;
    if constexpr (requires(std::span<const Sized> several) { m_held.solve(exec, several, several); }) {
      auto const sized = [](std::span<const Vector> vectors) {
        std::vector<Sized> result;
        for (auto const& vector : vectors) result.push_back(vector.template as<n>());
        return result;
      };
      auto const from = sized(rhs), to = sized(x);
      m_held.solve(exec, std::span<const Sized>(from), std::span<const Sized>(to));
    } else {
      TypedPreconditioner<Exec>::solve(exec, rhs, x);
    }
  }
  void solve(const Exec& exec, const Vectors& rhs, const Vectors& x) const override {
    if constexpr (requires(const Several& several) { m_held.solve(exec, several, several); }) {
      m_held.solve(exec, rhs.template as<n>(), x.template as<n>());
    } else {
      TypedPreconditioner<Exec>::solve(exec, rhs, x);
    }
  }
  void require_transposed() const override {
    if constexpr (!has_transposed) throw Error("the preconditioner has no solve with its transpose");
  }
  void solve_transposed(const Exec& exec, const Vector& rhs, const Vector& x) const override {
    require_transposed();
    if constexpr (has_transposed) m_held.solve_transposed(exec, rhs.template as<n>(), x.template as<n>());
  }
  void solve_transposed(const Exec& exec, const Vectors& rhs, const Vectors& x) const override {
    if constexpr (requires(const Several& several) { m_held.solve_transposed(exec, several, several); }) {
      m_held.solve_transposed(exec, rhs.template as<n>(), x.template as<n>());
    } else {
      TypedPreconditioner<Exec>::solve_transposed(exec, rhs, x);
    }
  }
  FactorProblem problem(const Exec& exec) const override { return FactorProblem::of(m_held.status(exec)); }

 private:
  using Several = BlockVectors<double, n, grid_vectors, Exec>;
  static constexpr bool has_transposed = requires(
      const Held& held, const Exec& exec, const BlockVector<double, n, Exec>& v) { held.solve_transposed(exec, v, v); };

  Held m_held;
};

/// The plan of a line with the options of the settings. Throws Error where they name a coupling that it has not.
template <int n, class MatrixStorage, class Plan, class Exec, class Line>
std::unique_ptr<TypedPreconditioner<Exec>> make_plan(const Exec& exec, const Grid& grid, const Line& line,
                                                     const PreconditionerSettings& settings) {
  typename Plan::Options options;
  read_options(options, line, settings.options);
  if constexpr (requires { Plan::has_coupling(options.coupling); }) {
    if (!Plan::has_coupling(options.coupling)) {
      throw Error(std::string(line.name) + " has " +
                  detail::no_coupling<Plan>(
                      options.coupling,
                      is_short(settings.storage) ? std::string(" with storage ") + name(settings.storage) : ""));
    }
  }
  return std::make_unique<HeldPreconditioner<n, Exec, MatrixStorage, Plan>>(exec, grid, options);
}

/// What the table has for the settings, if that is of a part of it. Throws Error where it is not for blocks of n.
template <Part part, int n, class Exec>
std::unique_ptr<TypedPreconditioner<Exec>> make_held(const Exec& exec, const Grid& grid,
                                                     const PreconditionerSettings& settings) {
  std::unique_ptr<TypedPreconditioner<Exec>> made;
  auto const make = [&]<class Line, class Storage>(const Line& line, std::type_identity<Storage>) {
    made = make_plan<n, Storage, typename Line::template Plan<n, Exec, Storage>>(exec, grid, line, settings);
  };
  int kind = 0;
  for_each_preconditioner([&]<class Line>(const Line& line) {
    if (kind++ != settings.kind) return;
    if constexpr (Line::part == part && n <= Line::largest_block_size) {
      if (settings.storage == StorageKind::double_precision) {
        make(line, std::type_identity<double>{});
      } else {
        make(line, std::type_identity<float>{});
      }
    }
  });
  return made;
}

}  // namespace hyperplane::run_time
