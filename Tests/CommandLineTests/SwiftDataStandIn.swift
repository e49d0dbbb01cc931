import Foundation

/// What a compiler on Linux can check in code for SwiftData: that it parses with the macros unchanged, and that it
/// type-checks with property wrappers and classes in their place.
enum SwiftDataStandIn {
  /// SwiftData's names, as far as schemas use them.
  static let module = #"""
    import Foundation

    protocol PersistentModel: AnyObject {}
    protocol VersionedSchema {
      static var versionIdentifier: Schema.Version { get }
      static var models: [any PersistentModel.Type] { get }
    }
    protocol SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { get }
      static var stages: [MigrationStage] { get }
    }
    final class ModelContext { func save() throws {} }
    enum MigrationStage {
      case lightweight(
        fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type)
      case custom(
        fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type,
        willMigrate: ((ModelContext) throws -> Void)?, didMigrate: ((ModelContext) throws -> Void)?)
    }
    final class Schema {
      struct Version: Sendable { init(_ major: Int, _ minor: Int, _ patch: Int) {} }
      final class Attribute {
        struct Option {
          static var unique: Option { Option() }
          static var externalStorage: Option { Option() }
          static var preserveValueOnDeletion: Option { Option() }
          static var allowsCloudEncryption: Option { Option() }
          static var spotlight: Option { Option() }
          static var ephemeral: Option { Option() }
          static func transformable(by name: String) -> Option { Option() }
        }
      }
      final class Relationship {
        struct Option { static var unique: Option { Option() } }
        enum DeleteRule { case noAction, nullify, cascade, deny }
      }
      final class Unique<T> { init(_ constraints: [PartialKeyPath<T>]...) {} }
      final class Index<T> {
        enum Types<P> { case binary([PartialKeyPath<P>]), rtree([PartialKeyPath<P>]) }
        init(_ indices: [PartialKeyPath<T>]...) {}
        init(_ indices: Types<T>...) {}
      }
    }
    @propertyWrapper struct Attribute<Value> {
      var wrappedValue: Value { get { value! } set { value = newValue } }
      private var value: Value?
      init(
        wrappedValue: Value, _ options: Schema.Attribute.Option..., originalName: String? = nil,
        hashModifier: String? = nil
      ) { value = wrappedValue }
      init(
        _ options: Schema.Attribute.Option..., originalName: String? = nil,
        hashModifier: String? = nil
      ) {}
    }
    @propertyWrapper struct Relationship<Value> {
      var wrappedValue: Value { get { value! } set { value = newValue } }
      private var value: Value?
      init(
        wrappedValue: Value, _ options: Schema.Relationship.Option...,
        deleteRule: Schema.Relationship.DeleteRule = .nullify, minimumModelCount: Int? = 0,
        maximumModelCount: Int? = 0, originalName: String? = nil, inverse: AnyKeyPath? = nil,
        hashModifier: String? = nil
      ) { value = wrappedValue }
      init(
        _ options: Schema.Relationship.Option...,
        deleteRule: Schema.Relationship.DeleteRule = .nullify, minimumModelCount: Int? = 0,
        maximumModelCount: Int? = 0, originalName: String? = nil, inverse: AnyKeyPath? = nil,
        hashModifier: String? = nil
      ) {}
    }

    """#

  /// Returns the compiler's errors for generated files: from parsing or, with the stand-in, from type checking.
  static func errors(of files: [URL], checkingTypes isTyped: Bool) throws -> String {
    try Tool.withTemporaryFolder { folder in
      var paths = files.map(\.path)
      if isTyped {
        paths = try files.map { file in
          let text = try String(contentsOf: file, encoding: .utf8)
          let place = folder.appendingPathComponent(file.lastPathComponent)
          try Data(replacingMacros(text).utf8).write(to: place)
          return place.path
        }
        let place = folder.appendingPathComponent("StandIn.swift")
        try Data(module.utf8).write(to: place)
        paths.append(place.path)
      }
      let list = folder.appendingPathComponent("files")
      try Data(paths.map { "\"\($0)\"\n" }.joined().utf8).write(to: list)
      let run = try Tool.run(
        URL(fileURLWithPath: "/usr/bin/env"),
        arguments: ["swiftc"]
          + (isTyped
            ? ["-typecheck", "-swift-version", "6", "-module-name", "Schemas"]
            : ["-frontend", "-parse"]) + ["@\(list.path)"], in: folder)
      let lines = (run.errors + run.text).split(separator: "\n").filter {
        $0.contains("error:")
      }
      return (lines.prefix(20) + (run.status == 0 ? [] : ["status \(run.status)"]))
        .joined(separator: "\n")
    }
  }

  private static func replacingMacros(_ text: String) -> String {
    var number = 0
    var isModel = false
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map {
      line -> String in
      let word = line.trimmingCharacters(in: .whitespaces)
      if word == "import SwiftData" { return "" }
      if word == "@Model" {
        isModel = true
        return ""
      }
      if isModel, word.hasSuffix("{") {
        isModel = false
        return word.contains(": ") ? String(line) : line.dropLast(2) + ": PersistentModel {"
      }
      for name in ["Unique", "Index"] where word.hasPrefix("#\(name)<") {
        number += 1
        return "nonisolated(unsafe) static let macro\(number) = Schema.\(word.dropFirst())"
      }
      return String(line)
    }
    return lines.joined(separator: "\n")
  }
}
