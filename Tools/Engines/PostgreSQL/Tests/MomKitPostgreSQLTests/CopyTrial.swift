import Foundation
import MomKit
import Testing

/// Runs `momtool-postgresql copy`, and reads whole stores to compare them.
enum CopyTrial {
  struct Outcome {
    let status: Int32
    let output: String
    let errors: String
  }

  static func inFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
  }

  /// The program, ready to copy a store.
  static func process(_ source: String, _ copy: String) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
      .deletingLastPathComponent().appendingPathComponent("momtool-postgresql")
    process.arguments = ["copy", source, copy]
    return process
  }

  static func copy(_ source: String, _ copy: String) throws -> Outcome {
    try inFolder { folder in
      let process = try process(source, copy)
      let (output, errors) = (folder.path + "/out", folder.path + "/err")
      for path in [output, errors] {
        _ = FileManager.default.createFile(atPath: path, contents: nil)
      }
      process.standardOutput = FileHandle(forWritingAtPath: output)
      process.standardError = FileHandle(forWritingAtPath: errors)
      try process.run()
      process.waitUntilExit()
      return Outcome(
        status: process.terminationStatus,
        output: try String(contentsOfFile: output, encoding: .utf8),
        errors: try String(contentsOfFile: errors, encoding: .utf8))
    }
  }

  /// The objects of a store, each by its entity and key, as a context shows them.
  struct Contents {
    var objects: [String: [String: String]] = [:]
    var metadata: [String: Any] = [:]

    func difference(from other: Contents) -> String? {
      for name in Set(objects.keys).union(other.objects.keys).sorted() {
        guard let object = objects[name], let expected = other.objects[name] else {
          return "\(name) is in one store only"
        }
        for key in expected.keys.sorted() where object[key] != expected[key] {
          return "\(name).\(key): \(object[key] ?? "") instead of \(expected[key] ?? "")"
        }
      }
      return nil
    }
  }

  static func contents(
    _ url: URL, _ type: String, _ model: NSManagedObjectModel
  ) throws -> Contents {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(
      ofType: type, configurationName: nil, at: url,
      options: type == NSSQLiteStoreType ? [NSReadOnlyPersistentStoreOption: true] : nil)
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    var contents = Contents(metadata: coordinator.metadata(for: store))
    for entity in model.entities where !entity.isAbstract {
      let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
      request.includesSubentities = false
      for object in try context.fetch(request) {
        contents.objects[name(object.objectID)] = values(object)
      }
    }
    return contents
  }

  private static func name(_ id: NSManagedObjectID) -> String {
    String(id.uriRepresentation().path.dropFirst())
  }

  private static func values(_ object: NSManagedObject) -> [String: String] {
    var values: [String: String] = [:]
    for property in object.entity.properties where !property.isTransient {
      if property is NSAttributeDescription {
        values[property.name] = text(object.value(forKey: property.name))
      } else if let relationship = property as? NSRelationshipDescription {
        let names = object.objectIDs(forRelationshipNamed: property.name).map(name)
        values[property.name] = "\(relationship.isOrdered ? names : names.sorted())"
      }
    }
    return values
  }

  private static func text(_ value: Any?) -> String {
    switch value {
    case nil: "nil"
    case let number as NSDecimalNumber: number.stringValue
    case let number as NSNumber: "\(number.doubleValue)"
    case let data as Data: data.base64EncodedString()
    // PostgreSQL keeps microseconds.
    case let date as Date: "\((date.timeIntervalSinceReferenceDate * 1e6).rounded())"
    case let values as [String: Any]:
      "\(values.sorted { $0.key < $1.key }.map { "\($0.key)=\(text($0.value))" })"
    case let value?: "\(value)"
    }
  }
}
