#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Has SPIN explore the models of this folder completely, for the sizes below: all schedules, for assertions that fail and for
processes that wait for ever; and that every schedule ends. With one of the faults that a model can have, SPIN has to
find it. Prints a line for each exploration, of which as many run at once as there are cores and memory for. Called by
scripts/test.sh.

explore.py [--way] [WORD ...]: those that have all these words in their line; --way also prints SPIN's way to what it finds.

docs/notes/synchronization.md says what the models are, and what they leave out."""

import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

folder = Path(__file__).resolve().parent
memory_megabytes = 4000
seconds_for_each = 300
# The search for schedules without end takes more than twice the states, and is for the smaller ones.
states_for_cycles = 1_000_000

# Of host::SlabSweep and host::RowSweep.
host = "slab_sweep_host LAG=1 BLOCK=1 BLOCKS_IN_TILE=2 SWEEPS=2"
host_small = f"{host} THREADS=3 SLABS_0=2 STEPS_0=4"
rows = "row_sweep_host SWEEPS=2"
rows_small = f"{rows} WORKERS=2 TILES=4 LENGTH=1 WINDOW=2"
strips = "slab_sweep_host LAG=0 BLOCK=1 BLOCKS_IN_TILE=2 SWEEPS=2"
strips_small = f"{strips} THREADS=2 SLABS_0=4 STRIPS=2 REACH=1 STEPS_0=2"
# Of clusters: one grid, two grids in a launch, two devices.
cuda = "slab_solve_cuda POINTS=1"
cuda_small = f"{cuda} SLABS_0=2 LAYERS_0=2 CLUSTERS=2 LAUNCHES=2"
grids = f"{cuda} GRIDS=2 SLABS_0=2 LAYERS_0=1 SLABS_1=1 LAYERS_1=2 CLUSTERS=2"
devices = f"{cuda} DEVICES=2 SLABS_0=2 LAYERS_0=2"
grids_on_devices = f"{cuda} DEVICES=2 FLIPPED GRIDS=2 SLABS_0=1 LAYERS_0=2 SLABS_1=1 LAYERS_1=2"
both_sweeps = "KINDS=4"
# Of the warps of a cluster.
pipeline = "slab_pipeline_cuda SLABS=2"
pipeline_small = f"{pipeline} BLOCKS=1 LAYERS=2 GRID_LAYERS=3 POINTS=2 DRAWS=2"
# Of the warps of a sweep of block CSR.
tickets = "csr_tickets_cuda WARPS=2"
tickets_small = f"{tickets} TICKETS=3 LAUNCHES=3"
# Of factorizations on one device and over several.
factors = "slab_factor_cuda DEVICES=2"
factors_one = f"{factors} SLABS=2 LAYERS=1 POINTS=2 CLUSTERS=1"
factors_small = f"{factors} SLABS=2 LAYERS=1 POINTS=2 CLUSTERS=2 LAUNCHES=2"
# Messages between devices: 1 is from the first, 2 from the second, 3 both.
peers = "peer_messages_cuda BLOCKS=2"
peers_small = f"{peers} EXCHANGES=3 MAILBOX_0=3 MAILBOX_1=1"
# Of messages of MPI in stages: which operations are solves, by bits, the others being factorizations.
stages = "stages_of_ranks RANKS=2"
stages_small = f"{stages} STAGES=3 OPERATIONS=1 SOLVES=1"

right = [
    host_small,
    f"{host} THREADS=3 SLABS_0=3 STEPS_0=3",
    f"{host} THREADS=3 SLABS_0=2 STEPS_0=3 SLABS_1=1 STEPS_1=4",
    f"{host} THREADS=1 SLABS_0=2 STEPS_0=4 SLABS_1=2 STEPS_1=3",
    rows_small,
    f"{rows} WORKERS=2 TILES=2 LENGTH=3 WINDOW=2",
    f"{rows} WORKERS=3 TILES=3 LENGTH=1 WINDOW=2",
    strips_small,
    f"{strips} THREADS=3 SLABS_0=4 STRIPS=2 REACH=1 STEPS_0=1",
    f"{strips} THREADS=2 SLABS_0=2 STRIPS=2 REACH=0 STEPS_0=4",
    f"{strips} THREADS=2 SLABS_0=6 STRIPS=3 REACH=2 STEPS_0=2",
    f"{cuda} SLABS_0=2 LAYERS_0=2 CLUSTERS=2 LAUNCHES=3",
    f"{cuda} SLABS_0=2 LAYERS_0=2 CLUSTERS=3 LAUNCHES=1",
    f"{cuda} SLABS_0=2 LAYERS_0=1 CLUSTERS=3 LAUNCHES=2",
    f"{grids} LAUNCHES=2",
    f"{grids} LAUNCHES=2 COUNT_BY_GRID",
    f"{grids} LAUNCHES=1 COUNT_BY_GRID MIXED {both_sweeps}",
    f"{cuda} GRIDS=2 SLABS_0=2 LAYERS_0=1 SLABS_1=1 LAYERS_1=1 CLUSTERS=2 LAUNCHES=2 COUNT_BY_GRID MIXED {both_sweeps}",
    f"{devices} CLUSTERS=1 LAUNCHES=3 {both_sweeps}",
    f"{devices} CLUSTERS=2 LAUNCHES=1 {both_sweeps}",
    f"{devices} CLUSTERS=1 LAUNCHES=3 STAMPS=8 AFTER_PEERS",
    f"{grids_on_devices} CLUSTERS=1 LAUNCHES=2 {both_sweeps}",
    f"{grids_on_devices} CLUSTERS=1 LAUNCHES=2 {both_sweeps} COUNT_BY_GRID",
    pipeline_small,
    f"{pipeline} BLOCKS=1 LAYERS=1 GRID_LAYERS=2 POINTS=3 DRAWS=3",
    f"{pipeline} BLOCKS=2 LAYERS=1 GRID_LAYERS=3 POINTS=1 DRAWS=2 WINDOW=1",
    tickets_small,
    f"{tickets} TICKETS=4 LAUNCHES=2",
    "csr_tickets_cuda WARPS=3 TICKETS=3 LAUNCHES=2",
    f"{factors_one} LAUNCHES=3",
    f"{factors} SLABS=2 LAYERS=1 POINTS=1 CLUSTERS=2 LAUNCHES=2",
    f"{factors} SLABS=2 LAYERS=2 POINTS=2 CLUSTERS=1 LAUNCHES=2",
    f"{factors} SLABS=1 LAYERS=2 BLOCKS=2 POINTS=3 CLUSTERS=1 LAUNCHES=3",
    f"{factors} SLABS=2 LAYERS=3 BLOCKS=2 POINTS=2 CLUSTERS=1 LAUNCHES=2",
    "slab_factor_cuda DEVICES=1 SLABS=2 LAYERS=2 POINTS=2 CLUSTERS=2 LAUNCHES=2",
    "slab_factor_cuda DEVICES=3 SLABS=1 LAYERS=1 POINTS=2 CLUSTERS=1 LAUNCHES=3",
    peers_small,
    f"{peers} EXCHANGES=5 MAILBOX_0=1",
    f"{peers} EXCHANGES=4 MAILBOX_0=3",
    f"{peers} EXCHANGES=4 MAILBOX_0=1 MAILBOX_1=2 MAILBOX_2=3",
    stages_small,
    f"{stages} STAGES=3 OPERATIONS=2 SOLVES=2",
    "stages_of_ranks RANKS=3 STAGES=3 OPERATIONS=1 SOLVES=0 CIRCLE",
]
wrong = [
    f"{host_small} FAULT_NO_SKEW",
    f"{host_small} FAULT_SLABS_BACKWARDS",
    f"{host_small} FAULT_NO_LAG",
    f"{host_small} FAULT_EARLY_PROGRESS",
    f"{host_small} FAULT_EARLY_RESET",
    f"{host_small} FAULT_NO_RESET",
    f"{rows_small} FAULT_ANY_ORDER",
    f"{rows_small} FAULT_NO_WINDOW",
    f"{rows_small} FAULT_WIDE_WINDOW",
    f"{rows_small} FAULT_EARLY_PROGRESS",
    f"{rows_small} FAULT_OLD_STEPS",
    f"{rows_small} FAULT_EARLY_RESET",
    f"{rows_small} FAULT_NO_RESET",
    f"{strips_small} FAULT_SLABS_BACKWARDS",
    f"{strips_small} FAULT_NO_REACH",
    f"{strips_small} FAULT_NO_STRIP_BEFORE",
    f"{cuda_small} FAULT_ANY_ORDER",
    f"{cuda_small} FAULT_NO_TICKETS",
    f"{cuda_small} FAULT_STAMPS",
    f"{cuda_small} FAULT_STAMP_FIRST",
    f"{cuda_small} FAULT_NO_FORWARD_COUNT",
    f"{cuda_small} FAULT_EARLY_RESET",
    f"{cuda_small} FAULT_NO_RESET",
    f"{grids} LAUNCHES=1 COUNT_BY_GRID MIXED {both_sweeps} FAULT_COUNT_OF_LAUNCH",
    f"{devices} CLUSTERS=1 LAUNCHES=2 STAMPS=8 AFTER_PEERS FAULT_NO_WAIT_FOR_PEERS",
    f"{devices} CLUSTERS=1 LAUNCHES=2 {both_sweeps} FAULT_LAUNCH_ORDER",
    f"{grids_on_devices} CLUSTERS=1 LAUNCHES=1 {both_sweeps} FAULT_OWN_ORDERS",
    f"{pipeline_small} FAULT_WIDE_WINDOW",
    f"{pipeline_small} FAULT_NO_READERS",
    f"{pipeline_small} FAULT_RECEIVE_EARLY",
    f"{pipeline_small} FAULT_FIRST_SLAB",
    f"{pipeline_small} FAULT_COUNTS",
    f"{tickets_small} FAULT_ANY_ORDER",
    f"{tickets_small} FAULT_NEXT_FIRST",
    f"{tickets_small} FAULT_NO_TICKETS",
    f"{tickets_small} FAULT_NO_VACANCY",
    f"{tickets_small} FAULT_NO_TURN",
    f"{tickets_small} FAULT_EARLY_RESET",
    f"{tickets_small} FAULT_NO_RESET",
    f"{factors_small} FAULT_ANY_ORDER",
    f"{factors_small} FAULT_NO_TICKETS",
    f"{factors_small} FAULT_NO_LAG",
    f"{factors_small} FAULT_NO_NUMBER",
    f"{factors_small} FAULT_WORD_FIRST",
    f"{factors_small} FAULT_NO_LAST_WORD",
    f"{factors_small} FAULT_NO_READ",
    f"{factors_small} FAULT_READ_EARLY",
    f"{factors_small} FAULT_READ_OF_THIS",
    f"{factors_one} LAUNCHES=2 FAULT_LAUNCH_ORDER",
    f"{factors_small} FAULT_EARLY_RESET",
    f"{factors_small} FAULT_NO_RESET",
    f"{peers_small} FAULT_OWN_ORDERS",
    f"{peers} EXCHANGES=5 MAILBOX_0=1 FAULT_NO_TAKEN",
    f"{peers_small} FAULT_ONE_SLOT",
    f"{peers_small} FAULT_ONE_WORD",
    f"{stages_small} FAULT_AWAIT_FIRST",
    f"{stages_small} FAULT_ORDER",
    f"{stages_small} FAULT_EXPECT_LATE",
    f"{stages_small} FAULT_SILENT_ERROR",
]


class Failed(Exception):
    pass


def run(command, build):
    done = subprocess.run(command, cwd=build, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          timeout=seconds_for_each)
    if done.returncode != 0:
        raise Failed(f"{' '.join(command)}:\n{done.stdout}")
    return done.stdout


def explore(build, sizes, compiled_for, arguments):
    """(states, what SPIN finds or None) of one complete exploration."""
    run(["spin", "-a", *sizes, "model.pml"], build)
    # The generated checker has warnings; collapsed states take a third of the memory.
    run(["cc", "-O1", "-w", compiled_for, "-DCOLLAPSE", "-DNOFAIR", "-DVECTORSZ=4096", f"-DMEMLIM={memory_megabytes}",
         "-o", "pan", "pan.c"], build)
    output = run(["./pan", "-n", "-m200000", *arguments], build)
    states = re.search(r"(\d+) states, stored", output)
    errors = re.search(r"errors: (\d+)", output)
    if not states or not errors or "max search depth" in output or (
            errors.group(1) == "0" and "Search not completed" in output):
        raise Failed(f"SPIN has not explored everything:\n{output}")
    found = re.search(r"pan:1: (.*?) \(at depth", output)
    if (found is not None) != (errors.group(1) != "0"):
        raise Failed(f"SPIN is not understood:\n{output}")
    return int(states.group(1)), found and found.group(1)


def check(line, shows_way):
    """Explores one line of the lists; returns what is to be said of it."""
    model, *sizes = line.split()
    sizes = [f"-D{size}" for size in sizes]
    with tempfile.TemporaryDirectory() as build:
        shutil.copy(folder / f"{model}.pml", Path(build) / "model.pml")
        states, found = explore(build, sizes, "-DSAFETY", [])
        if found and shows_way:
            print(run(["spin", "-t", "-p", "-g", "-l", *sizes, "model.pml"], build))
        if line in wrong:
            if not found:
                raise Failed(f"SPIN finds nothing wrong in {states} states")
            kind = "a wait without end" if found == "invalid end state" else "an assertion that fails"
            return f"refused, as it should be: {kind}, after {states} states"
        if found:
            raise Failed(f"SPIN finds: {found}")
        if states > states_for_cycles:
            return f"{states} states"
        # No state comes again: every schedule has an end.
        cycle_states, found = explore(build, sizes, "-DNP", ["-l"])
        if found:
            raise Failed(f"SPIN finds a schedule that does not end: {found}")
        return f"{states} states; no cycle in {cycle_states}"


def outcome(line, shows_way):
    """Whether an exploration is as it should be, and what is to be said of it."""
    try:
        return True, check(line, shows_way)
    except (Failed, subprocess.TimeoutExpired) as error:
        return False, f"FAILED: {error}"


def at_once():
    """How many explorations may run at once: each may take its memory."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1, min(os.cpu_count(), memory // (memory_megabytes << 20)))


def main():
    if not shutil.which("spin") or not shutil.which("cc"):
        print("explore.py: SPIN and a C compiler are not both installed; the models of protocols are not explored",
              file=sys.stderr)
        return 1
    shows_way = "--way" in sys.argv[1:]
    wanted = [word for word in sys.argv[1:] if word != "--way"]
    failed = 0
    lines = [line for line in right + wrong if all(word in line.split() for word in wanted)]
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(1 if shows_way else at_once()) as pool:
        for line, (passed, said) in zip(lines, pool.map(lambda line: outcome(line, shows_way), lines)):
            failed += not passed
            print(f"{line}: {said}", flush=True)
    print(f"explore.py: {len(lines) - failed} of {len(lines)} explorations are as they should be, "
          f"{time.monotonic() - begin:.0f} s")
    return 1 if failed or not lines else 0


if __name__ == "__main__":
    sys.exit(main())
