import ArgumentParser
import DataModels
import Foundation
import ModelListing
import ModelSource
import PropertyLists

/// `momtool textconv`: shows a model as text, for git.
///
/// git aborts a whole `git log -p` if a conversion fails, so a conversion never fails: what can't be read as a model is
/// passed through. Nothing is written to standard error, which git would mix into the diff.
struct TextConversionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "textconv",
    abstract: "Shows a model as text, or unchanged if it can't be read: git's textconv driver.",
    shouldDisplay: false)

  /// The version of the listing format. git caches converted text under the command line, which includes this number,
  /// so it must change whenever the listing does.
  static let form = 2

  @Option(help: "The version of the listing's format; ignored.")
  var form = TextConversionCommand.form

  @Argument(help: "The file passed by git.", completion: .file())
  var input: String

  func run() throws {
    guard let bytes = try? InputFile.bytes(at: input) else { return }
    let text = Self.text(of: bytes)
    do {
      if let text {
        try StandardOutput.write(text)
      } else {
        try bytes.withUnsafeBytes { try StandardOutput.write($0) }
      }
    } catch {
      // The reader is gone or the disk is full, which git detects by itself.
    }
  }

  /// The listing of a compiled model or a source; nil for bytes to be passed through.
  private static func text(of bytes: [UInt8]) -> String? {
    let model: NSManagedObjectModel
    let kind = ModelFile.kind(ofBytes: bytes)
    if kind == .optimizedModel || kind == .store || BinaryPropertyList.hasMagic(bytes) {
      do {
        model = try ModelFile.model(fromBytes: bytes)
      } catch {
        return unreadable(bytes, Diagnostics.diagnostic(for: error, path: nil).message)
      }
    } else {
      var options = SourceReadingOptions()
      options.isTolerant = true
      guard let source = try? SourceModel(data: Data(bytes), options: options) else { return nil }
      model = source.model
    }
    let listing = ModelTextListing(ModelSchema(model), title: nil) { _, text in text }.text
    // Changes of content that the listing doesn't have would be invisible.
    let details = SourceDetailListing(of: model)?.lines ?? []
    guard !details.isEmpty else { return listing }
    return listing + "\nin the source alone\n" + details.map { "  \($0)\n" }.joined()
  }

  /// A placeholder for a compiled model that can't be read, which changes when the bytes do.
  private static func unreadable(_ bytes: [UInt8], _ reason: String) -> String {
    var checksum: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { checksum = (checksum ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return "a compiled model that can't be read: \(reason)\n"
      + "\(bytes.count) bytes, checksum \(String(checksum, radix: 16))\n"
  }
}
