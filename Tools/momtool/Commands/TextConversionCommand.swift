import ArgumentParser
import DataModels
import Foundation
import ModelListing
import ModelSource
import PropertyLists

/// `momtool textconv`: a model as text, for git.
///
/// git ends a whole `git log -p` when a conversion fails, so none does: what can't be read as a model is shown
/// as it is. Nothing is said on standard error, where git would show it among the differences.
struct TextConversionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "textconv",
    abstract: "Shows a model as text, or as it is when it can't be read: git's textconv driver.",
    shouldDisplay: false)

  /// The number of the listing's form. git keeps what was converted under the command's text, this number
  /// with it: it changes when the listing does.
  static let form = 1

  @Option(help: "The number of the listing's form; without meaning here.")
  var form = TextConversionCommand.form

  @Argument(help: "The file, as git hands it over.", completion: .file())
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
      // Whoever reads has gone, or the disk is full: git finds out by itself.
    }
  }

  /// The listing of a model's bytes, compiled or as source; nil when they are shown as they are.
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
    return ModelTextListing(ModelSchema(model), title: nil) { _, text in text }.text
  }

  /// What stands for a compiled model that can't be read: enough to see that it is another.
  private static func unreadable(_ bytes: [UInt8], _ reason: String) -> String {
    var checksum: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { checksum = (checksum ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return "a compiled model that can't be read: \(reason)\n"
      + "\(bytes.count) bytes, checksum \(String(checksum, radix: 16))\n"
  }
}
