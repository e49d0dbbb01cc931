import Foundation

/// How the objects of a store made with one model become objects of another model.
///
/// A mapping model is made by hand, read from a `.cdm` file, or inferred from two models.
open class NSMappingModel: NSObject, @unchecked Sendable {
  // Sendable: made in one place, and only read once a migration has it.

  // Core Data's type: programs hand the value on without unwrapping it.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// The mappings, in the order they are carried out; empty in a new model.
  open var entityMappings: [NSEntityMapping]! = []
  /// What a decoder met and doesn't know, to be written back.
  final var preserved: (any Sendable)?
  /// The vintage of the compiler that wrote it; nil when it was made in code.
  package final var compilerVintage: CompilerVintage?

  /// Makes a mapping model without mappings.
  public override init() {
    super.init()
  }

  /// Whether the other has equal mappings in the same order.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSMappingModel else { return false }
    return self === other || (entityMappings ?? []) == (other.entityMappings ?? [])
  }

  /// Follows ``isEqual(_:)``.
  open override var hash: Int { (entityMappings ?? []).map { $0.name ?? "" }.hashValue }

  /// The mappings under their names.
  public final var entityMappingsByName: [String: NSEntityMapping] {
    Dictionary((entityMappings ?? []).map { ($0.name ?? "", $0) }) { first, _ in first }
  }
}
