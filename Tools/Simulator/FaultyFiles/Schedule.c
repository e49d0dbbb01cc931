#include "Schedule.h"

#include "FaultyFiles.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

// One fault at a time, for the whole process: stores are opened by threads of the library's choice.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool armed;
static struct {
  char prefix[4096];
  size_t length;
  uint32_t calls;
  int outcome;
  int64_t first;
  int64_t count;
  FaultyTally tally;
} fault;

void faulty_files_arm(
    const char *prefix, uint32_t calls, int outcome, int64_t first, int64_t count) {
  pthread_mutex_lock(&lock);
  memset(&fault, 0, sizeof fault);
  fault.length = strnlen(prefix, sizeof fault.prefix);
  memcpy(fault.prefix, prefix, fault.length);
  fault.calls = calls;
  fault.outcome = outcome;
  fault.first = first;
  fault.count = count;
  atomic_store(&armed, true);
  pthread_mutex_unlock(&lock);
}

FaultyTally faulty_files_disarm(void) {
  pthread_mutex_lock(&lock);
  atomic_store(&armed, false);
  FaultyTally tally = fault.tally;
  pthread_mutex_unlock(&lock);
  return tally;
}

bool schedule_is_armed(void) { return atomic_load_explicit(&armed, memory_order_acquire); }

void schedule_exit(void) { _exit(FAULTY_EXIT_STATUS); }

int schedule_outcome(const char *path, uint32_t call) {
  if (!schedule_is_armed() || path == NULL) return SQLITE_OK;
  int outcome = SQLITE_OK;
  pthread_mutex_lock(&lock);
  if ((fault.calls & call) != 0 && strncmp(path, fault.prefix, fault.length) == 0) {
    fault.tally.calls += 1;
    int64_t place = fault.tally.calls - fault.first;
    if (fault.first > 0 && place >= 0 && place < fault.count) {
      fault.tally.faults += 1;
      outcome = fault.outcome;
    }
  }
  pthread_mutex_unlock(&lock);
  if (outcome == FaultyOutcomeExit) schedule_exit();
  if (outcome == FaultyOutcomeTear && call != FaultyCallWrite) schedule_exit();
  return outcome;
}
