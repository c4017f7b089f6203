// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Primitives on boxes of three-dimensional arrays: reductions, updates, packing, seven-point stencils, each verified
// once, then timed with copy and triad next to every repetition. Several sets of arrays take turns, so that none is in
// a cache. Beside them cuBLAS' dot and the runtime's copy on CUDA, and Kokkos Kernels' dot where it is found; and
// BiCGStab with a convergence test every iteration and every hundredth.

#include "support/cache.hpp"
#include "support/harness.hpp"
#include "support/primitives_problem.hpp"
#include "support/suites.hpp"

#include <hyperplane/array/box_packer.hpp>
#include <hyperplane/array/reductions.hpp>
#include <hyperplane/array/stencil7.hpp>
#include <hyperplane/array/updates.hpp>
#include <hyperplane/field/field_jacobi.hpp>
#include <hyperplane/field/field_ssor.hpp>
#include <hyperplane/krylov/bicgstab.hpp>

#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace hyperplane::perf {
namespace {

template <class Exec>
class Suite {
 public:
  explicit Suite(const Settings& settings)
      : m_settings(settings), m_stream(std::make_shared<Stream<Exec>>(m_exec, settings.stream_bytes<Exec>())) {}

  void register_all() {
    auto const sizes = m_settings.smoke ? std::vector<int>{9} : std::vector<int>{128, 256};
    for (int const n : sizes) {
      register_scalar<double>(n);
      register_scalar<float>(n);
    }
    register_double(sizes.front());
    for (int const n : m_settings.smoke ? std::vector<int>{9} : std::vector<int>{32, 64, 128}) register_krylov(n);
  }

 private:
  template <class T>
  using Problem = PrimitivesProblem<T, Exec>;
  template <class T>
  using Run = std::function<void(const Problem<T>&, const PrimitiveSet<T, Exec>&, const Exec&)>;

  template <class T>
  void register_scalar(int n) {
    using P = Problem<T>;
    using S = PrimitiveSet<T, Exec>;
    double const value = sizeof(T);
    for (bool const inside : {false, true}) {
      std::string const part = inside ? "/inside" : "/whole";
      auto const add = [&](const char* name, double values, double flops, const Run<T>& run) {
        this->add<T>(name + part, n, {values * value, flops}, run);
      };
      add("sum", 1, 1, [=](const P& p, const S& s, const Exec& e) {
        p.m_reductions.sum(e, p.box(inside), p.array(s.m_x, inside), p.result());
      });
      add("dot", 2, 2, [=](const P& p, const S& s, const Exec& e) {
        p.m_reductions.dot(e, p.box(inside), p.array(s.m_x, inside), p.array(s.m_y, inside), p.result());
      });
      add("norm_inf", 1, 1, [=](const P& p, const S& s, const Exec& e) {
        p.m_reductions.norm_inf(e, p.box(inside), p.array(s.m_x, inside), p.result());
      });
      add("copy", 2, 0, [=](const P& p, const S& s, const Exec& e) {
        copy(e, p.box(inside), p.array(s.m_x, inside), p.array(s.m_z, inside));
      });
      add("axpy", 3, 2, [=](const P& p, const S& s, const Exec& e) {
        axpy(e, p.box(inside), T(0.5), p.array(s.m_x, inside), p.array(s.m_z, inside));
      });
      add("apply_constant", 2, 13, [=](const P& p, const S& s, const Exec& e) {
        apply(e, p.box(inside), p.m_constant, p.array(s.m_x, inside), p.array(s.m_z, inside));
      });
    }
#if defined(KOKKOS_ENABLE_CUDA)
    if constexpr (CudaExecutionSpace<Exec>) {
      this->add<T>("copy/runtime", n, {2 * value, 0},
                   [](const P& p, const S& s, const Exec& e) { p.runtime_copy(e, s); });
    }
#endif
    this->add<T>(
        "dots_4_of_3_arrays", n, {3 * value, 8}, [](const P& p, const S& s, const Exec& e) { p.fused(e, s); },
        [](const P& p, const S& s, const Exec& e) { p.separate(e, s); });
    this->add<T>(
        "dots_2_of_2_arrays", n, {2 * value, 4}, [](const P& p, const S& s, const Exec& e) { p.fused_two(e, s); },
        [](const P& p, const S& s, const Exec& e) { p.separate_two(e, s); });
    this->add<T>(
        "update_dot", n, {6 * value, 6}, [](const P& p, const S& s, const Exec& e) { p.fused_update(e, s); },
        [](const P& p, const S& s, const Exec& e) { p.separate_update(e, s); });
    this->add<T>("pack/box", n, {2 * value, 0},
                 [](const P& p, const S& s, const Exec& e) { s.m_box_packer.pack(e, p.m_buffer); });
    this->add<T>("unpack/box", n, {2 * value, 0},
                 [](const P& p, const S& s, const Exec& e) { s.m_box_packer.unpack(e, p.m_buffer); });
    this->add<T>("pack/transposed", n, {2 * value, 0},
                 [](const P& p, const S& s, const Exec& e) { s.m_transposed_packer.pack(e, p.m_buffer); });
  }

