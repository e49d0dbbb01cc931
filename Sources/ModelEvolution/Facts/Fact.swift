import DataModels

/// One thing that can be said about an element of a model: its name, how it is read and written, how
/// two edits of it merge, and whether version hashes cover it.
///
/// What there is to say, DataModels enumerates (`DescriptionFact`, `PropertySetting`); here is how each is read as a value
/// and written. Difference, replay, merge, verdict and rendering all walk these tables.
struct Fact: Sendable {
  /// How two edits of the fact go together.
  enum Merging: Sendable {
    /// They don't, unless they are equal.
    case whole
    /// Member by member, for sets.
    case members
    /// Field by field, for records.
    case fields
    /// The later of two, where numbers in them count as numbers; member by member, where there are several.
    case latest
  }

  /// Which entity the fact's properties, key paths and expressions are looked up in.
  enum Scope: Sendable {
    case owner
    case destination
    /// The entity that a fetch request asks for.
    case request
  }

  /// Whether the version hash covers the fact, with the reason in one line.
  enum HashRole: Sendable {
    case covered(String)
    case notCovered(String)

    init(_ traits: FactTraits) {
      self = traits.isHashed ? .covered(traits.reason) : .notCovered(traits.reason)
    }
  }

  let name: String
  var merging = Merging.whole
  var hash: HashRole
  var holdsReferences = false
  var scope = Scope.owner
  /// Whether the fact means something only together with the attribute's type.
  var dependsOnType = false
  /// Whether the fact says nothing about a property that has none of the rarer settings, so that it
  /// needn't be asked: large models are read a good deal faster.
  var isRare = false
  let read: @Sendable (AnyObject) -> ModelValue
  let write: @Sendable (AnyObject, ModelValue, ModelEditor) throws -> Void

  /// A fact that is one stored property of the subject.
  init<Subject: AnyObject, Value>(
    _ name: String, _ keyPath: ReferenceWritableKeyPath<Subject, Value> & Sendable,
    _ form: ValueForm<Value>, _ hash: HashRole, merging: Merging = .whole,
    references: Scope? = nil
  ) {
    self.init(
      name, of: Subject.self, hash, merging: merging, references: references,
      read: { form.wrap($0[keyPath: keyPath]) },
      write: { subject, value, _ in subject[keyPath: keyPath] = try form.unwrap(value) })
  }

  /// A fact that is read and written by its own code.
  init<Subject: AnyObject>(
    _ name: String, of type: Subject.Type, _ hash: HashRole, merging: Merging = .whole,
    references: Scope? = nil,
    read: @escaping @Sendable (Subject) -> ModelValue,
    write: @escaping @Sendable (Subject, ModelValue, ModelEditor) throws -> Void
  ) {
    self.name = name
    self.hash = hash
    self.merging = merging
    holdsReferences = references != nil
    scope = references ?? .owner
    self.read = { subject in (subject as? Subject).map(read) ?? .none }
    self.write = { subject, value, editor in
      guard let subject = subject as? Subject else {
        throw EvolutionError(.wrongValue, "\(name) is no fact of a \(Swift.type(of: subject))")
      }
      do {
        try write(subject, value, editor)
      } catch let mismatch as ValueMismatch {
        throw EvolutionError(
          .wrongValue, "\(name) can't be \(mismatch.value): it must be \(mismatch.wanted)")
      }
    }
  }

  /// What a row of DataModels' tables says, where it is one stored property of the subject.
  init<Row: DescriptionFact, Value>(
    _ row: Row, _ keyPath: ReferenceWritableKeyPath<Row.Subject, Value> & Sendable,
    _ form: ValueForm<Value>, merging: Merging = .whole, references: Scope? = nil
  ) {
    let traits = row.traits
    self.init(
      traits.factName ?? traits.name, keyPath, form, HashRole(traits), merging: merging,
      references: references)
  }

  /// What a row of DataModels' tables says, read and written by its own code.
  init<Row: DescriptionFact>(
    _ row: Row, merging: Merging = .whole, references: Scope? = nil,
    read: @escaping @Sendable (Row.Subject) -> ModelValue,
    write: @escaping @Sendable (Row.Subject, ModelValue, ModelEditor) throws -> Void
  ) {
    let traits = row.traits
    self.init(
      traits.factName ?? traits.name, of: Row.Subject.self, HashRole(traits), merging: merging,
      references: references, read: read, write: write)
  }

  /// The same fact, known to be kept with the rarer settings of a property.
  var rare: Fact {
    var copy = self
    copy.isRare = true
    return copy
  }

  /// The same fact, known to be about values of the attribute's type.
  var ofType: Fact {
    var copy = self
    copy.dependsOnType = true
    return copy
  }

  /// The same fact where the version hash doesn't cover it.
  func uncovered(_ reason: String) -> Fact {
    var copy = self
    copy.hash = .notCovered(reason)
    return copy
  }
}

extension Fact {
  /// The facts of a kind of element, in their fixed order.
  static func table(for kind: ModelElementKind) -> [Fact] {
    switch kind {
    case .model: modelFacts
    case .entity: entityFacts
    case .attribute: attributeFacts
    case .derivedAttribute: derivedAttributeFacts
    case .compositeAttribute: compositeAttributeFacts
    case .relationship: relationshipFacts
    case .fetchedProperty: fetchedPropertyFacts
    case .expressionProperty: expressionPropertyFacts
    case .index: indexFacts
    case .fetchRequest: fetchRequestFacts
    case .configuration: configurationFacts
    }
  }

  private static let indexes: [ModelElementKind: [String: Int]] = Dictionary(
    uniqueKeysWithValues: ModelElementKind.allCases.map { kind in
      let names = table(for: kind).enumerated().map { ($1.name, $0) }
      return (kind, Dictionary(names) { first, _ in first })
    })

  /// Where in the table of a kind a fact is.
  static func index(of name: String, for kind: ModelElementKind) -> Int? {
    indexes[kind]?[name]
  }

  /// The fact of a name in the table of a kind.
  static func named(_ name: String, for kind: ModelElementKind) -> Fact? {
    index(of: name, for: kind).map { table(for: kind)[$0] }
  }
}

extension Fact {
  /// Whether the fact's change gives the entity another hash.
  func changesHash(from old: ModelElement, to new: ModelElement) -> Bool {
    guard case .covered = hash, old.entersEntityHash || new.entersEntityHash else { return false }
    guard name == "elements" else { return true }
    return CompositeElements.hashed(old[name]) != CompositeElements.hashed(new[name])
  }

  /// Why it does or doesn't.
  func reason(from old: ModelElement, to new: ModelElement) -> String {
    switch hash {
    case .notCovered(let reason): reason
    case .covered(let reason):
      if old.entersEntityHash || new.entersEntityHash {
        changesHash(from: old, to: new) ? reason : "what changed in the elements is not hashed"
      } else {
        "transient properties are not hashed"
      }
    }
  }
}
