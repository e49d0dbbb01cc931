import Foundation

/// Describes how the objects of a store created with one model become objects of another model.
///
/// ```swift
/// let mapping = NSMappingModel()
/// mapping.entityMappings = [person, order]
/// let fits = mapping.maps(shipped, to: next)
/// ```
///
/// A mapping model is created in code, loaded from a `.cdm` file, or inferred from two models.
open class NSMappingModel: NSObject, @unchecked Sendable {
  // Sendable: set up in one place, and only read once a migration uses it.

  // The type is Core Data's: programs pass the value on without unwrapping it.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// The mappings, in the order in which they are performed; empty in a new model.
  open var entityMappings: [NSEntityMapping]! = []
  /// Unknown content found by a decoder, to be written back.
  final var preserved: (any Sendable)?
  /// The vintage of the compiler that wrote it; nil when it was created in code.
  package final var compilerVintage: CompilerVintage?

  /// Creates a mapping model without mappings.
  public override init() {
    super.init()
  }

  /// Whether the other object has equal mappings in the same order.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSMappingModel else { return false }
    return self === other || (entityMappings ?? []) == (other.entityMappings ?? [])
  }

  /// A hash that is consistent with ``isEqual(_:)``.
  open override var hash: Int { (entityMappings ?? []).map { $0.name ?? "" }.hashValue }

  /// The mappings by name.
  public final var entityMappingsByName: [String: NSEntityMapping] {
    Dictionary((entityMappings ?? []).map { ($0.name ?? "", $0) }) { first, _ in first }
  }
}
