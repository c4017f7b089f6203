// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// An equation of one's own with the swept rule: a sine wave steepens under Burgers' equation. Says how the solution
// compares with the exact one, and writes both.

#include <hyperplane/swept/swept_rule.hpp>

#include <Kokkos_Core.hpp>
#include <executables/threads.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <numbers>

#include "burgers.hpp"

namespace {

/// u = -2 nu phi_x / phi where phi solves the heat equation (E. Hopf, doi:10.1002/cpa.3160030302; J. D. Cole,
/// doi:10.1090/qam/42889), for u = sin x at the beginning: integrals of Gaussians, by the trapezoidal rule.
double exact(double x, double time, double viscosity) {
  double above = 0.0, below = 0.0;
  double const width = std::sqrt(4 * viscosity * time);
  for (int k = -2000; k <= 2000; ++k) {
    double const s = 0.004 * k;
    double const y = x - width * s;
    // phi = exp(-1/(2 nu) integral of u), but for a factor.
    double const weight = std::exp(-s * s + (std::cos(y) - 1) / (2 * viscosity));
    above += s * width / time * weight;
    below += weight;
  }
  return above / below;
}

int run(int points, const char* path) {
  using Exec = Kokkos::DefaultExecutionSpace;
  Exec const exec;
  double const viscosity = 0.1;
  double const time = 1.0;
  double const dx = 2 * std::numbers::pi / points;
  auto const steps = static_cast<int>(std::ceil(time / (0.2 * dx * dx / viscosity + 1e-300)));
  Burgers const equation(time / steps, dx, viscosity);

  hyperplane::SweptLine<Burgers, Exec> const u("u", points, 1);
  auto const host = Kokkos::create_mirror_view(u);
  for (int i = 0; i < points; ++i) host(i, 0) = std::sin(i * dx);
  Kokkos::deep_copy(exec, u, host);

  hyperplane::SweptRule<Burgers, Exec> rule(exec, equation, points);
  rule.advance(exec, u, steps);

  Kokkos::deep_copy(exec, host, u);
  exec.fence();
  std::ofstream file(path);
  file << "x,u,exact\n";
  double error = 0.0;
  for (int i = 0; i < points; ++i) {
    double const expected = exact(i * dx, time, viscosity);
    error = std::max(error, std::abs(host(i, 0) - expected));
    file << i * dx << ',' << host(i, 0) << ',' << expected << '\n';
  }
  std::printf("%d points, %d steps (%s): largest error %.2e\n", points, steps, name(rule.variant()), error);
  // Second order in space: 2e-3 at 200 points.
  return file && error < 100 / (static_cast<double>(points) * points) ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  hyperplane::executables::let_waiting_threads_sleep(argv);
  try {
    Kokkos::ScopeGuard const kokkos(argc, argv);
    return run(argc > 1 ? std::atoi(argv[1]) : 400, argc > 2 ? argv[2] : "burgers.csv");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}
