import DataModels
import Foundation

/// Creates valid models that use every feature of models: random, but the same for the same seed.
///
/// ```swift
/// @Test(arguments: 0..<50) func roundTrips(seed: Int) throws {
///   let model = RandomModel(seed: UInt64(seed)).model()
///   …
/// }
/// ```
///
/// Every model passes ``NSManagedObjectModel/validate()``; its names are identifiers of various lengths. Features
/// that a format can't represent are excluded with ``Features``.
package struct RandomModel: Sendable {
  /// The features of models besides entities, attributes and relationships.
  package struct Features: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) {
      self.rawValue = rawValue
    }

    package static let inheritance = Features(rawValue: 1 << 0)
    package static let composites = Features(rawValue: 1 << 1)
    package static let derived = Features(rawValue: 1 << 2)
    package static let fetched = Features(rawValue: 1 << 3)
    package static let indexes = Features(rawValue: 1 << 4)
    package static let uniqueness = Features(rawValue: 1 << 5)
    package static let userInfo = Features(rawValue: 1 << 6)
    package static let validation = Features(rawValue: 1 << 7)
    package static let templates = Features(rawValue: 1 << 8)
    package static let configurations = Features(rawValue: 1 << 9)
    /// Renaming identifiers and hash modifiers.
    package static let versions = Features(rawValue: 1 << 10)
    /// Spotlight, external records, cloud encryption, value classes and the like.
    package static let rareFlags = Features(rawValue: 1 << 11)
    /// Default values of types that model sources can't represent: UUIDs and URLs.
    package static let rareDefaults = Features(rawValue: 1 << 12)
    /// Localized display names, which compiled models don't contain.
    package static let localization = Features(rawValue: 1 << 13)

    /// Everything that a compiled model can contain.
    package static let all: Features = [
      .inheritance, .composites, .derived, .fetched, .indexes, .uniqueness, .userInfo, .validation,
      .templates, .configurations, .versions, .rareFlags, .rareDefaults,
    ]
  }

  /// The seed of all random choices.
  package var seed: UInt64
  /// The number of entities.
  package var entityCount: ClosedRange<Int>
  /// The number of attributes of each entity.
  package var attributeCount: ClosedRange<Int>
  /// The permitted features.
  package var features: Features

  package init(
    seed: UInt64, entities: ClosedRange<Int> = 1...12, attributes: ClosedRange<Int> = 0...8,
    features: Features = .all
  ) {
    self.seed = seed
    entityCount = entities
    attributeCount = attributes
    self.features = features
  }

  /// Creates the model.
  package func model() -> NSManagedObjectModel {
    var maker = ModelMaker(plan: self)
    return maker.make()
  }
}

/// The state of a random model under construction.
struct ModelMaker {
  let plan: RandomModel
  var random: SeededGenerator
  private var usedNames: Set<String> = []
  var entities: [NSEntityDescription] = []

  init(plan: RandomModel) {
    self.plan = plan
    random = SeededGenerator(seed: plan.seed)
  }

  /// Whether the feature is permitted and, with a probability of `percent`, used here.
  mutating func uses(_ feature: RandomModel.Features, _ percent: Int) -> Bool {
    plan.features.contains(feature) && random.chance(percent)
  }

  mutating func make() -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    entities = (0..<random.number(plan.entityCount)).map { _ in makeEntity() }
    if plan.features.contains(.inheritance) { arrangeHierarchy() }
    for entity in entities { addAttributes(to: entity) }
    addRelationships()
    for entity in entities { decorate(entity) }
    model.entities = entities
    if uses(.configurations, 40) { addConfigurations(to: model) }
    if uses(.templates, 40) { addTemplates(to: model) }
    model.versionIdentifiers = random.chance(70) ? [""] : ["V\(random.number(1...99))"]
    if uses(.localization, 50) {
      model.localizationDictionary = ["Entity/A": text(), "Property/b": text()]
    }
    if random.chance(50) {
      model.compilerStamp =
        random.chance(50)
        ? .init(toolVersion: 24512, xcodeVersion: 260_200)
        : .init(toolVersion: 23788.4, xcodeVersion: 160_400)
    }
    return model
  }

  // MARK: Names

  /// An identifier that differs from all other names of the model, ignoring case.
  mutating func name(capital: Bool) -> String {
    let letters = Array("abcdefghijklmnopqrstuvwxyz")
    while true {
      let length = random.pick([3, 4, 6, 7, 8, 9, 10, 11, 12, 16, 25, 40]) ?? 8
      var name = ""
      for place in 0..<length {
        let letter = random.pick(letters).map(String.init) ?? "x"
        switch random.number(0...11) {
        case 0 where place > 0: name += String(random.number(0...9))
        case 1 where place > 0 && place + 1 < length: name += "_"
        case 2 where place > 0: name += letter.uppercased()
        default: name += place == 0 && capital ? letter.uppercased() : letter
        }
      }
      guard !ReservedNames.contains(name), usedNames.insert(name.lowercased()).inserted else {
        continue
      }
      return name
    }
  }

  /// A string with spaces, quotes, angle brackets and non-ASCII letters.
  mutating func text() -> String {
    let words = [
      "plain", "two words", "Größe", "\"quoted\"", "a<b>&c", "日本", "🙂", "tab\tand\nline",
    ]
    return (random.pick(words) ?? "") + String(random.number(0...9))
  }

  // MARK: Entities

  private mutating func makeEntity() -> NSEntityDescription {
    let entity = NSEntityDescription()
    let name = name(capital: true)
    entity.name = name
    switch random.number(0...3) {
    case 0: break
    case 1: entity.managedObjectClassName = "Module.\(name)"
    default: entity.managedObjectClassName = name
    }
    return entity
  }

  /// Makes some entities subentities of earlier ones, which excludes cycles.
  private mutating func arrangeHierarchy() {
    var children: [Int: [NSEntityDescription]] = [:]
    for (place, entity) in entities.enumerated() where place > 0 && random.chance(30) {
      children[random.number(0...(place - 1)), default: []].append(entity)
    }
    for (place, below) in children.sorted(by: { $0.key < $1.key }) {
      entities[place].subentities = below
      entities[place].isAbstract = random.chance(40)
    }
  }

  private mutating func decorate(_ entity: NSEntityDescription) {
    if uses(.userInfo, 25) { entity.userInfo = userInfo() }
    if uses(.versions, 15) { entity.versionHashModifier = text() }
    if uses(.versions, 15) { entity.renamingIdentifier = name(capital: true) }
    if uses(.fetched, 20) { addFetchedProperty(to: entity) }
    if uses(.derived, 30) { addDerivedAttribute(to: entity) }
    if uses(.indexes, 40) { addIndexes(to: entity) }
    if uses(.uniqueness, 25) { addUniqueness(to: entity) }
  }

  mutating func userInfo() -> [AnyHashable: Any] {
    var entries: [AnyHashable: Any] = [:]
    for _ in 0..<random.number(1...4) { entries[name(capital: false)] = text() }
    return entries
  }

  private mutating func addConfigurations(to model: NSManagedObjectModel) {
    for _ in 0..<random.number(1...2) {
      var members: [NSEntityDescription] = []
      for entity in entities where random.chance(50) { members.append(entity) }
      model.setEntities(members, forConfigurationName: name(capital: true))
    }
  }

  private mutating func addTemplates(to model: NSManagedObjectModel) {
    for _ in 0..<random.number(1...3) {
      guard let entity = random.pick(entities) else { return }
      model.setFetchRequestTemplate(request(for: entity), forName: name(capital: false))
    }
  }
}
