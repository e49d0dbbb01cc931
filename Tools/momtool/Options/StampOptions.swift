import ArgumentParser
import ManagedModel
import ModelCompiler

/// Which compiler a compiled model names as its maker.
struct StampOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Name the compiler of this release of Xcode as the maker. Default: the newest known.",
      valueName: "release"))
  var xcode: String?

  @Option(
    help: ArgumentHelp(
      "Name this compiler as the maker, such as 150400:22758, or none.", valueName: "stamp"))
  var stamp: String?

  func validate() throws {
    if xcode != nil, stamp != nil {
      throw ValidationError("Give --xcode or --stamp, not both.")
    }
    if let xcode, CompilerStamp(xcode: xcode) == nil {
      let known = CompilerStamp.known.map(\.xcodeRelease).joined(separator: ", ")
      throw ValidationError("The stamp of Xcode \(xcode) isn't known; known are \(known).")
    }
    if let stamp, stamp != "none", CompilerStamp(text: stamp) == nil {
      throw ValidationError("'\(stamp)' is no stamp; write XCODE:TOOL, such as 150400:22758.")
    }
  }

  /// The stamp; nil for none.
  var value: CompilerStamp? {
    if let xcode { return CompilerStamp(xcode: xcode) }
    if let stamp { return stamp == "none" ? nil : CompilerStamp(text: stamp) }
    return .newest
  }
}
