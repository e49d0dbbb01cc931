#include <sqlite3.h>

/* sqlite3_db_config() takes a variable number of arguments, which Swift can't call. */
static inline int momkit_refuse_views(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)0);
}

static inline int momkit_reset_database(sqlite3 *database, int isOn) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_RESET_DATABASE, isOn, (int *)0);
}
