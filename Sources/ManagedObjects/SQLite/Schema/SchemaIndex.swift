/// An index of the store's file, or a trigger: something with a name and a statement.
package struct SchemaIndex: Sendable, Hashable {
  /// Its name.
  package let name: String
  /// The table it is on.
  package let table: String
  /// The statement that makes it.
  package let statement: String
}
