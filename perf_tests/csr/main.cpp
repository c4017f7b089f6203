// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// BILU(0), (1) and (2), ILUT, DILU, LU-SGS and SSOR of block CSR on a mesh, in all orders of the rows: levels, blocks
// and iterations, and the times of factor, solve and product with copy and triad next to every repetition. Verified by
// the residual of a system that is solved, computed from x. Solves with M^T, of block Jacobi and lines along couplings,
// too, and products with A^T, verified as adjoints and beside a reference. Products, solves and iterations with several
// right-hand sides, together and one after the other. Seven-point systems: BILU(0) for n = 5, and products for every n,
// with about as many bytes. With --mesh=FILE the mesh is one of tetrahedra that gmsh made, and the seven-point systems
// are left out.

#include "../support/suites.hpp"
#include "csr_suite.hpp"
#include "mesh_file.hpp"

#include <memory>
#include <string_view>

namespace hyperplane::perf {
namespace {

template <class Exec>
class Suite : public CsrSuite<Exec> {
 public:
  using CsrSuite<Exec>::CsrSuite;

  void register_all() {
    register_iluk(*this);
    register_narrow_ilu0(*this);
    register_relaxations(*this);
    register_ilut(*this);
    register_several_vectors(*this);
    if (!this->has_file()) register_stencils(*this);
    register_products(*this);
  }
};

/// Takes --mesh=FILE out of the arguments.
std::shared_ptr<MeshFile> take_mesh(int& argc, char** argv) {
  std::string_view const mesh = "--mesh=";
  std::shared_ptr<MeshFile> file;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]).starts_with(mesh)) {
      file = std::make_shared<MeshFile>(argv[i] + mesh.size());
    } else {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  return file;
}

}  // namespace
}  // namespace hyperplane::perf

int main(int argc, char** argv) {
  using namespace hyperplane::perf;
  auto const file = take_mesh(argc, argv);
  return run_on_all_spaces<Suite>(argc, argv, file);
}
