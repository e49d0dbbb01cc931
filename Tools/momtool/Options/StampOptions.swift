import ArgumentParser
import DataModels
import ModelSource

extension CompilerVintage: ExpressibleByArgument {}

/// The compiler stamp of a compiled model.
struct StampOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Write the model as this release of Xcode would, with its stamp if it left one (13.4 and"
        + " later). Default: the newest known.",
      valueName: "release"))
  var xcode: String?

  @Option(
    help: ArgumentHelp(
      "The compiler stamp, such as 150400:22758, or none.", valueName: "stamp"))
  var stamp: String?

  @Option(
    help: ArgumentHelp(
      """
      Share strings and order dictionaries like the compilers of this vintage, named after the first \
      release of Xcode with it: \(CompilerVintage.allCases.map(\.rawValue).joined(separator: ", ")). \
      Default: the newest, or that of --xcode. All vintages can be read.
      """, valueName: "vintage"))
  var vintage: CompilerVintage?

  func validate() throws {
    if xcode != nil, stamp != nil {
      throw ValidationError("Give --xcode or --stamp, not both.")
    }
    if let vintage, vintage != .modern, value != nil, xcode != nil || stamp != nil {
      throw ValidationError(
        "Compilers of the vintage \(vintage.rawValue) left no stamp; leave out --xcode and --stamp."
      )
    }
    if let xcode, CompilerStamp(xcode: xcode) == nil, oldVintage == nil {
      let known = CompilerStamp.known.map(\.xcodeRelease).joined(separator: ", ")
      throw ValidationError("The stamp of Xcode \(xcode) isn't known; choose one of \(known).")
    }
    if let stamp, stamp != "none", CompilerStamp(text: stamp) == nil {
      throw ValidationError("'\(stamp)' isn't a stamp; write XCODE:TOOL, such as 150400:22758.")
    }
  }

  /// The stamp; nil for none.
  var value: CompilerStamp? {
    if xcode == nil, stamp == nil, let vintage, vintage != .modern { return nil }
    if let xcode { return CompilerStamp(xcode: xcode) }
    if let stamp { return stamp == "none" ? nil : CompilerStamp(text: stamp) }
    return .newest
  }

  /// The vintage of the compiler.
  var compilerVintage: CompilerVintage { vintage ?? oldVintage ?? .modern }

  /// The vintage of the given release of Xcode, if its compiler left no stamp.
  private var oldVintage: CompilerVintage? {
    xcode.flatMap { CompilerVintage(xcode: $0) }.flatMap { $0 == .modern ? nil : $0 }
  }
}
