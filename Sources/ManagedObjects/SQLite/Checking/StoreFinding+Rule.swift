extension StoreFinding {
  /// A rule that a store is checked for. Raw values are stable.
  public enum Rule: String, Sendable, CaseIterable {
    // The file.
    case integrity
    case unreadable
    case table = "missing-table"
    case column = "missing-column"
    case uniqueIndex = "missing-unique-index"
    case trigger = "missing-trigger"
    case elementTrigger = "missing-element-trigger"
    // Metadata, and what is kept about the model.
    case metadataRow = "metadata-row"
    case storeType = "store-type"
    case versionHashes = "version-hashes"
    case digest = "hashes-digest"
    case checksum = "model-checksum"
    case modelCache = "model-cache"
    case entityRow = "entity-row"
    case entityName = "entity-name"
    case keyCounter = "key-counter"
    // Rows.
    case entityNumber = "entity-number"
    case rowVersion = "row-version"
    case foreignValue = "foreign-value"
    case required = "missing-value"
    case valueType = "value-type"
    case textEncoding = "text-encoding"
    case uniqueness
    // Relationships.
    case danglingKey = "dangling-key"
    case targetEntity = "target-entity"
    case inverse
    case joinKey = "join-key"
    case danglingJoin = "dangling-join"
    case memberCount = "member-count"
    case orderKey = "order-key"
    case orderTie = "order-tie"
    // Values beside the store.
    case externalTag = "external-tag"
    case externalMissing = "external-missing"
    case externalUnreferenced = "external-unreferenced"
    // Persistent history.
    case historyTransaction = "history-transaction"
    case historyChange = "history-change"
    case historyColumns = "history-columns"
    case historyText = "history-text"

    /// The severity of a violation.
    public var severity: Severity {
      switch self {
      // Found in stores that Apple's framework wrote and still reads.
      case .entityName, .inverse, .danglingJoin, .orderTie, .orderKey, .uniqueIndex,
        .externalUnreferenced, .historyText, .foreignValue,
        // Stores made by earlier versions of MomKit lack them, and Apple's may.
        .elementTrigger,
        // Readable, with a replacement character for invalid text.
        .textEncoding,
        // Checked by validation, which only applies to saves of contexts.
        .required, .memberCount:
        .warning
      default: .error
      }
    }

    /// A one-line summary of the rule.
    public var summary: String {
      switch self {
      case .integrity: "SQLite finds no errors in the file"
      case .unreadable: "every table can be read"
      case .table: "every table for the model exists"
      case .column: "every column for the model exists"
      case .uniqueIndex: "every uniqueness constraint has its index"
      case .trigger: "every derived attribute has its triggers"
      case .elementTrigger: "every attribute derived from a composite's element has its triggers"
      case .metadataRow: "there is one row of metadata, with a UUID and a property list"
      case .storeType: "the metadata identify a SQLite store"
      case .versionHashes: "the recorded version hashes are the model's"
      case .digest: "the recorded digest is that of the recorded hashes"
      case .checksum: "the recorded checksum is that of the recorded hashes"
      case .modelCache: "the store's copy of the model can be read and has the recorded hashes"
      case .entityRow: "Z_PRIMARYKEY has a row for each entity, with the right parent"
      case .entityName: "Z_PRIMARYKEY has the entities' names"
      case .keyCounter: "no key exceeds the counter for new keys"
      case .entityNumber: "every row is of a concrete entity of its table"
      case .rowVersion: "every row was saved at least once"
      case .foreignValue: "no row has a value in a column of another entity"
      case .required: "mandatory properties have a value"
      case .valueType: "values are of their attribute's type"
      case .textEncoding: "strings are in UTF-8"
      case .uniqueness: "no two objects share the values of a uniqueness constraint"
      case .danglingKey: "keys of relationships refer to existing rows"
      case .targetEntity:
        "the rows they refer to have the right entity, which is recorded correctly"
      case .inverse: "one-to-one relationships refer back"
      case .joinKey: "rows of join tables have both keys"
      case .danglingJoin: "rows of join tables refer to existing rows"
      case .memberCount: "to-many relationships respect their minimum and maximum"
      case .orderKey: "members of ordered relationships, and only they, have positions"
      case .orderTie: "no two members have the same position"
      case .externalTag: "values that may be external have a valid tag"
      case .externalMissing: "the files of external values exist"
      case .externalUnreferenced: "there are no external files without a value"
      case .historyTransaction: "every change belongs to a transaction"
      case .historyChange: "every change is of a known kind and entity"
      case .historyColumns:
        "updates, and only they, record changed columns, as many as the entity has"
      case .historyText: "the strings that transactions refer to exist"
      }
    }
  }
}
