/// Why a SQLite store is only read.
enum ReadOnlyReason {
  /// The program asked for it.
  case option
  /// The file, or the folder that it is in, can't be written.
  case protection
  /// CloudKit mirrors the store, and would miss what is saved.
  case mirror
  /// Some properties of the model have no columns in a store that was opened regardless of its version.
  case gaps
  /// The store's history would miss what is saved; see ``NSPersistentHistoryTrackingKey``.
  case history

  /// What there is to say to who tries to save nevertheless.
  var text: String {
    switch self {
    case .option: "The store is read-only."
    case .protection:
      "The store is read-only: its file, or the folder that it is in, can't be written."
    case .mirror:
      "The store is read-only: CloudKit mirrors it, and would miss what is saved. To save nevertheless, open it with "
        + "MomKitWritesMirroredStoresOption."
    case .gaps:
      "The store is read-only: it was opened with NSIgnorePersistentStoreVersioningOption, and doesn't have all "
        + "columns of the model."
    case .history:
      "The store is read-only: it was opened without NSPersistentHistoryTrackingKey, but has a persistent "
        + "history from when it was opened with it. Open it with the option, or delete the history first."
    }
  }
}
