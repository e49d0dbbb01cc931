extension ReportData {
  /// The versions of a model, so that any two of them can be compared: what stays the same is there once.
  public struct Versions: Codable, Sendable, Hashable {
    /// The names, in their order.
    public var names: [String]
    /// The place of the current one.
    public var current: Int?
    /// How many entities, attributes and relationships each has.
    public var sizes: [[Int]]
    /// The texts that elements refer to by their places.
    public var texts: [String]
    /// What can be said of each kind of element.
    public var kinds: [Kind]
    /// The elements, through all versions.
    public var tracks: [Track]
    /// What becomes of stores: from a version to another.
    public var routes: [Route]
    /// What migrations say, which routes refer to by their places.
    public var reasons: [Reason]

    /// A kind of element.
    public struct Kind: Codable, Sendable, Hashable {
      /// Its name.
      public var name: String
      /// The names of what can be said of it.
      public var facts: [String]
      /// The places of those that version hashes cover.
      public var hashed: [Int]
      /// The places of those that name other elements, which follow when these are renamed.
      public var references: [Int]
    }

    /// An element through all versions: an entity, a property, an index and so on.
    public struct Track: Codable, Sendable, Hashable {
      /// The place of its kind.
      public var kind: Int
      /// What it says from a version on: the version, the entity's name, its own name, and then what it says, a fact
      /// and a text each; with the version alone it is gone. Names and texts are places, a name that it doesn't have
      /// is -1.
      public var states: [[Int]]
    }

    /// What becomes of stores that go from a version to another.
    public struct Route: Codable, Sendable, Hashable {
      /// The place of the version stores were made with.
      public var from: Int
      /// The place of the version that they go to.
      public var to: Int
      /// `not-needed`, `lightweight`, `fails-with-data` or `impossible`.
      public var outcome: String
      /// The places of the reasons, the worst first.
      public var reasons: [Int]
    }

    /// What a migration makes of one change.
    public struct Reason: Codable, Sendable, Hashable {
      /// The rule.
      public var rule: String
      /// How it ends: `keeps`, `loses`, `fails-with-data` or `blocks`.
      public var effect: String
      /// What changed and how it ends.
      public var message: String
      /// What would help.
      public var suggestion: String?
    }
  }
}
