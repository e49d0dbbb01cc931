import ArgumentParser
import ManagedObjects
import ParquetFiles

/// Options for Parquet files.
struct ParquetOptions: ParsableArguments {
  /// The unit of dates.
  enum Dates: String, CaseIterable, ExpressibleByArgument {
    case micros, nanos
  }

  @Option(
    help: ArgumentHelp(
      "How Parquet files are compressed: none or gzip. Default: gzip.", valueName: "method"))
  var compression: ParquetCompression?

  @Option(
    help: ArgumentHelp(
      "The unit that dates are rounded to in Parquet files: micros, which every engine has, or nanos, which keeps all "
        + "digits of dates from 1677 to 2262. Default: micros.", valueName: "unit"))
  var dates: Dates?

  @Flag(help: "To-many relationships become columns of Parquet files too: lists of keys.")
  var toMany = false

  /// The first option that was given; nil if none was.
  var given: String? {
    if compression != nil { return "--compression" }
    if dates != nil { return "--dates" }
    return toMany ? "--to-many" : nil
  }

  /// The options of the export.
  var options: ColumnarExport.Options {
    var options = ColumnarExport.Options()
    if let compression { options.compression = compression }
    if dates == .nanos { options.dateUnit = .nanoseconds }
    options.hasToMany = toMany
    return options
  }
}

extension ParquetCompression: ExpressibleByArgument {}
