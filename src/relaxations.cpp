// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane/array/scalar_field.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/field/field_jacobi.hpp>
#include <hyperplane/field/field_ssor.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>
#include <utility>

#include "typed_arrays.hpp"
#include "typed_objects.hpp"

namespace hyperplane::run_time {

namespace {

template <class Plan, class A, class Exec>
class RelaxationOn final : public Relaxation {
  using T = typename Plan::scalar_type;
  using Field = ScalarField<T, Exec>;

 public:
  RelaxationOn(const Exec& exec, const Grid& grid, const A& a, ScalarKind scalar, Plan plan)
      : m_exec(exec), m_grid(grid), m_a(a), m_scalar(scalar), m_plan(std::move(plan)) {}

  void factor() override {
    m_plan.factor(m_exec, m_a);
    finish(m_exec);
    m_factored = true;
  }
  FactorProblem problem() const override {
    require(m_factored, "called before factor");
    if constexpr (requires { m_plan.status(m_exec); }) return FactorProblem::of(m_plan.status(m_exec));
    return {};
  }
  void solve(const Array& r, const Array& z) const override {
    m_plan.solve(m_exec, field("r", r), field("z", z));
    finish(m_exec);
  }

 private:
  Field field(const char* argument, const Array& array) const {
    Box const box = Box::of(m_grid);
    if (array.scalar != m_scalar) throw Error(std::string(argument) + " has another scalar type than the relaxation");
    auto const values = typed_array<T>(m_exec, box, array);
    std::int64_t stride = 1;
    bool ok = values.components() == 1 && values.data() != nullptr;
    int const extents[3] = {m_grid.ni(), m_grid.nj(), m_grid.nk()};
    for (int d = 0; d < 3; ++d) {
      ok = ok && values.extent(d) == extents[d] && (extents[d] == 1 || values.stride(d) == stride);
      stride *= extents[d];
    }
    if (!ok) throw Error(std::string(argument) + " is not a contiguous array of " + to_string(m_grid) + " points");
    return Field(m_grid, typename Field::Flat(values.data(), static_cast<std::size_t>(m_grid.size())));
  }

  Exec m_exec;
  Grid m_grid;
  A m_a;
  ScalarKind m_scalar;
  Plan m_plan;
  bool m_factored = false;
};

template <class A, class Exec>
std::unique_ptr<Relaxation> make_on(const Exec& exec, const Grid& grid, const A& a,
                                    const RelaxationSettings& settings) {
  auto const make = [&]<class Plan>(Plan plan) {
    return std::make_unique<RelaxationOn<Plan, A, Exec>>(exec, grid, a, settings.scalar, std::move(plan));
  };
  if (settings.kind == RelaxationKind::jacobi) {
    return make(FieldJacobi<A, Exec>(exec, grid, {.relaxation = settings.relaxation, .sweeps = settings.sweeps}));
  }
  auto const ordering = settings.kind == RelaxationKind::red_black ? SsorOrdering::red_black : SsorOrdering::hyperplane;
  return make(FieldSsor<A, Exec>(exec, grid, {.relaxation = settings.relaxation, .ordering = ordering}));
}

}  // namespace

template <ExecutionSpace Exec>
std::unique_ptr<Relaxation> make_relaxation(const Exec& exec, const Grid& grid, const Stencil& a,
                                            const RelaxationSettings& settings) {
  return with_real(
      "relaxation",
      [&]<class T>() {
        if (a.arrays.empty()) return make_on(exec, grid, constant_stencil<T>(a), settings);
        if (a.arrays.front().scalar != settings.scalar) {
          throw Error("the stencil has another scalar type than the relaxation");
        }
        Box const box = Box::of(grid);
        for (auto const& array : a.arrays) {
          bool ok = true;
          int const extents[3] = {grid.ni(), grid.nj(), grid.nk()};
          for (int d = 0; d < 3; ++d) ok = ok && array.extents[d] >= extents[d];
          if (!ok) throw Error("an array of the stencil has less than " + to_string(grid) + " points");
        }
        return make_on(exec, grid, variable_stencil<T>(exec, box, a), settings);
      },
      settings.scalar);
}

#define HYPERPLANE_INSTANTIATE(Exec)                                                             \
  template std::unique_ptr<Relaxation> make_relaxation(const Exec&, const Grid&, const Stencil&, \
                                                       const RelaxationSettings&);
#ifdef KOKKOS_ENABLE_SERIAL
HYPERPLANE_INSTANTIATE(Kokkos::Serial)
#endif
#ifdef KOKKOS_ENABLE_OPENMP
HYPERPLANE_INSTANTIATE(Kokkos::OpenMP)
#endif
#ifdef KOKKOS_ENABLE_CUDA
HYPERPLANE_INSTANTIATE(Kokkos::Cuda)
#endif

}  // namespace hyperplane::run_time
