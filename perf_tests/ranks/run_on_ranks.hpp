// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../support/harness.hpp"
#include "../support/suites.hpp"

#include <benchmark/benchmark.h>
#include <mpi.h>

#include <string>
#include <string_view>
#include <vector>

/// Benchmarks that all ranks of MPI run together, and rank 0 reports.
namespace hyperplane::perf {

/// The largest number of all ranks.
inline double largest(double number) {
  double result = 0;
  MPI_Allreduce(&number, &result, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return result;
}

inline int ranks() {
  int result = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &result);
  return result;
}

class NoReport : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

/// With MPI initialized.
template <class... Suites>
int run_suites_on_ranks(int argc, char** argv) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  benchmark::AddCustomContext("ranks", std::to_string(ranks()));
  auto const register_all = [](const Settings& settings) { return register_suites<Suites...>(settings); };
  if (rank == 0) return run_benchmarks(argc, argv, register_all);
  // One process writes the file.
  std::vector<char*> arguments;
  for (int i = 0; i < argc; ++i) {
    if (!std::string_view(argv[i]).starts_with("--benchmark_out")) arguments.push_back(argv[i]);
  }
  auto const count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  NoReport none;
  return run_benchmarks(count, arguments.data(), register_all, &none);
}

/// The main function of a benchmark of these suites.
template <class... Suites>
int run_on_ranks(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int const status = run_suites_on_ranks<Suites...>(argc, argv);
  // Others may wait for a rank that failed by itself.
  if (status != 0) MPI_Abort(MPI_COMM_WORLD, status);
  MPI_Finalize();
  return status;
}

}  // namespace hyperplane::perf
