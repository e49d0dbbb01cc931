/// A declaration in a source, typed but not yet linked: names are strings that may not refer to anything.
///
/// Checks, class generation and the model builder all use declarations. Each declaration keeps the element it was read
/// from, for its location and for content that only the source has.
///
/// Declarations of models, entities and properties have many strings and are passed around a lot, so they are held by a
/// single reference. The reader fills in the content, which is immutable afterwards.
@dynamicMemberLookup
final class Declaration<Content: Sendable>: Sendable {
  let content: Content

  init(_ content: Content) {
    self.content = content
  }

  subscript<Value>(dynamicMember path: KeyPath<Content, Value>) -> Value { content[keyPath: path] }
}

typealias ModelDeclaration = Declaration<ModelContent>
typealias EntityDeclaration = Declaration<EntityContent>
typealias AttributeDeclaration = Declaration<AttributeContent>
typealias RelationshipDeclaration = Declaration<RelationshipContent>
typealias FetchedPropertyDeclaration = Declaration<FetchedPropertyContent>
