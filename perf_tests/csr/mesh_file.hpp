// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "dual_mesh.hpp"
#include "gmsh_mesh.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

namespace hyperplane::perf {

/// The mesh of a file of gmsh, which is read when it is needed first.
class MeshFile {
 public:
  explicit MeshFile(std::string path) : m_path(std::move(path)) {}

  std::string name() const { return std::filesystem::path(m_path).stem().string(); }

  const DualMesh& mesh() {
    if (!m_mesh) m_mesh = std::make_unique<DualMesh>(GmshReader(m_path).read());
    return *m_mesh;
  }

 private:
  std::string m_path;
  std::unique_ptr<DualMesh> m_mesh;
};

}  // namespace hyperplane::perf
