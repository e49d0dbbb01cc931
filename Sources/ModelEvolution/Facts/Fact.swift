import DataModels

/// A fact about an element of a model: its name, how it is read and written, how two edits of it are merged, and
/// whether version hashes cover it.
///
/// DataModels enumerates the facts (`DescriptionFact`, `PropertySetting`); these tables define how each is read as a
/// value and written. Difference, application, merge, migration verdicts and reports all use these tables.
struct Fact: Sendable {
  /// How two edits of the fact are merged.
  enum Merging: Sendable {
    /// They conflict unless they are equal.
    case whole
    /// Element by element, for sets.
    case members
    /// Field by field, for records.
    case fields
    /// Element by element, by name, for the elements of composites; also their order.
    case elements
    /// The later of two numbers, such as `2.9` and `2.10`, while other values conflict; element by element if there are
    /// several.
    case latest
  }

  /// The entity in which the fact's properties, key paths and expressions are looked up.
  enum Scope: Sendable {
    case owner
    case destination
    /// The entity of a fetch request.
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
  /// Whether the fact is meaningful only together with the attribute's type.
  var dependsOnType = false
  /// Whether the fact is absent from properties without rare settings, so that it can be skipped. This makes reading
  /// large models a good deal faster.
  var isRare = false
  let read: @Sendable (AnyObject) -> ModelValue
  let write: @Sendable (AnyObject, ModelValue, ModelEditor) throws -> Void

  /// Creates a fact for a stored property of the subject.
  init<Subject: AnyObject, Value>(
    _ name: String, _ keyPath: ReferenceWritableKeyPath<Subject, Value> & Sendable,
    as form: ValueForm<Value>, hash: HashRole, merging: Merging = .whole,
    references: Scope? = nil
  ) {
    self.init(
      name, of: Subject.self, hash: hash, merging: merging, references: references,
      read: { form.wrap($0[keyPath: keyPath]) },
      write: { subject, value, _ in subject[keyPath: keyPath] = try form.unwrap(value) })
  }

  /// Creates a fact with custom code for reading and writing.
  init<Subject: AnyObject>(
    _ name: String, of type: Subject.Type, hash: HashRole, merging: Merging = .whole,
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
        throw EvolutionError(.wrongValue, "\(name) isn't a fact of a \(Swift.type(of: subject))")
      }
      do {
        try write(subject, value, editor)
      } catch let mismatch as ValueMismatch {
        throw EvolutionError(
          .wrongValue, "\(name) can't be \(mismatch.value): it must be \(mismatch.wanted)")
      }
    }
  }

  /// Creates a fact from a row of DataModels' tables, for a stored property of the subject.
  init<Row: DescriptionFact, Value>(
    _ row: Row, _ keyPath: ReferenceWritableKeyPath<Row.Subject, Value> & Sendable,
    as form: ValueForm<Value>, merging: Merging = .whole, references: Scope? = nil
  ) {
    let traits = row.traits
    self.init(
      traits.factName ?? traits.name, keyPath, as: form, hash: HashRole(traits), merging: merging,
      references: references)
  }

  /// Creates a fact from a row of DataModels' tables, with custom code for reading and writing.
  init<Row: DescriptionFact>(
    _ row: Row, merging: Merging = .whole, references: Scope? = nil,
    read: @escaping @Sendable (Row.Subject) -> ModelValue,
    write: @escaping @Sendable (Row.Subject, ModelValue, ModelEditor) throws -> Void
  ) {
    let traits = row.traits
    self.init(
      traits.factName ?? traits.name, of: Row.Subject.self, hash: HashRole(traits),
      merging: merging, references: references, read: read, write: write)
  }

  /// The same fact, marked as one of a property's rare settings.
  var rare: Fact {
    var copy = self
    copy.isRare = true
    return copy
  }

  /// The same fact, marked as dependent on the attribute's type.
  var ofType: Fact {
    var copy = self
    copy.dependsOnType = true
    return copy
  }

  /// The same fact, marked as not covered by the version hash.
  func uncovered(_ reason: String) -> Fact {
    var copy = self
    copy.hash = .notCovered(reason)
    return copy
  }
}

extension Fact {
  /// The facts of a kind of element, in a fixed order.
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

  private static let indexes: [[String: Int]] = ModelElementKind.allCases.map { kind in
    let names = table(for: kind).enumerated().map { ($1.name, $0) }
    return Dictionary(names) { first, _ in first }
  }

  /// The index of a fact in the table of a kind.
  static func index(of name: String, for kind: ModelElementKind) -> Int? {
    indexes[kind.place][name]
  }

  /// The fact with a name in the table of a kind.
  static func named(_ name: String, for kind: ModelElementKind) -> Fact? {
    index(of: name, for: kind).map { table(for: kind)[$0] }
  }
}

extension Fact {
  /// Whether a change of the fact alters the entity's hash.
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
        changesHash(from: old, to: new) ? reason : "changes in the elements are not hashed"
      } else {
        "transient properties are not hashed"
      }
    }
  }
}
