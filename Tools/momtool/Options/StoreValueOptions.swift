import ArgumentParser
import ManagedObjects

/// Options for displaying a store's values.
struct StoreValueOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "What stands for no value in CSV and tables. Default: nothing in CSV, where an empty text is \"\"; NULL"
        + " in tables.", valueName: "text"))
  var null: String?

  @Flag(
    help: ArgumentHelp(
      "Leave out what can't be read of a damaged store, and tell of it at the end, with exit status 1."
    ))
  var keepGoing = false

  @Flag(
    help: ArgumentHelp(
      "Show bytes that hold a property list, a keyed archive or text, compressed or not, as what they hold."
    ))
  var decodeBlobs = false

  /// Applies the options to the reading of rows.
  func apply(to rows: StoreRows) {
    if decodeBlobs { rows.decoded = { BlobDecoding.listed($0) } }
  }
}
