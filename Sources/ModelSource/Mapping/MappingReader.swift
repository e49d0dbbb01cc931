import Foundation

/// Reads the objects of Xcode's mapping editor from their XML store.
struct MappingReader {
  private(set) var log: DiagnosticLog
  private let root: SourceElement
  /// The objects by identifier.
  private var objects: [String: SourceElement] = [:]

  private enum Kind {
    static let model = "XDDEVMAPPINGMODEL"
    static let entity = "XDDEVENTITYMAPPING"
    static let attribute = "XDDEVATTRIBUTEMAPPING"
    static let relationship = "XDDEVRELATIONSHIPMAPPING"
    static let all = [model, entity, attribute, relationship]
  }

  init(_ document: SourceDocument) {
    log = DiagnosticLog(document)
    root = document.root
  }

  mutating func read() throws -> (
    source: MappingSource.Model, destination: MappingSource.Model, entities: [MappingSource.Entity]
  ) {
    guard root.name == "database" else {
      throw ModelSourceError(
        .document, path: log.document.path,
        location: log.document.location(of: root),
        "the file isn't a mapping model: it begins with <\(root.name)>, not with <database>")
    }
    var models: [SourceElement] = []
    for child in root.children {
      switch child.name {
      case "databaseInfo": break
      case "object":
        register(child)
        if child["type"] == Kind.model { models.append(child) }
      default:
        log.add(.unknownElement, about: DiagnosticSubject(child), "unknown element <\(child.name)>")
      }
    }
    guard models.count == 1, let model = models.first else {
      throw ModelSourceError(
        .document, path: log.document.path,
        "there are \(models.count) objects of the type \(Kind.model); a mapping has one")
    }
    let fields = fields(
      of: model,
      [
        "sourcemodelpath", "sourcemodeldata", "destinationmodelpath", "destinationmodeldata",
      ])
    let entities = targets(of: model, "entitymappings", Kind.entity).map { entity($0) }
    let source = MappingSource.Model(
      path: text(fields["sourcemodelpath"]), copy: data(fields["sourcemodeldata"]))
    let destination = MappingSource.Model(
      path: text(fields["destinationmodelpath"]), copy: data(fields["destinationmodeldata"]))
    if log.hasErrors { throw ModelSourceError(diagnostics: log.sorted) }
    return (
      source, destination,
      entities.sorted { ($0.number, $0.name ?? "") < ($1.number, $1.name ?? "") }
    )
  }

  private mutating func register(_ object: SourceElement) {
    let subject = DiagnosticSubject(object)
    guard let id = object["id"], !id.isEmpty else {
      return log.add(.missingName, about: subject, "the object has no id")
    }
    if objects.updateValue(object, forKey: id) != nil {
      log.add(.duplicateName, about: subject, at: "id", "there are two objects '\(id)'")
    }
    let type = object["type"] ?? ""
    if !Kind.all.contains(type) {
      log.add(
        .unknownElement, about: subject, at: "type",
        "an object of the unknown type '\(type)' means nothing"
          + (SpellingSuggestion.nearest(to: type, among: Kind.all).map {
            " (did you mean '\($0)'?)"
          } ?? ""))
    }
  }

  // MARK: Objects

  private mutating func entity(_ object: SourceElement) -> MappingSource.Entity {
    let fields = fields(
      of: object,
      [
        "name", "mappingnumber", "mappingtypename", "sourcename", "destinationname",
        "migrationpolicyclassname", "sourcefilterpredicatestring", "autogenerateexpression",
      ])
    let generates = boolean(fields["autogenerateexpression"])
    return MappingSource.Entity(
      name: text(fields["name"]), number: integer(fields["mappingnumber"]),
      typeName: text(fields["mappingtypename"]), sourceEntityName: text(fields["sourcename"]),
      destinationEntityName: text(fields["destinationname"]),
      policyClassName: text(fields["migrationpolicyclassname"]),
      filterPredicate: text(fields["sourcefilterpredicatestring"]),
      attributes: targets(of: object, "attributemappings", Kind.attribute).map {
        property($0, generates)
      },
      relationships: targets(of: object, "relationshipmappings", Kind.relationship).map {
        property($0, generates)
      },
      location: log.document.location(of: object))
  }

  private mutating func property(
    _ object: SourceElement, _ generates: Bool
  ) -> MappingSource.Property {
    let fields = fields(
      of: object,
      [
        "name", "valueexpressiondata", "sourcekeypath", "sourcemappingname",
        "autogenerateexpression",
      ])
    if text(fields["name"]) == nil {
      log.add(
        .missingName, about: DiagnosticSubject(object), "the mapping of a property has no name")
    }
    return MappingSource.Property(
      name: text(fields["name"]) ?? "", valueExpression: data(fields["valueexpressiondata"]),
      sourceKeyPath: text(fields["sourcekeypath"]),
      sourceMappingName: text(fields["sourcemappingname"]),
      generatesExpression: fields["autogenerateexpression"].map { boolean($0) } ?? generates,
      location: log.document.location(of: object))
  }

  // MARK: Fields

  /// An object's attributes by name; unexpected ones are reported.
  private mutating func fields(
    of object: SourceElement, _ known: [String]
  ) -> [String: SourceElement] {
    var fields: [String: SourceElement] = [:]
    for child in object.children where child.name == "attribute" {
      let name = child["name"] ?? ""
      guard known.contains(name) else {
        log.add(
          .unknownAttribute, about: DiagnosticSubject(child), at: "name",
          "unknown attribute '\(name)'"
            + (SpellingSuggestion.nearest(to: name, among: known).map {
              " (did you mean '\($0)'?)"
            } ?? ""))
        continue
      }
      fields[name] = child
    }
    return fields
  }

  /// The objects that a relationship refers to.
  private mutating func targets(
    of object: SourceElement, _ relationship: String, _ kind: String
  ) -> [SourceElement] {
    var targets: [SourceElement] = []
    for child in object.children
    where child.name == "relationship" && child["name"] == relationship {
      for id in (child["idrefs"] ?? "").split(separator: " ") {
        if let target = objects[String(id)], target["type"] == kind {
          targets.append(target)
        } else {
          log.add(
            .document, about: DiagnosticSubject(child), at: "idrefs",
            "there is no object '\(id)' of the type \(kind)")
        }
      }
    }
    return targets
  }

  private func text(_ field: SourceElement?) -> String? {
    guard let text = field?.text, !text.isEmpty else { return nil }
    return text
  }

  private mutating func integer(_ field: SourceElement?) -> Int {
    guard let field, let text = text(field) else { return 0 }
    guard let value = Int32(text) else {
      log.add(
        .invalidValue, about: DiagnosticSubject(field), severity: .error, "'\(text)' isn't a number"
      )
      return 0
    }
    return Int(value)
  }

  private mutating func boolean(_ field: SourceElement?) -> Bool {
    integer(field) != 0
  }

  private mutating func data(_ field: SourceElement?) -> Data? {
    guard let field, let text = text(field) else { return nil }
    guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else {
      log.add(
        .invalidValue, about: DiagnosticSubject(field), severity: .error,
        "the text is not in base 64")
      return nil
    }
    return data
  }
}
