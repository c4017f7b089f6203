// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace hyperplane::tools {

/// "; did you mean solve?" where one of the names is close to the word, or begins with it and is the only one that
/// does; else nothing.
std::string suggestion(const std::string& word, const std::vector<std::string>& names);

/// Throws InputError where the environment has a variable whose name is almost that of one that is read.
void check_environment();

/// The backend that is wanted, or that the environment wants, as contexts of the library choose it; an error suggests
/// one.
std::string choose_backend(const std::string& wanted);

}  // namespace hyperplane::tools
