import Foundation

/// One thing in which a bundle or store disagrees with what it records about its own model.
public struct HashDifference: Hashable, Sendable {
  /// What disagrees.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A version's file can't be read.
    case unreadableVersion = "unreadable-version"
    /// A version is recorded, and has no file.
    case missingVersion = "missing-version"
    /// A version has a file, and isn't recorded.
    case unrecordedVersion = "unrecorded-version"
    /// The version recorded as current has no file.
    case missingCurrentVersion = "missing-current-version"
    /// An entity is recorded, and not in the model.
    case missingEntity = "missing-entity"
    /// An entity is in the model, and not recorded.
    case unrecordedEntity = "unrecorded-entity"
    /// An entity's version hash.
    case entityHash = "entity-hash"
    /// A model's checksum.
    case checksum = "checksum"
    /// The digest of a store's hashes.
    case digest = "digest"
    /// There is nothing recorded to compare with.
    case nothingRecorded = "nothing-recorded"
    /// The code of a frozen SwiftData schema isn't what was frozen.
    case frozenCode = "frozen-code"
    /// A store is of none of the frozen SwiftData schemas that it was compared with.
    case unknownSchema = "unknown-schema"
  }

  /// What disagrees.
  public var kind: Kind
  /// The version's name, in a bundle.
  public var version: String?
  /// The entity's name, where it is about one.
  public var entity: String?
  /// What is recorded: a hash in hexadecimal, a checksum or digest in base64.
  public var recorded: String?
  /// What the model gives, in the same form; or why it can't be read.
  public var computed: String?

  /// Describes a difference.
  public init(
    _ kind: Kind, version: String? = nil, entity: String? = nil, recorded: String? = nil,
    computed: String? = nil
  ) {
    self.kind = kind
    self.version = version
    self.entity = entity
    self.recorded = recorded
    self.computed = computed
  }
}

extension HashDifference: CustomStringConvertible {
  /// One line: `version 'Shop 2', entity 'Order': the version hash differs: recorded …, computed …`.
  public var description: String {
    let place = [version.map { "version '\($0)'" }, entity.map { "entity '\($0)'" }]
      .compactMap { $0 }.joined(separator: ", ")
    return (place.isEmpty ? "" : place + ": ") + text
  }

  private var text: String {
    let both = "recorded \(recorded ?? "none"), computed \(computed ?? "none")"
    return switch kind {
    case .unreadableVersion: "can't be read: \(computed ?? "")"
    case .missingVersion: "recorded, but there is no such file"
    case .unrecordedVersion: "a file that isn't recorded"
    case .missingCurrentVersion: "recorded as current, but there is no such file"
    case .missingEntity: "recorded, but not in the model"
    case .unrecordedEntity: "in the model, but not recorded"
    case .entityHash: "the version hash differs: \(both)"
    case .checksum: "the checksum differs: \(both)"
    case .digest: "the digest differs: \(both)"
    case .nothingRecorded: "no version hashes are recorded"
    case .frozenCode: "the code was changed after it was frozen"
    case .unknownSchema: "of none of the frozen schemas; \(computed ?? "none") comes nearest"
    }
  }
}

extension HashDifference {
  /// Compares recorded entity hashes with those of a model.
  package static func differences(
    recorded: [String: Data], computed: [String: Data], version: String? = nil
  ) -> [HashDifference] {
    let names = NameOrder.sorted(Set(recorded.keys).union(computed.keys))
    return names.compactMap { name in
      let (old, new) = (recorded[name], computed[name])
      guard old != new else { return nil }
      let kind: Kind =
        old == nil ? .unrecordedEntity : new == nil ? .missingEntity : .entityHash
      return HashDifference(
        kind, version: version, entity: name, recorded: old.map(hexadecimal),
        computed: new.map(hexadecimal))
    }
  }

  /// Bytes as hexadecimal digits.
  private static func hexadecimal(_ data: Data) -> String {
    data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
