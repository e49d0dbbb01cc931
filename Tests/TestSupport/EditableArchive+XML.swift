import Foundation
import PropertyLists

extension EditableArchive {
  /// The archive as an XML property list.
  public var xml: String {
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">

      """
    let fields = [
      ArchiveField("$version", version ?? .null), ArchiveField("$archiver", archiver ?? .null),
      ArchiveField("$top", .dictionary(top)), ArchiveField("$objects", .array(objects)),
    ]
    Self.append(.dictionary(fields), to: &text)
    return text + "</plist>\n"
  }

  private static func append(_ value: ArchiveValue, to text: inout String) {
    switch value {
    case .null: text += "<string></string>\n"
    case .boolean(let value): text += value ? "<true/>\n" : "<false/>\n"
    case .integer(let value, _): text += "<integer>\(value)</integer>\n"
    case .float(let value): text += "<real>\(value)</real>\n"
    case .double(let value), .date(let value): text += "<real>\(value)</real>\n"
    case .data(let bytes): text += "<data>\(Data(bytes).base64EncodedString())</data>\n"
    case .string(let value): text += "<string>\(escaped(value))</string>\n"
    case .reference(let number):
      text += "<dict><key>CF$UID</key><integer>\(number)</integer></dict>\n"
    case .array(let members), .set(let members):
      text += "<array>\n"
      for member in members { append(member, to: &text) }
      text += "</array>\n"
    case .dictionary(let fields):
      text += "<dict>\n"
      for field in fields {
        text += "<key>\(escaped(field.key))</key>"
        append(field.value, to: &text)
      }
      text += "</dict>\n"
    }
  }

  private static func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "&", with: "&amp;")
      .replacingOccurrences(of: "<", with: "&lt;").replacingOccurrences(of: ">", with: "&gt;")
  }
}