  void register_double(int n) {
    using T = double;
    using P = Problem<T>;
    using S = PrimitiveSet<T, Exec>;
    double const value = sizeof(T);
    add<T>("apply_variable/whole", n, {9 * value, 13}, [](const P& p, const S& s, const Exec& e) {
      apply(e, p.box(false), p.variable(s), p.array(s.m_x, false), p.array(s.m_z, false));
    });
    // Points of six faces, two layers of three fields: a launch.
    add<T>("pack/faces", n, {2 * value * PrimitiveSet<T, Exec>::face_points(n) / (double(n) * n * n), 0},
           [](const P& p, const S& s, const Exec& e) { s.m_face_packer.pack(e, p.m_buffer); });
#if defined(HYPERPLANE_PERF_KOKKOS_KERNELS)
    add<T>("dot/kokkos_kernels", n, {2 * value, 2},
           [](const P& p, const S& s, const Exec& e) { p.kokkos_blas_dot(e, s); });
#endif
#if defined(KOKKOS_ENABLE_CUDA)
    if constexpr (CudaExecutionSpace<Exec>) {
      add<T>("dot/cublas", n, {2 * value, 2}, [](const P& p, const S& s, const Exec& e) { p.cublas_dot(e, s); });
    }
#endif
  }

  template <class T>
  void add(const std::string& kernel, int n, const Cost& cost, const Run<T>& run, const Run<T>& separate = {}) {
    std::string const type = sizeof(T) == 8 ? "double" : "float";
    auto const key = std::string(Exec::name()) + "/" + type + "/" + to_string(Grid(n, n, n));
    add_benchmark(m_settings, kernel + "/" + key, [=, this](benchmark::State& state) {
      auto& problem = m_problem.get<Problem<T>>(key, [&] {
        auto made = std::make_shared<Problem<T>>(m_exec, n);
        made->verify(m_exec);
        return made;
      });
      // Work for about a millisecond on a device, in which launches follow one another.
      int const rounds = HostExecutionSpace<Exec> || m_settings.smoke ? 1 : n <= 128 ? 16 : 8;
      auto const all = [&](const Run<T>& function) {
        for (int round = 0; round < rounds; ++round) {
          for (auto const& set : problem.m_sets) function(problem, set, m_exec);
        }
      };
      auto const points = std::int64_t{n} * n * n * rounds * std::ssize(problem.m_sets);
      time_kernel(state, m_exec, *m_stream, points, cost, [&] { all(run); });
      if (!separate) return;
      Samples times;
      for (int r = 0; r < m_settings.repetitions; ++r) times.add(seconds_of(m_exec, [&] { all(separate); }));
      state.counters["separate_ms"] = 1e3 * times.best();
      state.counters["times_as_fast"] = 1e3 * times.best() / state.counters["best_ms"];
    });
  }

  /// 100 iterations of BiCGStab with red-black SSOR, with a look at the residual after each, or after all of them.
  void register_krylov(int n) {
    using Matrix = ConstantStencil7<double>;
    using Vector = ScalarField<double, Exec>;
    auto settings = m_settings;
    settings.repetitions = m_settings.smoke ? 1 : 5;
    add_benchmark(settings, "bicgstab_check_interval/" + std::string(Exec::name()) + "/" + to_string(Grid(n, n, n)),
                  [=, this](benchmark::State& state) {
                    Grid const grid(n, n, n);
                    Matrix const a{-1, -1, -1, 6.001, -1, -1, -1};
                    Vector const b(m_exec, grid), x(m_exec, grid);
                    fill(m_exec, Box::of(grid), 1.0, b);
                    FieldSsor<Matrix, Exec> ssor(m_exec, grid);
                    ssor.factor(m_exec, a);
                    int const iterations = m_settings.smoke ? 3 : 100;
                    BiCgStab<Vector> const often(m_exec, grid, {.tolerance = 0, .max_iterations = iterations});
                    BiCgStab<Vector> const rarely(
                        m_exec, grid, {.tolerance = 0, .max_iterations = iterations, .check_interval = 100});
                    auto const seconds = [&](const BiCgStab<Vector>& method) {
                      fill(m_exec, Box::of(grid), 0.0, x);
                      return seconds_of(m_exec, [&] { method.solve(m_exec, a, ssor, b, x); });
                    };
                    seconds(often);
                    seconds(rarely);
                    Samples each, last;
                    for (auto _ : state) {
                      each.add(seconds(often));
                      last.add(seconds(rarely));
                      state.SetIterationTime(last.seconds().back());
                    }
                    state.counters["interval_1_ms"] = 1e3 * each.best();
                    state.counters["interval_100_ms"] = 1e3 * last.best();
                    state.counters["us/iteration"] = 1e6 * last.best() / iterations;
                    state.counters["times_as_fast"] = each.best() / last.best();
                  });
  }

  Settings m_settings;
  Exec m_exec;
  std::shared_ptr<Stream<Exec>> m_stream;
  Cache m_problem;
};

}  // namespace
}  // namespace hyperplane::perf

int main(int argc, char** argv) { return hyperplane::perf::run_on_all_spaces<hyperplane::perf::Suite>(argc, argv); }
