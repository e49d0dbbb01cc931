import Foundation

/// A small source that tests edit: one entity with the given attributes.
enum OrderSource {
  /// Returns the text of a `contents` file.
  static func contents(_ attributes: [String], more: String = "") -> String {
    """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" \
    userDefinedModelVersionIdentifier="">
        <entity name="Order" representedClassName="Order" syncable="YES">
    \(attributes.map { "        \($0)\n" }.joined())    </entity>
    \(more)</model>

    """
  }

  /// Returns an optional attribute.
  static func attribute(
    _ name: String, _ type: String = "String", optional: Bool = true, more: String = ""
  ) -> String {
    "<attribute name=\"\(name)\"\(optional ? " optional=\"YES\"" : "") attributeType=\"\(type)\""
      + "\(more) syncable=\"YES\"/>"
  }

  /// Returns the text of an `.xccurrentversion` file.
  static func pointer(_ version: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0">
    <dict>
    \t<key>_XCCurrentVersionName</key>
    \t<string>\(version).xcdatamodel</string>
    </dict>
    </plist>

    """
  }
}
