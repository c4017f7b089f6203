// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// host::LevelSweep (include/hyperplane/host/level_sweep.hpp): tickets, one count of finished tiles, and the last worker
// to leave, which makes the words ready for the next sweep. Several sweeps follow one another, each by a team. Of a team
// any number of threads, one included, really runs; they share the calls of work() in any way.
//
// explore.py gives the sizes, and one of the faults, with which SPIN has to refuse the model:
//   FAULT_LEVELS_BACKWARDS  the last level has the lowest tickets
//   FAULT_NO_WAIT           a tile does not wait for the levels before
//   FAULT_EARLY_COUNT       tiles are counted before they are computed
//   FAULT_EARLY_RESET       the first worker to leave resets the words
//   FAULT_NO_RESET          nobody does

#define LEVELS 3
#define TILES (TILES_0 + TILES_1 + TILES_2)

// Level of a tile, and the first tile of a level, by ticket.
#define LEVEL(tile) ((tile) < TILES_0 -> 0 : ((tile) < TILES_0 + TILES_1 -> 1 : 2))
#define FIRST(level) ((level) == 0 -> 0 : ((level) == 1 -> TILES_0 : TILES_0 + TILES_1))
#define SIZE(level) ((level) == 0 -> TILES_0 : ((level) == 1 -> TILES_1 : TILES_2))

// The words.
byte ticket;
byte finished_workers;
byte finished_tiles;

// What has really been computed in this sweep.
bool computed[TILES];
byte computed_in[LEVELS];

byte running;  // threads of the team

inline run_tile() {
#ifdef FAULT_LEVELS_BACKWARDS
  number = TILES - 1 - tile;
#else
  number = tile;
#endif
  level = LEVEL(number);
#ifndef FAULT_NO_WAIT
  finished_tiles >= FIRST(level);
#endif
#ifdef FAULT_EARLY_COUNT
  finished_tiles++;
#endif
  // It has not been computed yet, and all of the level before has.
  atomic {
    assert(!computed[number]);
    assert(level == 0 || computed_in[level - 1] == SIZE(level - 1));
    computed[number] = true;
    computed_in[level]++
  };
#ifndef FAULT_EARLY_COUNT
  finished_tiles++
#endif
}

inline work() {
  do
  :: true ->
    atomic { tile = ticket; ticket++ };
    if
    :: tile < TILES -> run_tile()
    :: else -> break
    fi
  od;
  // What a call had at hand is nothing to the next.
  atomic {
    left_before = finished_workers;
    finished_workers++;
    tile = 0; number = 0; level = 0
  };
#ifdef FAULT_EARLY_RESET
  if
  :: left_before == 0 ->
#elif defined(FAULT_NO_RESET)
  if
  :: false ->
#else
  if
  :: left_before == WORKERS - 1 ->
#endif
    ticket = 0;
    finished_workers = 0;
    finished_tiles = 0
  :: else
  fi
}

// A thread that really runs, with as many of the calls of work() as have fallen to it.
proctype thread(byte calls) {
  byte tile, number, level, left_before;
  do
  :: calls > 0 -> work(); calls--
  :: else -> break
  od;
  running--
}

inline sweep_as_team() {
  calls_left = WORKERS;
  do
  :: calls_left > 0 ->
    // Any number of calls for each thread.
    calls = 1;
    do
    :: calls < calls_left -> calls++
    :: true -> break
    od;
    running++;
    calls_left = calls_left - calls;
    run thread(calls)
  :: else -> break
  od;
  running == 0
}

// Everything is computed, once, and the words are ready for the next sweep.
inline check_sweep() {
  assert(ticket == 0 && finished_workers == 0 && finished_tiles == 0);
  number = 0;
  do
  :: number < TILES ->
    assert(computed[number]);
    computed[number] = false;
    number++
  :: else -> break
  od;
  computed_in[0] = 0;
  computed_in[1] = 0;
  computed_in[2] = 0
}

init {
  byte sweep, calls_left, calls, number;
  do
  :: sweep < SWEEPS ->
    atomic { sweep_as_team() };
    atomic { check_sweep(); number = 0; calls = 0 };
    sweep++
  :: else -> break
  od
}
