extension ReportData {
  /// The versions of a model, in a form that allows any two of them to be compared, without repeating unchanged data.
  public struct Versions: Codable, Sendable, Hashable {
    /// The names, in order.
    public var names: [String]
    /// The index of the current version.
    public var current: Int?
    /// The number of entities, attributes and relationships in each version.
    public var sizes: [[Int]]
    /// The strings that elements refer to by index.
    public var texts: [String]
    /// The facts of each kind of element.
    public var kinds: [Kind]
    /// The elements, tracked through all versions.
    public var tracks: [Track]
    /// The migrations between versions.
    public var routes: [Route]
    /// The migration findings that routes refer to by index.
    public var reasons: [Reason]

    /// A kind of element.
    public struct Kind: Codable, Sendable, Hashable {
      /// Its name.
      public var name: String
      /// The names of its facts.
      public var facts: [String]
      /// The indexes of the facts that version hashes cover.
      public var hashed: [Int]
      /// The indexes of the facts that refer to other elements, and follow when these are renamed.
      public var references: [Int]
    }

    /// An element tracked through all versions: an entity, a property, an index and so on.
    public struct Track: Codable, Sendable, Hashable {
      /// The index of its kind.
      public var kind: Int
      /// The element's states, each valid from a version on: the version, the entity's name, its own name, followed by
      /// pairs of a fact and a text. A state with only a version means that the element was removed. Names and texts
      /// are given by index, with -1 for a missing name.
      public var states: [[Int]]
    }

    /// A migration from one version to another.
    public struct Route: Codable, Sendable, Hashable {
      /// The index of the version that stores were created with.
      public var from: Int
      /// The index of the version that stores are migrated to.
      public var to: Int
      /// `not-needed`, `lightweight`, `fails-with-data` or `impossible`.
      public var outcome: String
      /// The indexes of the reasons, the worst first.
      public var reasons: [Int]
    }

    /// The effect of a migration on one change.
    public struct Reason: Codable, Sendable, Hashable {
      /// The rule.
      public var rule: String
      /// The effect: `keeps`, `loses`, `fails-with-data` or `blocks`.
      public var effect: String
      /// The change and its effect.
      public var message: String
      /// A suggested remedy.
      public var suggestion: String?
    }
  }
}
