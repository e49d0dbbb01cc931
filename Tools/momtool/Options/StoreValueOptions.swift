import ArgumentParser
import ManagedObjects

/// Options for displaying a store's values.
struct StoreValueOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The text for missing values in CSV and tables. Default: nothing in CSV (an empty string is \"\"), NULL"
        + " in tables.", valueName: "text"))
  var null: String?

  @Flag(
    help: ArgumentHelp(
      "Skip what can't be read in a damaged store, report it at the end, and exit with status 1."
    ))
  var keepGoing = false

  @Flag(
    help: ArgumentHelp(
      "Decode bytes that contain a property list, a keyed archive or text, compressed or not."
    ))
  var decodeBlobs = false

  func validate() throws {
    // It isn't quoted, which tells it from a text that is the same.
    if let null,
      null.unicodeScalars.contains(where: {
        $0 == "," || $0 == "\"" || Character($0).isNewline
      })
    {
      throw ValidationError("--null can't contain commas, quotation marks or line endings.")
    }
  }

  /// Applies the options to the reading of rows.
  func apply(to rows: StoreRows) {
    if decodeBlobs { rows.decoded = { BlobDecoding.listed($0) } }
  }
}
