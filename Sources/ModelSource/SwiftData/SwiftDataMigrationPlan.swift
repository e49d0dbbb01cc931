/// The migrations from each frozen schema to the next, as a `SchemaMigrationPlan`.
public struct SwiftDataMigrationPlan: Sendable {
  /// The migration from one schema to the next.
  public enum Stage: Hashable, Sendable {
    /// Performed by SwiftData.
    case lightweight
    /// Requires custom code, for the given reasons.
    case custom(reasons: [String])
  }

  /// The file: `ShopMigrationPlan.swift`.
  public let file: GeneratedFile

  /// Writes a plan.
  ///
  /// - Parameters:
  ///   - name: The name of the plan's type, an identifier.
  ///   - schemas: The schemas, oldest first; SwiftData doesn't accept two with the same checksum.
  ///   - stages: The migrations from each schema to the next: one fewer than schemas.
  public init(name: String, schemas: [SwiftDataSchema], stages: [Stage]) {
    let release = schemas.map(\.release).max() ?? .first
    let steps = zip(zip(schemas, schemas.dropFirst()), stages).map { ($0.0, $0.1, $1) }
    var text = """
      // Written by momtool. Custom stages are yours to fill in: momtool doesn't write over this file.

      import SwiftData

      \(release.attribute)enum \(name): SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] {
          [
      \(schemas.map { "      \($0.name).self,\n" }.joined())    ]
        }

        static var stages: [MigrationStage] {
          [
      \(steps.map { "      \(Self.stageName($0.0, $0.1)),\n" }.joined())    ]
        }

      """
    for (old, new, stage) in steps { text += "\n" + Self.text(of: stage, old, new) }
    file = GeneratedFile(name: "\(name).swift", text: text + "}\n")
  }

  private static func stageName(_ old: SwiftDataSchema, _ new: SwiftDataSchema) -> String {
    "from\(old.version.suffix)To\(new.version.suffix)"
  }

  private static func text(
    of stage: Stage, _ old: SwiftDataSchema, _ new: SwiftDataSchema
  ) -> String {
    let versions = "fromVersion: \(old.name).self, toVersion: \(new.name).self"
    let titles = "\(SwiftDataSchema.line(old.title)) to \(SwiftDataSchema.line(new.title))"
    let name = stageName(old, new)
    switch stage {
    case .lightweight:
      return """
          /// \(titles).
          static var \(name): MigrationStage {
            .lightweight(\(versions))
          }

        """
    case .custom(let reasons):
      let lines = reasons.map { "    // * \(SwiftDataSchema.line($0))\n" }.joined()
      return """
          /// \(titles).
          static var \(name): MigrationStage {
        \(lines)    .custom(
              \(versions),
              willMigrate: { context in
                #warning("Convert the contents of \(old.name) for \(new.name) here; the reasons are above.")
                try context.save()
              },
              didMigrate: nil)
          }

        """
    }
  }
}
