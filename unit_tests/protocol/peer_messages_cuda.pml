// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages between two devices (include/hyperplane/cuda/peer_messages.hpp): kernels that put and take them, of several
// thread blocks, each with a share and its words. A mailbox has a message in one direction or in both; what
// the hosts launch is exchange after exchange, in each of them mailbox after mailbox, put before take. A take may begin
// when all thread blocks of the put before it have, and ends after them. How far a device is, and when its host has
// launched something, does not depend on the other.
//
// explore.py gives the sizes, and one of the faults, with which SPIN has to refuse the model:
//   FAULT_OWN_ORDERS   one device goes through the mailboxes backwards
//   FAULT_NO_TAKEN     a put does not wait until its slot was taken
//   FAULT_ONE_SLOT     all numbers have the same slot
//   FAULT_ONE_WORD     the shares of a message have the same words

#define FROM_0 1  // directions of a mailbox, to be added up
#define FROM_1 2
#ifndef MAILBOX_1
#define MAILBOX_1 0
#endif
#ifndef MAILBOX_2
#define MAILBOX_2 0
#endif
#define MAILBOXES 3
#define DIRECTIONS(mailbox) ((mailbox) == 0 -> MAILBOX_0 : ((mailbox) == 1 -> MAILBOX_1 : MAILBOX_2))
#define HAS(mailbox, sender) ((DIRECTIONS(mailbox) >> (sender)) & 1)
#ifdef FAULT_OWN_ORDERS
#define NEXT(device, place) ((device) == 0 -> (place) : MAILBOXES - 1 - (place))
#else
#define NEXT(device, place) (place)
#endif
#ifdef FAULT_ONE_SLOT
#define SLOT(number) 0
#else
#define SLOT(number) ((number) % 2)
#endif
#ifdef FAULT_ONE_WORD
#define WORD 0
#else
#define WORD self
#endif

typedef Slot {
  byte values[BLOCKS];  // what each thread block of a put stores: its number
};
typedef Message {
  byte arrived[BLOCKS];
  byte taken[BLOCKS];
  Slot slots[2];
};
Message messages[2 * MAILBOXES];  // by mailbox and sender

// Of all kernels of a device: thread blocks that have begun, and that have ended.
byte begun[2];
byte ended[2];

inline put(m) {
  // After all kernels before.
  atomic { ended[device] >= kernels * BLOCKS -> begun[device]++ }
#ifndef FAULT_NO_TAKEN
  messages[m].taken[WORD] + 2 >= number;
#endif
  messages[m].slots[SLOT(number)].values[self] = number;
  messages[m].arrived[WORD] = number;
  ended[device]++
}

inline take(m) {
  if
  :: HAS(mailbox, device) -> begun[device] >= kernels * BLOCKS
  :: else -> ended[device] >= kernels * BLOCKS
  fi;
  begun[device]++;
  messages[m].arrived[WORD] >= number;
  assert(messages[m].slots[SLOT(number)].values[self] == number);
  messages[m].taken[WORD] = number;
  atomic { ended[device] >= kernels * BLOCKS -> ended[device]++ }
}

// Those of the same number in all kernels that put, or in all that take: `kernels` are before.
proctype thread_blocks(byte device; byte self; bool takes) {
  byte number = 1, place, mailbox, kernels;
  do
  :: number <= EXCHANGES ->
    place = 0;
    do
    :: place < MAILBOXES ->
      mailbox = NEXT(device, place);
      if
      :: HAS(mailbox, device) ->
        if
        :: !takes -> put(2 * mailbox + device)
        :: else
        fi;
        kernels++
      :: else
      fi;
      if
      :: HAS(mailbox, 1 - device) ->
        if
        :: takes -> take(2 * mailbox + 1 - device)
        :: else
        fi;
        kernels++
      :: else
      fi;
      place++
    :: else -> break
    od;
    number++
  :: else -> break
  od
}

init {
  byte device, self;
  atomic {
    do
    :: device < 2 ->
      self = 0;
      do
      :: self < BLOCKS ->
        run thread_blocks(device, self, false);
        run thread_blocks(device, self, true);
        self++
      :: else -> break
      od;
      device++
    :: else -> break
    od
  }
}
