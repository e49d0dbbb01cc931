/// What a source declares, typed but not yet linked: names are texts, and may lead nowhere.
///
/// Checks, class generation and the model builder all work from declarations; each one keeps the
/// element it was read from, for places and for what only the source knows.
///
/// Models, entities and properties are declared by many texts, and handed about a lot: one reference is cheaper to
/// hand on. The reader fills in the content; once it is in here it never changes.
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
