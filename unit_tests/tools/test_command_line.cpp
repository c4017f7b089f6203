// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "c/c_names.hpp"
#include "support/folded_order.hpp"
#include "tools/command_line.hpp"

namespace hyperplane::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST_F(CommandLine, solves_with_every_method_preconditioner_and_storage) {
  for (std::string const method : {"richardson", "bicgstab", "fgmres", "fgcrodr"}) {
    for (auto const& listed : c_preconditioners()) {
      if (listed.description.largest_block_size < n || listed.kind == HYPERPLANE_IDENTITY) continue;
      auto const preconditioner = listed.name();
      for (std::string const storage : {"double", "float"}) {
        auto const outcome =
            solve("--method " + method + " --preconditioner " + preconditioner + " --storage " + storage);
        EXPECT_EQ(outcome.status, 0) << outcome.output;
        EXPECT_THAT(outcome.output, ::testing::StartsWith("converged after "));
        if (storage == "double") expect_solution();
      }
    }
  }
  EXPECT_EQ(solve("--preconditioner none").status, 0);
  auto const scalar = random_stencil(grid, 1);
  write("A1.mtx", coordinate_file(scalar));
  write("b1.mtx", tools::format_vector(scalar.apply(random_vector(grid.size()))));
  EXPECT_EQ(
      run("solve A1.mtx --rhs b1.mtx --grid 4x3x5 --block-size 1 --preconditioner sip --alpha 0.5 --history h.json")
          .status,
      0);
  EXPECT_THAT(read("h.json"), HasSubstr("\"alpha\": 0.5"));
  EXPECT_EQ(solve("--preconditioner ssor --relaxation 1.2").status, 0);
  EXPECT_THAT(read("h.json"), HasSubstr("\"relaxation\": 1.2"));
  for (std::string const direction : {"i", "j", "k", "alternating"}) {
    EXPECT_EQ(solve("--preconditioner lines --line-sweeps 2 --line-direction " + direction).status, 0);
    expect_solution();
    EXPECT_THAT(read("h.json"), HasSubstr("\"line_direction\": \"" + direction + "\""));
  }
  expect_solution();
}

TEST_F(CommandLine, stores_factors_in_few_bits) {
  for (std::string const storage : {"half", "bfloat16", "quarter"}) {
    for (std::string const preconditioner : {"bilu0", "ssor --parts 2x1x1"}) {
      auto const outcome = solve("--storage " + storage + " --preconditioner " + preconditioner);
      EXPECT_EQ(outcome.status, 0) << outcome.output;
      expect_solution();
      EXPECT_THAT(read("h.json"), HasSubstr("\"storage\": \"" + storage + "\""));
    }
  }
  std::filesystem::remove(folder / "x.mtx");
  expect_refused(solve("--storage quarter --preconditioner jacobi"),
                 "--storage quarter: --preconditioner jacobi does not have it, but bilu0 and ssor\n");
  expect_refused(solve("--storage half --preconditioner lines"),
                 "--storage half: --preconditioner lines does not have it, but bilu0, sip, ssor and jacobi\n");
  expect_refused(solve("--storage half --parts 2x1x1 --coupling natural"),
                 "bilu0 has no coupling natural with storage half");
  expect_refused(solve("--storage quad"),
                 "--storage: 'quad' is not one of double|float|half|bfloat16|quarter|automatic");
}

TEST_F(CommandLine, products_that_read_a_copy_keep_the_solution) {
  for (std::string const options :
       {"float", "float --storage float", "float --storage half --method fgmres", "float --method fgcrodr",
        "float --method richardson --max-iterations 1000", "float --preconditioner lines --storage float",
        "half --storage half", "bfloat16 --method fgmres", "half --parts 2x1x1 --coupling coloured"}) {
    SCOPED_TRACE(options);
    auto const outcome = solve("--tolerance 1e-12 --product-storage " + options);
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    EXPECT_THAT(read("h.json"), HasSubstr("\"product_storage\": \"" + options.substr(0, options.find(' ')) + "\""));
    EXPECT_TRUE(near(tools::read_vector(folder / "x.mtx", grid.size() * n), solution, 1e-10));
    std::filesystem::remove(folder / "x.mtx");
  }
  EXPECT_EQ(solve().status, 0);
  EXPECT_THAT(read("h.json"), HasSubstr("\"product_storage\": \"same\""));
  std::filesystem::remove(folder / "x.mtx");
  expect_refused(solve("--product-storage quad"), "--product-storage: 'quad' is not one of same|float|half|bfloat16");
  expect_refused(solve("--product-storage half --storage float"),
                 "--product-storage half: --storage float makes factors of a matrix of floats, which there is not");
}

