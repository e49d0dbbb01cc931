import CoreData
import Foundation

/// An import whose progress views observe with key-value observing.
final class Importer: NSObject, @unchecked Sendable {
  @objc dynamic var imported = 0
  @objc dynamic private(set) var isBusy: Bool = false { didSet { log.append(isBusy) } }
  private(set) var log: [Bool] = []
  private var observation: NSKeyValueObservation?
  var heard: [Int] = []
  @objc var summary: String { "\(imported) imported" }
  override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
    key == #keyPath(summary)
      ? [#keyPath(imported)] : super.keyPathsForValuesAffectingValue(forKey: key)
  }
  override init() {
    super.init()
    observation = observe(\.imported, options: [.new]) { importer, change in
      importer.heard.append(change.newValue ?? -1)
    }
  }
  func run(_ data: Data, into context: NSManagedObjectContext) throws {
    isBusy = true
    defer { isBusy = false }
    let decoder = JSONDecoder()
    decoder.userInfo[.context] = context
    imported += try decoder.decode([Author].self, from: data).count
    try context.save()
  }
}
