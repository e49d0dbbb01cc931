import DataModels
import Foundation
import PropertyLists

/// Metadata in XML stores: a property list with one element per line, and empty elements written with both tags.
struct XMLStoreMetadata {
  /// The maximum nesting depth of values.
  private static let maximalDepth = 60
  private var text = ""

  /// The `<databaseInfo>` element.
  static func info(
    uuid: String, lastKey: Int64, metadata: [String: Any], others: [Substring]
  ) throws -> [UInt8] {
    var list = XMLStoreMetadata()
    let kept = metadata.filter {
      ![StoreMetadataKeys.type, StoreMetadataKeys.uuid].contains($0.key)
    }
    if !kept.isEmpty {
      list.text = "\n            <plist version=\"1.0\">"
      try list.append(kept, depth: 0)
      list.text += "\n            </plist>\n        "
    }
    var info = """
      <databaseInfo>
              <version>\(XMLStoreReader.version)</version>
              <UUID>\(XMLStoreText.quoted(uuid))</UUID>
              <nextObjectID>\(lastKey)</nextObjectID>
              <metadata>\(list.text)</metadata>

      """
    for other in others { info += "        \(other)\n" }
    return Array((info + "    </databaseInfo>").utf8)
  }

  private mutating func line(_ depth: Int, _ element: String) {
    text += "\n" + String(repeating: " ", count: 16 + depth * 4) + element
  }

  private mutating func append(_ value: Any, depth: Int) throws {
    guard depth < Self.maximalDepth else {
      throw CoreDataError.make(NSPersistentStoreSaveError, "The metadata are nested too deeply.")
    }
    if let number = PlainNumber(value) { return append(number, depth: depth) }
    switch value {
    case let text as String: line(depth, "<string>\(XMLStoreText.quoted(text))</string>")
    case let data as Data: appendData(data, depth: depth)
    case let date as Date:
      guard let text = ISODate.text(date.timeIntervalSinceReferenceDate) else {
        throw CoreDataError.make(
          NSPersistentStoreSaveError,
          "The metadata contain a date that is millions of years away, which an XML store can't hold."
        )
      }
      line(depth, "<date>\(text)</date>")
    case let members as [Any]:
      guard !members.isEmpty else { return line(depth, "<array></array>") }
      line(depth, "<array>")
      for member in members { try append(member, depth: depth + 1) }
      line(depth, "</array>")
    case let entries as [String: Any]:
      guard !entries.isEmpty else { return line(depth, "<dict></dict>") }
      line(depth, "<dict>")
      for entry in entries.sorted(by: { NameOrder.precedes($0.key, $1.key) }) {
        line(depth + 1, "<key>\(XMLStoreText.quoted(entry.key))</key>")
        try append(entry.value, depth: depth + 1)
      }
      line(depth, "</dict>")
    default:
      throw CoreDataError.make(
        NSPersistentStoreSaveError,
        "The metadata contain a \(type(of: value)), which property lists can't represent.")
    }
  }

  private mutating func append(_ number: PlainNumber, depth: Int) {
    switch number {
    case .boolean(let flag): line(depth, flag ? "<true></true>" : "<false></false>")
    case .integer(let number): line(depth, "<integer>\(number)</integer>")
    case .unsigned(let number): line(depth, "<integer>\(number)</integer>")
    case .real(let number): line(depth, "<real>\(number)</real>")
    case .decimal(let number):
      line(depth, "<real>\(NSDecimalNumber(decimal: number).doubleValue)</real>")
    }
  }

  /// Data is wrapped as in Core Foundation's own property lists: indented by tabs, which shorten the lines.
  private mutating func appendData(_ data: Data, depth: Int) {
    let tabs = String(repeating: "\t", count: min(depth, 8))
    let base64 = data.base64EncodedString()
    let width = 76 - min(depth, 8) * 8
    line(depth, "<data>")
    var rest = base64[...]
    while !rest.isEmpty {
      text += "\n\(tabs)\(rest.prefix(width))"
      rest = rest.dropFirst(width)
    }
    text += "\n\(tabs)</data>"
  }
}