TEST_F(CommandLine, says_what_storage_it_has_chosen) {
  auto const expect = [&](const std::string& options, const std::string& chosen) {
    auto const outcome = solve("--storage automatic " + options);
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr(", factors as " + chosen + ')'));
    EXPECT_THAT(read("h.json"),
                AllOf(HasSubstr("\"storage\": \"automatic\""), HasSubstr("\"chosen_storage\": \"" + chosen + '"')));
    expect_solution();
  };
  expect("", "half");
  expect("--preconditioner ssor", "half");
  expect("--storage-fraction 1e-5", "float");
  EXPECT_THAT(read("h.json"), HasSubstr("\"storage_fraction\": 1e-05"));
  expect("--storage-fraction 0", "double");
  std::filesystem::remove(folder / "x.mtx");
  expect_refused(solve("--storage automatic --preconditioner lines"),
                 "--storage automatic: --preconditioner lines does not have it, but bilu0, sip, ssor and jacobi\n");
  expect_refused(solve("--storage automatic --storage-fraction -1"), "--storage-fraction: -1 is less than 0");
  expect_refused(solve("--storage half --storage-fraction 0.1"), "--storage-fraction 0.1: needs --storage automatic\n");
}

TEST_F(CommandLine, has_a_preconditioner_of_ones_own) {
  auto const names = c_names(hyperplane_preconditioners());
  if (std::ranges::count(names, "diagonal") == 0) GTEST_SKIP() << "this library is built without it";
  EXPECT_EQ(solve("--preconditioner diagonal --damping 0.8").status, 0);
  expect_solution();
  EXPECT_THAT(read("h.json"), AllOf(HasSubstr("\"preconditioner\": \"diagonal\""), HasSubstr("\"damping\": 0.8")));
  std::filesystem::remove(folder / "x.mtx");
  expect_refused(solve("--preconditioner diagonal --damping 0"), "--damping: 0 is not more than 0 and at most 1");
}

TEST_F(CommandLine, an_option_is_what_it_is_for_the_preconditioner_that_is_chosen) {
  auto const names = c_names(hyperplane_preconditioners());
  if (std::ranges::count(names, "diagonal") == 0) GTEST_SKIP() << "this library is built without it";
  // SIP has an option of this name, with another range and another default.
  EXPECT_EQ(solve("--preconditioner diagonal --alpha 1.5").status, 0);
  EXPECT_THAT(read("h.json"), HasSubstr("\"alpha\": 1.5"));
  EXPECT_EQ(solve("--preconditioner diagonal").status, 0);
  EXPECT_THAT(read("h.json"), HasSubstr("\"alpha\": 0.0"));
  std::filesystem::remove(folder / "x.mtx");
  auto const refuse = [&](const std::string& preconditioner, const std::string& alpha, const std::string& what) {
    expect_refused(solve("--preconditioner " + preconditioner + " --alpha " + alpha), "--alpha: " + what + "\n");
  };
  refuse("sip", "1.5", "1.5 is not at least 0 and less than 1");
  refuse("bilu0", "-1", "-1 is not at least 0 (of diagonal); -1 is not at least 0 and less than 1 (of sip)");
  refuse("bilu0", "many", "'many' is not a number");
}

TEST_F(CommandLine, takes_paths) {
  EXPECT_EQ(solve("--preconditioner ssor --path portable").status, 0);
  expect_solution();
  EXPECT_THAT(read("h.json"), HasSubstr("\"path\": \"portable\""));
  std::filesystem::remove(folder / "x.mtx");
  expect_refused(solve("--path portabel"), "--path: 'portabel' is not one of automatic|portable|slab|");
}

TEST_F(CommandLine, every_backend_of_the_build) {
  auto const info = run("info");
  EXPECT_EQ(info.status, 0);
  EXPECT_THAT(info.output, AllOf(HasSubstr("Hyperplane "), HasSubstr("Kokkos "), HasSubstr("vector length")));
  for (std::string const backend : {"auto", "serial", "openmp", "cuda"}) {
    auto const outcome = solve("--backend " + backend);
    if (backend == "auto" || info.output.find("backend    " + backend) != std::string::npos) {
      EXPECT_EQ(outcome.status, 0) << outcome.output;
    } else {
      EXPECT_EQ(outcome.status, 1);
      EXPECT_THAT(outcome.output, AllOf(HasSubstr("'" + backend + "' is not in this build, which has: ")));
    }
  }
}

