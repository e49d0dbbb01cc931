import Foundation

/// The source of a small model, for tests that need a model on disk.
enum ShopSource {
  static let contents = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" \
    lastSavedToolsVersion="22522" systemVersion="23C71" minimumToolsVersion="Automatic" \
    sourceLanguage="Swift" userDefinedModelVersionIdentifier="1.2">
        <entity name="Customer" representedClassName="Customer" syncable="YES">
            <attribute name="name" attributeType="String" minValueString="1" \
    defaultValueString="?"/>
            <relationship name="orders" optional="YES" toMany="YES" deletionRule="Cascade" \
    ordered="YES" destinationEntity="Order" inverseName="customer" inverseEntity="Order"/>
        </entity>
        <entity name="Order" representedClassName="Order" elementID="Purchase" syncable="YES">
            <attribute name="total" optional="YES" attributeType="Decimal" \
    defaultValueString="0.0"/>
            <relationship name="customer" maxCount="1" deletionRule="Nullify" \
    destinationEntity="Customer" inverseName="orders" inverseEntity="Customer"/>
        </entity>
    </model>

    """

  /// The output of `momtool dump Shop.xcdatamodel`.
  static let listing = """
    model Shop.xcdatamodel/contents
      version identifiers  "1.2"
      checksum             eWVz6SFfdOcNA1dF02IAwEfEV8D4xyXJe0y2JjQ/FhI=
      entities             2

    entity Customer  class Customer
      attribute     name    String     required  default "?"
          valid if length >= 1  else 1670 (too short)
      relationship  orders  ->> Order  optional  ordered  inverse customer  delete cascade

    entity Order  class Order  renamed from Purchase
      relationship  customer  -> Customer  required  inverse orders  delete nullify
      attribute     total     Decimal      optional  default 0

    """

  /// Writes the source into a folder.
  ///
  /// - Returns: the `.xcdatamodel`.
  @discardableResult
  static func write(into folder: URL, named name: String = "Shop") throws -> URL {
    let model = folder.appendingPathComponent(name + ".xcdatamodel")
    try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
    try Data(contents.utf8).write(to: model.appendingPathComponent("contents"))
    return model
  }
}
