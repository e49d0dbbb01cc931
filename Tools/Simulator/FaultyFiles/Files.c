#include "Files.h"

#include "FaultyFiles.h"
#include "Schedule.h"

#include <stddef.h>

// Each asks the schedule first, then the file below.
#define ATTEMPT(file, call)                                              \
  do {                                                                   \
    int outcome = schedule_outcome(((FaultyFile *)(file))->path, (call)); \
    if (outcome != SQLITE_OK) return outcome;                            \
  } while (0)

// For calls whose failure SQLite doesn't expect or look at: they can be what a process is killed at.
#define PASS(file) ((void)schedule_outcome(((FaultyFile *)(file))->path, FaultyCallOther))

static int closeFile(sqlite3_file *file) {
  PASS(file);
  int result = below(file)->pMethods->xClose(below(file));
  file->pMethods = NULL;
  return result;
}

static int readFile(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  ATTEMPT(file, FaultyCallRead);
  return below(file)->pMethods->xRead(below(file), bytes, count, offset);
}

static int writeFile(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  int outcome = schedule_outcome(((FaultyFile *)file)->path, FaultyCallWrite);
  if (outcome == FaultyOutcomeTear) {
    (void)below(file)->pMethods->xWrite(below(file), bytes, count / 2, offset);
    schedule_exit();
  }
  if (outcome != SQLITE_OK) return outcome;
  return below(file)->pMethods->xWrite(below(file), bytes, count, offset);
}

static int truncateFile(sqlite3_file *file, sqlite3_int64 size) {
  ATTEMPT(file, FaultyCallTruncate);
  return below(file)->pMethods->xTruncate(below(file), size);
}

static int syncFile(sqlite3_file *file, int flags) {
  ATTEMPT(file, FaultyCallSync);
  return below(file)->pMethods->xSync(below(file), flags);
}

static int fileSize(sqlite3_file *file, sqlite3_int64 *size) {
  PASS(file);
  return below(file)->pMethods->xFileSize(below(file), size);
}

static int lockFile(sqlite3_file *file, int level) {
  ATTEMPT(file, FaultyCallLock);
  return below(file)->pMethods->xLock(below(file), level);
}

static int unlockFile(sqlite3_file *file, int level) {
  PASS(file);
  return below(file)->pMethods->xUnlock(below(file), level);
}

static int checkReservedLock(sqlite3_file *file, int *result) {
  PASS(file);
  return below(file)->pMethods->xCheckReservedLock(below(file), result);
}

static int controlFile(sqlite3_file *file, int operation, void *argument) {
  return below(file)->pMethods->xFileControl(below(file), operation, argument);
}

static int sectorSize(sqlite3_file *file) {
  return below(file)->pMethods->xSectorSize(below(file));
}

static int characteristics(sqlite3_file *file) {
  return below(file)->pMethods->xDeviceCharacteristics(below(file));
}

static int mapShared(
    sqlite3_file *file, int page, int size, int extends, void volatile **memory) {
  ATTEMPT(file, FaultyCallMap);
  return below(file)->pMethods->xShmMap(below(file), page, size, extends, memory);
}

static int lockShared(sqlite3_file *file, int offset, int count, int flags) {
  if ((flags & SQLITE_SHM_LOCK) != 0 && (flags & SQLITE_SHM_EXCLUSIVE) != 0) {
    ATTEMPT(file, FaultyCallWriteLock);
  } else {
    PASS(file);
  }
  return below(file)->pMethods->xShmLock(below(file), offset, count, flags);
}

static void sharedBarrier(sqlite3_file *file) {
  below(file)->pMethods->xShmBarrier(below(file));
}

static int unmapShared(sqlite3_file *file, int deletes) {
  PASS(file);
  return below(file)->pMethods->xShmUnmap(below(file), deletes);
}

static int fetchPage(sqlite3_file *file, sqlite3_int64 offset, int count, void **memory) {
  return below(file)->pMethods->xFetch(below(file), offset, count, memory);
}

static int unfetchPage(sqlite3_file *file, sqlite3_int64 offset, void *memory) {
  return below(file)->pMethods->xUnfetch(below(file), offset, memory);
}

#define METHODS(version)                                                                    \
  {                                                                                         \
    (version), closeFile, readFile, writeFile, truncateFile, syncFile, fileSize, lockFile,  \
        unlockFile, checkReservedLock, controlFile, sectorSize, characteristics, mapShared, \
        lockShared, sharedBarrier, unmapShared, fetchPage, unfetchPage                      \
  }

const sqlite3_io_methods *faulty_methods(int version) {
  static const sqlite3_io_methods methods[] = {METHODS(1), METHODS(2), METHODS(3)};
  return &methods[version < 1 ? 0 : version > 3 ? 2 : version - 1];
}