TEST_F(CommandLine, the_environment_says_where_to_run) {
  std::string const arguments = "solve A.mtx --rhs b.mtx --grid 4x3x5 --block-size 2";
  auto const available = c_backends();
  for (std::string const backend : {"serial", "openmp", "cuda"}) {
    auto const outcome = run(arguments, "HYPERPLANE_BACKEND=" + backend + " ");
    if (std::ranges::find(available, backend) != available.end()) {
      EXPECT_EQ(outcome.status, 0) << outcome.output;
      EXPECT_THAT(outcome.output, HasSubstr("(" + backend + ", "));
    } else {
      expect_refused(outcome, "HYPERPLANE_BACKEND: '" + backend + "' is not in this build, which has: ");
    }
  }
  for (std::string const nothing : {"", "auto"}) {
    EXPECT_THAT(run(arguments, "HYPERPLANE_BACKEND=" + nothing + " ").output, HasSubstr("(" + available.back() + ", "));
  }
  expect_refused(
      run(arguments, "HYPERPLANE_BACKEND=nonsense "),
      "HYPERPLANE_BACKEND: 'nonsense' is not in this build, which has: " + std::string(hyperplane_backends()));
  expect_refused(run("swept --points 9 --steps 1", "HYPERPLANE_BACKEND=nonsense "), "HYPERPLANE_BACKEND: 'nonsense'");
  // What the command says wins.
  EXPECT_EQ(run(arguments + " --backend " + available.front(), "HYPERPLANE_BACKEND=nonsense ").status, 0);
  expect_refused(run(arguments, "HYPERPLANE_DEVICE=first "),
                 "HYPERPLANE_DEVICE: 'first' is not the number of a device");
  expect_refused(run(arguments, "HYPERPLANE_DEVICE=-1 "), "HYPERPLANE_DEVICE: '-1' is not the number of a device");
}

TEST_F(CommandLine, the_environment_says_whether_kernels_are_timed) {
  auto const outcome = solve("", "A.mtx --rhs b.mtx --grid 4x3x5");
  EXPECT_EQ(run("solve A.mtx --rhs b.mtx --grid 4x3x5 --block-size 2", "HYPERPLANE_TIMERS=t.json ").output.substr(0, 9),
            outcome.output.substr(0, 9));
  EXPECT_THAT(read("t.json"), HasSubstr("\"label\": \"Hyperplane::BlockIlu0::solve"));
  EXPECT_THAT(run("solve A.mtx --rhs b.mtx --grid 4x3x5 --block-size 2", "HYPERPLANE_TIMERS=stderr ").output,
              HasSubstr("Hyperplane::BiCgStab::update"));
  EXPECT_EQ(run("info", "HYPERPLANE_TIMERS=no/such/t.json ").status, 1);
}

TEST_F(CommandLine, one_correction_is_one_application) {
  auto const outcome = solve("--tolerance 0 --max-iterations 1 --method richardson");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.output, ::testing::StartsWith("not converged after 1 iterations"));
  auto const expected = ReferenceIlu0(a).solve(a.apply(solution));
  EXPECT_TRUE(near(tools::read_vector(folder / "x.mtx", grid.size() * n), expected, 1e-13));
}

TEST_F(CommandLine, folds_directions) {
  auto const correction = [&](const std::string& options) {
    EXPECT_EQ(solve("--tolerance 0 --max-iterations 1 --method richardson " + options).status, 2);
    return tools::read_vector(folder / "x.mtx", grid.size() * n);
  };
  for (FoldedDirections const folded : {FoldedDirections{true, true, true}, FoldedDirections{.k = true}}) {
    auto const expected = ReferenceIlu0(a, folded_order(grid, folded)).solve(a.apply(solution));
    EXPECT_TRUE(near(correction("--folded " + letters(folded)), expected, 1e-13)) << letters(folded);
  }
  EXPECT_THAT(solve("--folded kj").output, HasSubstr("--folded: 'kj' is not one of none|i|j|k|ij|ik|jk|ijk"));
}

