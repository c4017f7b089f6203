// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "block_values.hpp"
#include "jacobian.hpp"

#include <vector>

namespace implicit_flow {

template <hyperplane::ExecutionSpace Exec>
struct StoreState {
  Field<Exec> conserved;
  Quintet<double> state;

  KOKKOS_FUNCTION void operator()(const hyperplane::Point& p) const { store(conserved, p, state); }
};

/// Sets every cell to the same conserved state.
template <hyperplane::ExecutionSpace Exec>
void fill(const Exec& exec, const Field<Exec>& conserved, const hyperplane::Grid& cells, const Quintet<double>& state) {
  for_each_point(exec, "implicit_flow::fill", cells, StoreState<Exec>{conserved, state});
}

template <hyperplane::ExecutionSpace Exec>
struct CopyPrimitive {
  Problem<Exec> problem;
  Field<Exec> conserved;
  Kokkos::View<Quintet<double>*, typename Exec::memory_space> states;

  KOKKOS_FUNCTION void operator()(const hyperplane::Point& p) const {
    states(problem.metrics.cells.index(p)) = problem.gas.primitive(load(conserved, p));
  }
};

/// The primitive states of all cells on the host, in the order of their numbers: only these are copied, without ghost
/// cells.
template <hyperplane::ExecutionSpace Exec>
std::vector<Quintet<double>> primitive_states(const Exec& exec, const Problem<Exec>& problem,
                                              const Field<Exec>& conserved) {
  auto const cells = problem.metrics.cells;
  Kokkos::View<Quintet<double>*, typename Exec::memory_space> const states(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "states"), static_cast<std::size_t>(cells.size()));
  for_each_point(exec, "implicit_flow::states", cells, CopyPrimitive<Exec>{problem, conserved, states});
  std::vector<Quintet<double>> result(states.size());
  Kokkos::deep_copy(exec,
                    Kokkos::View<Quintet<double>*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                        result.data(), result.size()),
                    states);
  exec.fence("implicit_flow::states");
  return result;
}

struct SumProducts {
  const double* left;
  const double* right;

  KOKKOS_FUNCTION void operator()(std::size_t index, double& partial) const { partial += left[index] * right[index]; }
};

/// Over all unknowns of vectors over grid blocks. Waits for the instance, like all functions here that return
/// something.
template <hyperplane::ExecutionSpace Exec, class Vector>
double dot(const Exec& exec, const Vector& x, const Vector& y) {
  auto const left = x.flat(), right = y.flat();
  double sum = 0;
  Kokkos::parallel_reduce("implicit_flow::dot", Kokkos::RangePolicy<Exec>(exec, 0, left.size()),
                          SumProducts{left.data(), right.data()}, sum);
  return sum;
}

template <hyperplane::ExecutionSpace Exec>
struct SumFluxScales {
  Problem<Exec> problem;
  Field<Exec> conserved;

  KOKKOS_FUNCTION void operator()(std::int64_t number, double& partial) const {
    auto const p = problem.metrics.cells.point(number);
    auto const u = load(conserved, p);
    double const radius = spectral_radius(problem, problem.gas.primitive(u), p);
    for (int c = 0; c < equations; ++c) partial += radius * u[c] * radius * u[c];
  }
};

/// Square of the 2-norm of spectral radius times state: how large the sum of fluxes would be if nothing cancelled.
template <hyperplane::ExecutionSpace Exec>
void flux_scale_squared(const Exec& exec, const Problem<Exec>& problem, const Field<Exec>& conserved,
                        const typename BlockValues<Exec>::Value& result) {
  Kokkos::parallel_reduce("implicit_flow::flux_scale", Kokkos::RangePolicy<Exec>(exec, 0, problem.metrics.cells.size()),
                          SumFluxScales<Exec>{problem, conserved},
                          Kokkos::Sum<double, typename Exec::memory_space>(result));
}

/// Largest fraction of the change du that neither doubles nor halves the density, nor halves the pressure; next to
/// nothing where du is not finite.
KOKKOS_INLINE_FUNCTION double safe_fraction(const Gas& gas, const Quintet<double>& u, const Quintet<double>& du) {
  double fraction = 1;
  if (du[0] > u[0]) fraction = u[0] / du[0];
  if (-du[0] > 0.5 * u[0]) fraction = 0.5 * u[0] / -du[0];
  double const pressure = gas.primitive(u)[4];
  for (int halving = 0; halving < 10; ++halving) {
    auto after = u;
    for (int c = 0; c < equations; ++c) after[c] += fraction * du[c];
    if (gas.primitive(after)[4] > 0.5 * pressure) return fraction;
    fraction *= 0.5;
  }
  return fraction;
}

template <hyperplane::ExecutionSpace Exec>
struct FindLargestFraction {
  Gas gas;
  Field<Exec> conserved;
  typename hyperplane::BlockVector<double, equations, Exec>::Ref du;

  KOKKOS_FUNCTION void operator()(std::int64_t number, double& least) const {
    auto const p = du.grid().point(number);
    Quintet<double> step;
    for (int c = 0; c < equations; ++c) step[c] = du(p, c);
    least = Kokkos::fmin(least, safe_fraction(gas, load(conserved, p), step));
  }
};

/// The least safe_fraction() of all cells.
template <hyperplane::ExecutionSpace Exec>
void largest_fraction(const Exec& exec, const Gas& gas, const Field<Exec>& conserved,
                      const hyperplane::BlockVector<double, equations, Exec>& change,
                      const typename BlockValues<Exec>::Value& result) {
  Kokkos::parallel_reduce("implicit_flow::largest_fraction", Kokkos::RangePolicy<Exec>(exec, 0, change.grid().size()),
                          FindLargestFraction<Exec>{gas, conserved, change.ref()},
                          Kokkos::Min<double, typename Exec::memory_space>(result));
}

template <hyperplane::ExecutionSpace Exec>
struct AddChange {
  Field<Exec> conserved;
  typename hyperplane::BlockVector<double, equations, Exec>::Ref du;
  double fraction;

  KOKKOS_FUNCTION void operator()(const hyperplane::Point& p) const {
    for (int c = 0; c < equations; ++c) value_at(conserved, p, c) += fraction * du(p, c);
  }
};

template <hyperplane::ExecutionSpace Exec>
void add_change(const Exec& exec, const Field<Exec>& conserved,
                const hyperplane::BlockVector<double, equations, Exec>& change, double fraction) {
  for_each_point(exec, "implicit_flow::add_change", change.grid(), AddChange<Exec>{conserved, change.ref(), fraction});
}

}  // namespace implicit_flow
