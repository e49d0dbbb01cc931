import CoreData
import Foundation

/// An author, which can be decoded into a context.
@objc(Author)
public final class Author: NSManagedObject, Entity, Identifiable, Codable {
  /// A unique identifier.
  @NSManaged public var id: UUID
  @NSManaged var name: String
  @NSManaged private(set) var bookCount: Int
  @NSManaged private(set) var searchName: String?
  @NSManaged var books: Set<Book>?

  @nonobjc class func fetchRequest() -> NSFetchRequest<Author> {
    NSFetchRequest<Author>(entityName: "Author")
  }

  enum CodingKeys: String, CodingKey { case id, name, books }
  struct BookDTO: Codable { var title: String, pages: Int32? }

  /// Decodes an author into the decoder's context.
  public required convenience init(from decoder: any Decoder) throws {
    guard let context = decoder.userInfo[.context] as? NSManagedObjectContext else {
      throw DecodingError.valueNotFound(
        NSManagedObjectContext.self,
        .init(codingPath: decoder.codingPath, debugDescription: "no context"))
    }
    self.init(context: context)
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(UUID.self, forKey: .id)
    name = try container.decode(String.self, forKey: .name)
    for dto in try container.decodeIfPresent([BookDTO].self, forKey: .books) ?? [] {
      let book = Book(context: context)
      book.title = dto.title
      book.pages = dto.pages as NSNumber?
      addToBooks(book)
    }
  }

  /// Encodes the author with the books.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(name, forKey: .name)
    try container.encode(
      (books ?? []).sorted { ($0.title ?? "") < ($1.title ?? "") }.map {
        BookDTO(title: $0.title ?? "", pages: $0.pages?.int32Value)
      }, forKey: .books)
  }

  override class var displayName: String { "Writer" }

  override func take(_ values: [String: Any]) throws {
    guard values["name"] is String else { throw CocoaError(.validationMissingMandatoryProperty) }
    try super.take(values)
  }

  public override func awakeFromInsert() {
    super.awakeFromInsert()
    setPrimitiveValue(UUID(), forKey: #keyPath(Author.id))
  }
}

extension Author {
  @objc(addBooksObject:)
  @NSManaged func addToBooks(_ value: Book)
  @objc(removeBooksObject:)
  @NSManaged func removeFromBooks(_ value: Book)
  @objc(addBooks:)
  @NSManaged func addToBooks(_ values: NSSet)
  @objc(removeBooks:)
  @NSManaged func removeFromBooks(_ values: NSSet)
}