TEST_F(CommandLine, writes_the_history) {
  EXPECT_EQ(solve().status, 0);
  auto const history = read("h.json");
  for (std::string const key :
       {"\"residual_norms\": [", "\"seconds\": {", "\"setup\":", "\"factor\":", "\"preconditioner_solves\": [",
        "\"backend\":", "\"threads\":", "\"versions\": {", "\"kokkos\":", "\"outcome\": \"converged\""}) {
    EXPECT_THAT(history, HasSubstr(key));
  }
}

TEST_F(CommandLine, writes_what_it_has_when_it_does_not_converge) {
  EXPECT_EQ(solve("--max-iterations 1 --preconditioner none").status, 2);
  EXPECT_TRUE(std::filesystem::exists(folder / "x.mtx"));
  EXPECT_THAT(read("h.json"), HasSubstr("\"outcome\": \"max_iterations\""));
}

TEST_F(CommandLine, an_absolute_tolerance_ends_a_solve) {
  auto const outcome = solve("--tolerance 0 --absolute-tolerance 1e-3");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output, ::testing::StartsWith("converged after "));
  EXPECT_THAT(read("h.json"), HasSubstr("\"absolute_tolerance\": 0.001"));
}

TEST_F(CommandLine, norms_that_overflow_are_no_convergence) {
  write("two.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n");
  for (std::string const b : {"1e200", "1e-200"}) {
    write("b1.mtx", "%%MatrixMarket matrix array real general\n1 1\n" + b + "\n");
    auto const outcome = run("solve two.mtx --rhs b1.mtx --grid 1x1x1 --block-size 1 --solution x.mtx");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_THAT(outcome.output, ::testing::StartsWith("converged after 1 iterations: residual 0.000e+00 "));
    EXPECT_EQ(tools::read_vector(folder / "x.mtx", 1)[0], std::stod(b) / 2);
  }
}

TEST_F(CommandLine, a_breakdown_says_why) {
  write("huge.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1e300\n");
  write("b1.mtx", "%%MatrixMarket matrix array real general\n1 1\n1e10\n");
  auto const outcome =
      run("solve huge.mtx --rhs b1.mtx --grid 1x1x1 --block-size 1 --method richardson "
          "--preconditioner none --history h.json --solution x.mtx");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.output,
              AllOf(::testing::StartsWith("broke down after "), HasSubstr(" iterations (the residual ")));
  EXPECT_EQ(std::count(outcome.output.begin(), outcome.output.end(), '\n'), 1) << outcome.output;
  auto const history = read("h.json");
  EXPECT_THAT(history, AllOf(HasSubstr("\"outcome\": \"breakdown\""), HasSubstr("\"breakdown\": \"the residual ")));
  // JSON has no numbers that are not finite.
  for (std::string const word : {"nan", "NaN", "inf,", "Inf"}) EXPECT_THAT(history, ::testing::Not(HasSubstr(word)));
}

TEST_F(CommandLine, a_summary_has_no_residual_that_is_no_number) {
  write("b.mtx", tools::format_vector(std::vector<double>(solution.size(), 1e308)));
  auto const outcome = solve();
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.output, AllOf(::testing::StartsWith("broke down after 0 iterations (the right-hand side "),
                                    HasSubstr("): factor "), ::testing::Not(HasSubstr("nan"))));
}

TEST_F(CommandLine, advances_equations_and_writes_them) {
  struct Equation {
    std::string name, header, first;
  };
  for (auto const& [name, header, first] :
       {Equation{"heat", "x,temperature\n", "\n0,"}, Equation{"ks", "x,u\n", "\n0,"},
        Equation{"euler", "x,density,momentum,energy\n", "\n0.0025000000000000001,"}}) {
    auto const outcome = run("swept --equation " + name + " --points 200 --steps 30 --variant shared --output u.csv");
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    EXPECT_THAT(outcome.output, AllOf(::testing::StartsWith("30 steps to time "), HasSubstr("shared")));
    auto const file = read("u.csv");
    EXPECT_THAT(file, AllOf(::testing::StartsWith(header), HasSubstr(first)));
    EXPECT_EQ(std::count(file.begin(), file.end(), '\n'), 201);
    // The other variant gives the same digits.
    EXPECT_EQ(run("swept --equation " + name + " --points 200 --steps 30 --variant classic --output v.csv").status, 0);
    EXPECT_EQ(read("v.csv"), file);
  }
}

}  // namespace
}  // namespace hyperplane::test
