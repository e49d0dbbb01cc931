import Foundation
import PropertyLists

/// A difference between what a bundle or store records about its model and the model itself.
///
/// ```swift
/// for difference in try ModelBundle(at: "Shop.momd").verify() {
///   print(difference.kind.rawValue, difference.version ?? "", difference.entity ?? "")
/// }
/// ```
public struct HashDifference: Hashable, Sendable {
  /// The kind of difference.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A version's file can't be read.
    case unreadableVersion = "unreadable-version"
    /// A recorded version has no file.
    case missingVersion = "missing-version"
    /// A version has a file but isn't recorded.
    case unrecordedVersion = "unrecorded-version"
    /// The version recorded as current has no file.
    case missingCurrentVersion = "missing-current-version"
    /// A recorded entity isn't in the model.
    case missingEntity = "missing-entity"
    /// An entity of the model isn't recorded.
    case unrecordedEntity = "unrecorded-entity"
    /// An entity's version hash differs.
    case entityHash = "entity-hash"
    /// A model's checksum differs.
    case checksum = "checksum"
    /// The digest of a store's hashes differs.
    case digest = "digest"
    /// Nothing is recorded to compare with.
    case nothingRecorded = "nothing-recorded"
    /// The code of a frozen SwiftData schema has changed since it was frozen.
    case frozenCode = "frozen-code"
    /// A store matches none of the frozen SwiftData schemas that it was compared with.
    case unknownSchema = "unknown-schema"
  }

  /// The kind of difference.
  public var kind: Kind
  /// The version's name, for a bundle.
  public var version: String?
  /// The entity's name, if the difference concerns one.
  public var entity: String?
  /// The recorded value: a hash in hexadecimal, a checksum or digest in base64.
  public var recorded: String?
  /// The value computed from the model, in the same form, or why it can't be read.
  public var computed: String?

  /// Creates a difference.
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
    case .unknownSchema: "matches none of the frozen schemas; \(computed ?? "none") is closest"
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
        kind, version: version, entity: name, recorded: old.map { DisplayText.hex($0) },
        computed: new.map { DisplayText.hex($0) })
    }
  }
}
