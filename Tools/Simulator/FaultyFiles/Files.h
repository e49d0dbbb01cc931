#ifndef FILES_H
#define FILES_H

#include <sqlite3.h>

/// A file of the layer: its name, and after it the file of the file system below.
typedef struct {
  sqlite3_file base;
  /// SQLite keeps the name as long as the file is open; null for a temporary file.
  const char *path;
} FaultyFile;

/// The file below, which lies behind the layer's own.
static inline sqlite3_file *below(sqlite3_file *file) {
  return (sqlite3_file *)((FaultyFile *)file + 1);
}

/// What can be done with a file, as far as the file system below can do it.
const sqlite3_io_methods *faulty_methods(int version);

#endif
