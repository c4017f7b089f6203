// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../support/cost_model.hpp"
#include "blocks.hpp"
#include "problem.hpp"
#include "reference.hpp"

#include <hyperplane/blocks/coupling.hpp>
#include <hyperplane/blocks/multi_block.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>

#include <memory>
#include <string>
#include <vector>

namespace hyperplane::perf {

/// A way to run a case: its name, what couples grid blocks in M, and whether the product is measured, too.
struct BlockWay {
  std::string name;
  Coupling coupling;
  bool apply;
};

/// The benchmarks of one way to run one case, which share a problem. `options` are those of the preconditioner. Costs
/// are those of the points as on one grid; what couplings across interfaces move besides is not counted.
template <int n, class Preconditioner, class Exec, class... Options>
void register_way(KernelBenchmarks<Exec>& benchmarks, BlockReferences& references, const BlockCase& blocks,
                  const BlockWay& way, const Options&... options) {
  using Problem = BlocksProblem<n, Exec, Preconditioner>;
  using Values = std::vector<double>;
  auto const make = [=, &references, exec = benchmarks.exec()] {
    auto made = std::make_shared<Problem>(exec, blocks, options...);
    // In the order of the box its parts do not matter, nor to the product.
    auto const box = std::to_string(n) + "/" + to_string(blocks.systems(n).front().grid);
    auto const parts = std::to_string(n) + "/" + blocks.name() + "/" + name(way.coupling);
    made->verify_solve(exec, references.solutions.get<Values>(way.coupling == Coupling::natural ? box : parts, [&] {
      return std::make_shared<Values>(reference_solve(blocks, n, way.coupling));
    }));
    if (way.apply) {
      made->verify_apply(exec, references.products.get<Values>(
                                   box, [&] { return std::make_shared<Values>(reference_apply(blocks, n)); }));
    }
    return made;
  };
  auto const key = std::string(Exec::name()) + "/" + way.name + "/double/n=" + std::to_string(n) + "/" + blocks.name();
  auto const add = [&](const std::string& kernel, const Cost& cost, void (*run)(Problem&, const Exec&)) {
    benchmarks.template add<Problem>(kernel + "/" + key, key, blocks.grid().size(), cost, make, run);
  };
  add("factor", factor_cost(n, sizeof(double), sizeof(double)), [](Problem& p, const Exec& e) { p.factor(e); });
  add("solve", solve_cost(n, sizeof(double), sizeof(double)), [](Problem& p, const Exec& e) { p.solve(e); });
  if (!way.apply) return;
  add("apply", apply_cost(n, sizeof(double), sizeof(double)), [](Problem& p, const Exec& e) { p.apply(e); });
}

template <int n, class Exec>
void register_list(KernelBenchmarks<Exec>& benchmarks, BlockReferences& references, const BlockCase& blocks) {
  using Blocks = MultiBlock<BlockIlu0<double, n, Exec>>;
  register_way<n, OneByOne<n, Exec>>(benchmarks, references, blocks, {"one_by_one", Coupling::none, false});
  register_way<n, Blocks>(benchmarks, references, blocks, {"none", Coupling::none, false},
                          typename Blocks::Options{.coupling = Coupling::none});
}

template <int n, class Exec>
void register_cuts(KernelBenchmarks<Exec>& benchmarks, BlockReferences& references, const BoxCuts& cuts) {
  using Blocks = MultiBlock<BlockIlu0<double, n, Exec>>;
  // Those of one reference follow one another.
  register_way<n, OneByOne<n, Exec>>(benchmarks, references, BlockCase(cuts.box, {1, 1, 1}),
                                     {"whole", Coupling::natural, true});
  for (auto const coupling : {Coupling::natural, Coupling::coloured, Coupling::none}) {
    for (auto const& parts : cuts.parts) {
      register_way<n, Blocks>(benchmarks, references, BlockCase(cuts.box, parts),
                              {name(coupling), coupling, coupling == Coupling::none},
                              typename Blocks::Options{.coupling = coupling});
    }
  }
}

}  // namespace hyperplane::perf
