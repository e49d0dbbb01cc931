import DataModels
import Foundation

/// Converts a model to the tree of a source, as Xcode would have written it.
///
/// Content that models don't have (scalar types, generated classes, editor layout) gets Xcode's defaults;
/// ``SourceMerge`` restores what the original source had.
struct ModelElements {
  /// The type that Xcode writes for every model.
  static let documentType = "com.apple.IDECoreDataModeler.DataModel"

  /// Descriptions of content that a source can't express, and that is lost.
  private(set) var losses: [String] = []
  /// The composites found in attributes, by name.
  var composites: [String: SourceElement] = [:]
  /// The names assigned to composites, by their content.
  var compositeNames: [[SourceElement]: String] = [:]
  /// The names of the source that the model was read from.
  private(set) var sourceNames = CompositeNames()
  /// The names of that source's composites, by their content, for attributes that have been renamed since.
  private(set) var knownComposites: [[SourceElement]: String] = [:]
  /// The composite whose elements are being written; nil for an entity's attributes.
  var outerComposite: CompositeNames.Holder?

  /// Converts a model.
  ///
  /// - Returns: The `<model>` element, and a sentence for each aspect that a source can't express.
  static func element(for model: NSManagedObjectModel) -> (root: SourceElement, losses: [String]) {
    var writer = ModelElements(of: model)
    let root = writer.model(model)
    return (root, writer.losses)
  }

  /// Converts a model that was read from a source, together with the model as it was then, using the same names of
  /// composites in both.
  static func elements(
    base: NSManagedObjectModel, current: NSManagedObjectModel
  ) -> (base: SourceElement, current: (root: SourceElement, losses: [String])) {
    var first = ModelElements(of: base)
    let start = first.model(base)
    var second = ModelElements(of: current)
    second.knownComposites = first.compositeNames
    let root = second.model(current)
    return (start, (root, second.losses))
  }

  private init(of model: NSManagedObjectModel) {
    if let origin = model.preserved as? SourceOrigin {
      sourceNames = CompositeNames(origin.document.root)
    }
  }

  mutating func noteLoss(of what: String) {
    losses.append(what)
  }

  // MARK: The model

  private mutating func model(_ model: NSManagedObjectModel) -> SourceElement {
    var element = SourceElement("model")
    element["type"] = Self.documentType
    element["documentVersion"] = "1.0"
    element["lastSavedToolsVersion"] = toolsVersion(model.compilerStamp)
    element["systemVersion"] = "25C56"
    element["minimumToolsVersion"] = "Automatic"
    element["sourceLanguage"] = "Swift"
    element["userDefinedModelVersionIdentifier"] = versionIdentifier(of: model)
    let entities = sorted(model.entities) { $0.name ?? "" }
    element.children = entities.map { entity($0) }
    for name in sorted(Array(model.fetchRequestTemplatesByName.keys), { $0 }) {
      guard let request = model.fetchRequestTemplate(forName: name) else { continue }
      element.children.append(fetchRequest(request, name: name, owner: "fetch request '\(name)'"))
    }
    for name in sorted(model.namedConfigurations, { $0 }) {
      var configuration = SourceElement("configuration", [SourceAttribute("name", name)])
      let members = model.entities(forConfigurationName: name) ?? []
      configuration.children = sorted(members) { $0.name ?? "" }.map {
        SourceElement("memberEntity", [SourceAttribute("name", $0.name ?? "")])
      }
      element.children.append(configuration)
    }
    element.children += sorted(Array(composites.values)) { $0["name"] ?? "" }
    noteUnwritableTexts(in: &element)
    return element
  }

  /// The build of Xcode's model editor: that of the compiler, if the model was compiled.
  private func toolsVersion(_ stamp: CompilerStamp?) -> String {
    stamp.flatMap { Int(exactly: $0.toolVersion.rounded(.down)) }.map { "\($0)" } ?? "24512"
  }

