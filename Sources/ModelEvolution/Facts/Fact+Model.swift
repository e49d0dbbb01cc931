import DataModels

extension Fact {
  /// The facts of the model itself.
  static let modelFacts: [Fact] = [
    Fact(
      "versionIdentifiers", of: NSManagedObjectModel.self,
      hash: .notCovered("version identifiers are labels; they are not hashed"), merging: .latest,
      // Empty identifiers are ignored: compilers write one if none was specified.
      read: { model in
        .members(
          model.versionIdentifiers.map { String(describing: $0.base) }.filter { !$0.isEmpty }
            .map(ModelValue.text))
      },
      write: { model, value, _ in
        model.versionIdentifiers = Set(value.members.compactMap(\.text).map { AnyHashable($0) })
      })
  ]

  /// The facts of a named configuration.
  static let configurationFacts: [Fact] = [
    Fact(
      "members", of: ConfigurationSubject.self,
      hash: .notCovered("configurations assign entities to stores; they are not hashed"),
      merging: .members, references: .owner,
      read: { subject in
        .members(
          (subject.model.entities(forConfigurationName: subject.name) ?? [])
            .map { .entity($0.name ?? "") })
      },
      write: { subject, value, editor in
        let members = try value.members.compactMap(\.entityName).map(editor.entity(named:))
        subject.model.setEntities(members, forConfigurationName: subject.name)
      })
  ]
}

/// A configuration, which has no class of its own in Core Data.
final class ConfigurationSubject {
  let model: NSManagedObjectModel
  let name: String

  init(_ name: String, of model: NSManagedObjectModel) {
    self.model = model
    self.name = name
  }
}
