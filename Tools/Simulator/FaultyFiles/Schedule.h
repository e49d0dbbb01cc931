#ifndef SCHEDULE_H
#define SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

/// What is to become of a call that is about to be made: `SQLITE_OK`, or a result code. Ends the
/// process when that is what is armed; a write that is to be torn gives `FaultyOutcomeTear`.
int schedule_outcome(const char *path, uint32_t call);

/// Whether a fault is armed.
bool schedule_is_armed(void);

/// Ends the process as a power switch would: nothing is flushed, nobody is told.
_Noreturn void schedule_exit(void);

#endif
