import Foundation

/// The bytes of a transformable value that no transformer could read, in the value's place: in a
/// composite's dictionary, so that they are written back as they are, and in predicates and mappings,
/// which must not take a value that is there for none.
struct UntransformedBytes: Hashable, Sendable {
  /// The bytes as they lie in the store.
  let data: Data

  /// Holds bytes.
  init(data: Data) { self.data = data }
}