  private mutating func versionIdentifier(of model: NSManagedObjectModel) -> String {
    // An empty one is what a source without any has.
    let identifiers = model.versionIdentifiers.map { "\($0)" }.filter { !$0.isEmpty }.sorted()
    if identifiers.count > 1 {
      let list = identifiers.map { "'\($0)'" }.joined(separator: ", ")
      noteLoss(of: "the version identifiers after the first of \(list)")
    }
    return identifiers.first ?? ""
  }

  // MARK: Entities

  private mutating func entity(_ entity: NSEntityDescription) -> SourceElement {
    let name = entity.name ?? ""
    var element = SourceElement("entity", [SourceAttribute("name", name)])
    element["representedClassName"] = entity.explicitClassName
    if entity.isAbstract { element["isAbstract"] = "YES" }
    element["parentEntity"] = entity.superentity?.name
    element["elementID"] = renamingIdentifier(entity.explicitRenamingIdentifier, name)
    element["versionHashModifier"] = entity.versionHashModifier
    element["syncable"] = "YES"
    element["coreSpotlightDisplayNameExpression"] =
      entity.coreSpotlightDisplayNameExpression.map { PredicateSyntax.text($0) }
    let coverage = IndexCoverage(entity)
    var attributes: [SourceElement] = []
    var relationships: [SourceElement] = []
    var fetched: [SourceElement] = []
    for property in sorted(entity.ownProperties, { $0.name }) {
      switch property {
      case let attribute as NSAttributeDescription:
        attributes.append(
          self.attribute(
            attribute, owner: name, isMarkedIndexed: coverage.isMarked(attribute)))
      case let relationship as NSRelationshipDescription:
        relationships.append(self.relationship(relationship))
      case let property as NSFetchedPropertyDescription:
        fetched.append(fetchedProperty(property, owner: name))
      default:
        noteLoss(of: "the property '\(name).\(property.name)' of a kind that sources don't have")
      }
    }
    element.children = attributes + relationships + fetched
    for index in sorted(coverage.declared, { $0.name }) {
      element.children.append(fetchIndex(index, owner: name))
    }
    element.children += Self.tuples(
      coverage.compoundIndexes, in: "compoundIndexes", each: "compoundIndex", item: "index")
    element.children += Self.tuples(
      entity.ownUniquenessConstraints, in: "uniquenessConstraints",
      each: "uniquenessConstraint", item: "constraint")
    element.children += userInfo(entity.orderedUserInfo.map { ($0.key, $0.value) }, owner: name)
    return element
  }

  /// The element that contains lists of names, each an element of its own; none if there are no lists.
  static func tuples(
    _ tuples: [[String]], in container: String, each kind: String, item: String
  ) -> [SourceElement] {
    guard !tuples.isEmpty else { return [] }
    let children = tuples.map { names in
      SourceElement(
        kind, children: names.map { SourceElement(item, [SourceAttribute("value", $0)]) })
    }
    return [SourceElement(container, children: children)]
  }

  // MARK: Settings common to entities and properties

  func renamingIdentifier(_ identifier: String?, _ name: String) -> String? {
    identifier == name ? nil : identifier
  }

  mutating func userInfo(_ entries: [(AnyHashable, Any)], owner: String) -> [SourceElement] {
    guard !entries.isEmpty else { return [] }
    var element = SourceElement("userInfo")
    for (key, value) in sorted(entries.map { ("\($0.0)", $0.1) }, { $0.0 }) {
      let text: String
      switch value {
      case let value as String: text = value
      case let value as NSString: text = "\(value)"
      default:
        text = "\(value)"
        noteLoss(of: "the kind of the user info '\(key)' of '\(owner)', which became a text")
      }
      element.children.append(
        SourceElement("entry", [SourceAttribute("key", key), SourceAttribute("value", text)]))
    }
    return [element]
  }

  func sorted<Item>(_ items: [Item], _ name: (Item) -> String) -> [Item] {
    items.map { (name($0), $0) }.sorted { XcodeNameOrder.precedes($0.0, $1.0) }.map(\.1)
  }
}
