#ifndef FAULTY_FILES_H
#define FAULTY_FILES_H

#include <stdbool.h>
#include <stdint.h>

/// The calls that SQLite makes of the system, as bits: which of them a fault is for.
enum {
  FaultyCallOpen = 1 << 0,
  FaultyCallRead = 1 << 1,
  FaultyCallWrite = 1 << 2,
  FaultyCallTruncate = 1 << 3,
  FaultyCallSync = 1 << 4,
  /// Taking a lock on a file. Letting go of one never fails.
  FaultyCallLock = 1 << 5,
  /// Taking a lock on the memory that a WAL's connections share, for writing.
  FaultyCallWriteLock = 1 << 6,
  /// Mapping that memory.
  FaultyCallMap = 1 << 7,
  FaultyCallDelete = 1 << 8,
  /// Everything else, which can only be a place to be killed at: closing, unlocking, asking for sizes.
  FaultyCallOther = 1 << 9,
  FaultyCallAll = (1 << 10) - 1,
};

/// What happens beside SQLite's result codes, which stand for themselves.
enum {
  /// The process ends before the call.
  FaultyOutcomeExit = -1,
  /// The process ends in the middle of a write: its first half is there. Before any other call.
  FaultyOutcomeTear = -2,
};

/// The exit status of a process that was ended by a fault.
#define FAULTY_EXIT_STATUS 86

/// What happened since the fault was armed.
typedef struct {
  /// How many calls matched, whether they failed or not.
  int64_t calls;
  /// How many of them failed.
  int64_t faults;
} FaultyTally;

/// Puts a layer over SQLite's default file system, under the name `faulty`.
///
/// Returns SQLite's result code. Registering twice is no error.
int faulty_files_register(bool isDefault);

/// Has calls of the kinds `calls`, on files whose paths begin with `prefix`, end with `outcome`:
/// from the `first` matching one on, counted from 1, `count` of them. A `first` of 0 only counts.
///
/// While a fault is armed, waiting for a lock takes no time: SQLite counts the time it asked for.
void faulty_files_arm(
    const char *prefix, uint32_t calls, int outcome, int64_t first, int64_t count);

/// Lets everything succeed again.
FaultyTally faulty_files_disarm(void);

#endif
