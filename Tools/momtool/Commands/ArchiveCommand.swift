import ArgumentParser
import DataModels
import Foundation
import ManagedObjects
import ModelListing
import PropertyLists

/// `momtool archive`: shows the objects of a keyed archive.
struct ArchiveCommand: ParsableCommand {
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, json, plain
  }

  static let configuration = CommandConfiguration(
    commandName: "archive",
    abstract: "Shows the objects of any keyed archive or property list, or writes it again.",
    discussion: """
      Each object is shown with its number, its class and its fields; references are numbers. The \
      archive may come from any program: nothing in it is decoded.

      --format plain shows what is archived as ordinary JSON: dictionaries, arrays, strings and \
      dates as such, other objects with their class and fields.

      With --output, the archive is written again as a binary property list, with its objects in \
      their order. The bytes are the same if the system's own classes wrote the original.

      EXAMPLES
        momtool archive Shop.mom
        momtool archive Shop.mom --format json | jq '.objects[1].fields | from_entries'
        momtool archive Preferences.archive --format plain | jq .
        momtool archive VersionInfo.plist --output Copy.plist
      """)

  @Argument(
    help: ArgumentHelp("The archive; - for standard input.", valueName: "input"),
    completion: .file())
  var input: String

  @Option(help: "The output format: text, json or plain.")
  var format = Format.text

  @Option(
    help: ArgumentHelp(
      "Write the archive to this file, - for standard output, and show nothing.", valueName: "file"),
    completion: .file())
  var output: String?

  func run() throws {
    try InputReader.reported(input) { try convert() }
  }

  private func convert() throws {
    let bytes = try InputFile.bytes(at: input)
    guard !bytes.isEmpty else {
      throw Diagnostic("it is empty: expected a keyed archive or property list", path: input)
    }
    if let what = Self.otherForm(of: bytes) { throw Diagnostic(what, path: input) }
    if format == .plain, output == nil {
      let value = try PlainArchive.value(of: bytes)
      return try StandardOutput.write(JSONText.indented(Data(value.json.utf8)))
    }
    let list = try BinaryPropertyList(anyForm: bytes)
    if let output {
      let bytes = PropertyListGraph(list).binary()
      if output == "-" {
        try bytes.withUnsafeBytes { try StandardOutput.write($0) }
      } else {
        try InputFile.write(bytes, to: output)
      }
    } else {
      try show(list)
    }
  }

  /// The kind of a file that is neither a binary nor an XML property list; nil if unknown.
  private static func otherForm(of bytes: [UInt8]) -> String? {
    if ModelFile.kind(ofBytes: bytes) == .optimizedModel {
      return "an optimized model, not an archive; use momtool dump to show it"
    }
    if ModelFile.kind(ofBytes: bytes) == .store {
      return
        "a SQLite file; use momtool dump for a store's cached model, or momtool store for its objects"
    }
    let first = bytes.first { !(0x09...0x0D).contains($0) && $0 != 0x20 }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "(")
      ? "an old-style property list (in braces), which isn't supported; convert it with plutil -convert xml1"
      : nil
  }

  private func show(_ list: BinaryPropertyList) throws {
    let graph: ArchiveGraph
    if list.marker(at: list.top) == .dictionary,
      list.value(forKey: "$objects", ofDictionary: list.top) != nil
    {
      graph = ArchiveGraph(try KeyedArchive(list.bytes))
    } else {
      graph = ArchiveGraph(list)
    }
    switch format {
    case .text: try StandardOutput.write(ArchiveTextListing(graph).text)
    case .json, .plain: try StandardOutput.write(JSONText.encode(graph))
    }
  }
}
