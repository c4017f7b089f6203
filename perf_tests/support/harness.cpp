// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness.hpp"

#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>

namespace hyperplane::perf {

namespace {

std::string cpu_model() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (!line.starts_with("model name")) continue;
    auto const colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

const char* instruction_set() {
#if defined(__AVX512F__)
  return "AVX-512";
#elif defined(__AVX2__)
  return "AVX2";
#elif defined(__AVX__)
  return "AVX";
#else
  return "baseline";
#endif
}

std::string compiler() {
#if defined(__clang__)
  return "Clang " __clang_version__;
#else
  return "GCC " __VERSION__;
#endif
}

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string huge_pages() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string line;
  std::getline(file, line);
  return line;
}

/// Takes this project's options out of the arguments.
Settings take_settings(int& argc, char** argv) {
  Settings settings;
  std::string_view const repetitions = "--repetitions=";
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    std::string_view const argument = argv[i];
    if (argument == "--smoke") {
      settings.smoke = true;
    } else if (argument.starts_with(repetitions)) {
      settings.repetitions = std::max(1, std::atoi(argv[i] + repetitions.size()));
    } else {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  if (settings.smoke) {
    settings.repetitions = 2;
    settings.host_stream_bytes = std::size_t{4} << 20;
    settings.device_stream_bytes = settings.host_stream_bytes;
  }
  return settings;
}

void add_context(const Settings& settings) {
  std::ostringstream kokkos;
  kokkos << KOKKOS_VERSION / 10000 << '.' << KOKKOS_VERSION / 100 % 100 << '.' << KOKKOS_VERSION % 100;
  benchmark::AddCustomContext("cpu_model", cpu_model());
  benchmark::AddCustomContext("compiler", compiler());
  benchmark::AddCustomContext("instruction_set", instruction_set());
  benchmark::AddCustomContext("kokkos_version", kokkos.str());
  benchmark::AddCustomContext("execution_space", Kokkos::DefaultExecutionSpace::name());
  benchmark::AddCustomContext("threads", std::to_string(Kokkos::DefaultHostExecutionSpace().concurrency()));
  benchmark::AddCustomContext("OMP_PROC_BIND", environment("OMP_PROC_BIND"));
  benchmark::AddCustomContext("OMP_PLACES", environment("OMP_PLACES"));
  benchmark::AddCustomContext("transparent_huge_pages", huge_pages());
#if defined(KOKKOS_ENABLE_CUDA)
  auto const& device = Kokkos::Cuda().cuda_device_prop();
  int driver = 0;
  KOKKOS_IMPL_CUDA_SAFE_CALL(cudaDriverGetVersion(&driver));
  benchmark::AddCustomContext("device", device.name);
  benchmark::AddCustomContext("multiprocessors", std::to_string(device.multiProcessorCount));
  benchmark::AddCustomContext("cuda_runtime", std::to_string(CUDART_VERSION));
  benchmark::AddCustomContext("cuda_driver", std::to_string(driver));
#endif
  benchmark::AddCustomContext("smoke", settings.smoke ? "true" : "false");
}

}  // namespace

int run_benchmarks(int argc, char** argv,
                   const std::function<std::shared_ptr<void>(const Settings&)>& register_benchmarks,
                   benchmark::BenchmarkReporter* reporter) {
  try {
    Kokkos::ScopeGuard const kokkos(argc, argv);
    auto const settings = take_settings(argc, argv);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    add_context(settings);
    auto const kept = register_benchmarks(settings);
    benchmark::RunSpecifiedBenchmarks(reporter);
    // They may hold execution spaces, which must go before Kokkos does.
    benchmark::ClearRegisteredBenchmarks();
    benchmark::Shutdown();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}

void add_benchmark(const Settings& settings, const std::string& name,
                   const std::function<void(benchmark::State&)>& body, benchmark::TimeUnit unit) {
  benchmark::RegisterBenchmark(name.c_str(), body)->Iterations(settings.repetitions)->UseManualTime()->Unit(unit);
}

}  // namespace hyperplane::perf
