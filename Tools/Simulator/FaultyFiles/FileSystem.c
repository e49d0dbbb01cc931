#include "FaultyFiles.h"
#include "Files.h"
#include "Schedule.h"

#include <pthread.h>
#include <stddef.h>

// The file system below: SQLite's own of this system.
static sqlite3_vfs *root;
static sqlite3_vfs layer;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int openFile(
    sqlite3_vfs *system, const char *path, sqlite3_file *file, int flags, int *given) {
  (void)system;
  // Without methods SQLite doesn't close what couldn't be opened.
  file->pMethods = NULL;
  ((FaultyFile *)file)->path = path;
  int outcome = schedule_outcome(path, FaultyCallOpen);
  if (outcome != SQLITE_OK) return outcome;
  int result = root->xOpen(root, path, below(file), flags, given);
  const sqlite3_io_methods *methods = below(file)->pMethods;
  if (methods != NULL) file->pMethods = faulty_methods(methods->iVersion);
  return result;
}

static int deleteFile(sqlite3_vfs *system, const char *path, int syncsFolder) {
  (void)system;
  int outcome = schedule_outcome(path, FaultyCallDelete);
  if (outcome != SQLITE_OK) return outcome;
  return root->xDelete(root, path, syncsFolder);
}

static int accessFile(sqlite3_vfs *system, const char *path, int flags, int *result) {
  (void)system;
  (void)schedule_outcome(path, FaultyCallOther);
  return root->xAccess(root, path, flags, result);
}

static int fullPath(sqlite3_vfs *system, const char *path, int size, char *result) {
  (void)system;
  return root->xFullPathname(root, path, size, result);
}

static void *openLibrary(sqlite3_vfs *system, const char *path) {
  (void)system;
  return root->xDlOpen(root, path);
}

static void libraryError(sqlite3_vfs *system, int size, char *message) {
  (void)system;
  root->xDlError(root, size, message);
}

static void (*librarySymbol(sqlite3_vfs *system, void *library, const char *name))(void) {
  (void)system;
  return root->xDlSym(root, library, name);
}

static void closeLibrary(sqlite3_vfs *system, void *library) {
  (void)system;
  root->xDlClose(root, library);
}

static int randomBytes(sqlite3_vfs *system, int count, char *bytes) {
  (void)system;
  return root->xRandomness(root, count, bytes);
}

static int sleepFor(sqlite3_vfs *system, int microseconds) {
  (void)system;
  // Nobody is there who could let go of the lock meanwhile.
  if (schedule_is_armed()) return microseconds;
  return root->xSleep(root, microseconds);
}

static int currentTime(sqlite3_vfs *system, double *time) {
  (void)system;
  return root->xCurrentTime(root, time);
}

static int lastError(sqlite3_vfs *system, int size, char *message) {
  (void)system;
  return root->xGetLastError(root, size, message);
}

static int currentTimeInteger(sqlite3_vfs *system, sqlite3_int64 *time) {
  (void)system;
  return root->xCurrentTimeInt64(root, time);
}

static void prepare(void) {
  root = sqlite3_vfs_find(NULL);
  if (root == NULL) return;
  layer = (sqlite3_vfs){
      // Its own system calls aren't handed on: nobody replaces them here.
      .iVersion = root->iVersion < 2 ? root->iVersion : 2,
      .szOsFile = (int)sizeof(FaultyFile) + root->szOsFile,
      .mxPathname = root->mxPathname,
      .zName = "faulty",
      .xOpen = openFile,
      .xDelete = deleteFile,
      .xAccess = accessFile,
      .xFullPathname = fullPath,
      .xDlOpen = openLibrary,
      .xDlError = libraryError,
      .xDlSym = librarySymbol,
      .xDlClose = closeLibrary,
      .xRandomness = randomBytes,
      .xSleep = sleepFor,
      .xCurrentTime = currentTime,
      .xGetLastError = lastError,
      .xCurrentTimeInt64 = currentTimeInteger,
  };
}

int faulty_files_register(bool isDefault) {
  pthread_once(&once, prepare);
  return root == NULL ? SQLITE_ERROR : sqlite3_vfs_register(&layer, isDefault ? 1 : 0);
}
