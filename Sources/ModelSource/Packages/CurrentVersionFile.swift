import DataModels
import Foundation

/// The `.xccurrentversion` file of a bundle, a property list that names the current version.
package enum CurrentVersionFile {
  /// The file's name.
  package static let name = ".xccurrentversion"
  private static let key = "_XCCurrentVersionName"
  private static let suffix = ".xcdatamodel"

  /// The name of the current version, without its extension; nil when there is no such file.
  static func read(in bundle: URL, path: String) throws -> String? {
    let url = bundle.appendingPathComponent(name)
    guard FileManager.default.fileExists(atPath: url.path) else { return nil }
    return try Self.name(in: Data(contentsOf: url), path: "\(path)/\(name)")
  }

  /// The name of the current version in the file's contents; nil when it names none.
  package static func name(in data: Data, path: String) throws -> String? {
    let list = try? PropertyListSerialization.propertyList(from: data, format: nil)
    guard let list = list as? [String: Any] else {
      throw ModelSourceError(
        .version, path: path, "the file is not a property list with a dictionary")
    }
    guard let file = list[key] as? String else { return nil }
    return file.hasSuffix(suffix) ? String(file.dropLast(suffix.count)) : file
  }

  /// The contents of the file for a current version, as Xcode writes it.
  package static func text(currentVersionName: String) -> String {
    let escaped = currentVersionName.escapingMarkup(inAttribute: false)
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
      "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <dict>
      \t<key>\(key)</key>
      \t<string>\(escaped)\(suffix)</string>
      </dict>
      </plist>

      """
  }
}

extension ModelPackage {
  /// The name of the file that records a bundle's current version.
  public static let currentVersionFileName = CurrentVersionFile.name

  /// The contents of that file, as Xcode writes it.
  public static func currentVersionFile(currentVersionName: String) -> String {
    CurrentVersionFile.text(currentVersionName: currentVersionName)
  }
}
