// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane.h>

#include <string>
#include <vector>

namespace hyperplane::tools {

/// Which table of the library a matrix has its preconditioners in.
enum class MatrixKind {
  stencil,  ///< on a grid
  rows,     ///< general, in compressed rows
};

/// What an option is for preconditioners that agree on all of it.
struct OptionMeaning {
  hyperplane_option_description description;
  MatrixKind matrix;
  std::vector<std::string> owners;  ///< the preconditioners

  /// "line_direction"
  std::string key() const;
  /// Whether it is a list of letters, of which the command line takes one, or `alternating` for all in turn.
  bool is_list() const { return description.type == HYPERPLANE_OPTION_CHOICES; }
  /// "X", "N", or the words that there are.
  std::string type_name() const;
  /// What is wrong with the text as a value; empty: nothing.
  std::string refusal(std::string text) const;
};

/// An option of preconditioners on the command line. Those that have an option of that name share it.
struct PreconditionerOption {
  std::string flag;                     ///< "--line-direction"
  std::vector<OptionMeaning> meanings;  ///< that differ
  std::string text;                     ///< what was given; empty: nothing

  /// Whether it says how many parts there are.
  bool is_parts() const { return meanings.front().description.type == HYPERPLANE_OPTION_COUNTS; }
  /// Whether it is one of preconditioners for matrices of the kind.
  bool is_for(MatrixKind matrix) const;
  /// For the preconditioner; nullptr where it has no such option.
  const OptionMeaning* meaning_for(MatrixKind matrix, const std::string& preconditioner) const;
  /// What was given, or what the preconditioner takes by itself; 1000 for "1e3" where it takes whole numbers,
  /// and 0.1 for "+.1" where it takes others.
  std::string value_for(const OptionMeaning& meaning) const;
  /// The same as the library takes it: of a list all letters, where it is `alternating`.
  std::string text_for(const OptionMeaning& meaning) const;
  /// What is wrong with the text for each preconditioner that has the option; empty where one of them takes it.
  std::string refusal(const std::string& value) const;
};

/// That it says for the identity.
inline constexpr const char* no_preconditioner = "none";
/// What the command line says for one direction after the other.
inline constexpr const char* alternating = "alternating";

/// The names of all preconditioners for matrices of the kind, the one that is best for most first. That of the identity
/// is "none".
std::vector<std::string> preconditioner_names(MatrixKind matrix);
/// Those of both kinds.
std::vector<std::string> preconditioner_names();
/// "a, b or c"
std::string join_with(const std::vector<std::string>& words, const char* last);
/// What they are: "block ILU(0), ..., block Jacobi or none".
std::string preconditioner_summaries();
hyperplane_preconditioner_description describe_preconditioner(MatrixKind matrix, const std::string& name);
/// All options of all preconditioners, without those that a single solve has no use for.
std::vector<PreconditionerOption> preconditioner_options();

/// "Of lines and ssor: relaxation, more than 0 and less than 2"; one behind the other where they differ, with what each
/// takes by itself where that does.
std::string help_of(const PreconditionerOption& option);
/// What the values are, where all preconditioners take the same kind, else "VALUE".
std::string type_name_of(const PreconditionerOption& option);
/// What all preconditioners take by themselves; empty where that differs.
std::string standard_of(const PreconditionerOption& option);

/// A preconditioner as hyperplane_preconditioner_create_named() makes it, or that of compressed rows.
struct NamedPreconditioner {
  std::string name;
  std::vector<std::string> options;  ///< "alpha=0.5"
};
/// Of the options those that were given, and that the preconditioner has.
NamedPreconditioner make_named(MatrixKind matrix, const std::string& name,
                               const std::vector<PreconditionerOption>& options);

}  // namespace hyperplane::tools
