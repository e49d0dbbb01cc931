import Foundation
import PropertyLists

/// Decodes a mapping model from its archive.
struct MappingDecoder {
  private let browser: ArchiveBrowser
  /// Decodes the expressions, which have the same form as in models.
  private let expressions: ModelDecoder
  /// The archive, as the source of preserved unknown content.
  private let source: PreservedArchive

  init(_ archive: KeyedArchive, _ scanner: BinaryScanner) {
    browser = ArchiveBrowser(archive)
    source = PreservedArchive(archive)
    expressions = ModelDecoder(archive, scanner)
  }

  func decode() throws(ArchiveError) -> NSMappingModel {
    guard let root = browser.archive.topReference(), root != 0 else {
      throw ArchiveError(.valueNotFound, "the archive has no root object", key: "root")
    }
    try check(root, is: "NSMappingModel")
    let fields = browser.fields(of: root)
    let mapping = NSMappingModel()
    var mappings: [NSEntityMapping] = []
    for number in browser.members(of: fields[MappingKey.entityMappings]) {
      mappings.append(try entityMapping(number))
    }
    mapping.entityMappings = mappings
    mapping.preserved = unknown(in: root, besides: MappingKey.ofModel)
    if let table = browser.reference(fields[MappingKey.entityMappingsByName]) {
      mapping.compilerVintage = expressions.vintage(entities: table)
    }
    return mapping
  }

  private func check(_ number: Int, is name: String) throws(ArchiveError) {
    let found = browser.className(of: number)
    guard found == name else {
      throw ArchiveError(
        .invalidContent, "expected an \(name), found \(found ?? "nothing of a class")",
        object: number)
    }
  }

  private func entityMapping(_ number: Int) throws(ArchiveError) -> NSEntityMapping {
    try check(number, is: "NSEntityMapping")
    let fields = browser.fields(of: number)
    let mapping = NSEntityMapping()
    mapping.name = browser.text(fields[MappingKey.name]) ?? ""
    let type = browser.integer(fields[MappingKey.type]) ?? 0
    guard let mappingType = UInt(exactly: type).flatMap(NSEntityMappingType.init) else {
      throw ArchiveError(
        .invalidContent, "\(type) isn't a mapping type", object: number, key: MappingKey.type)
    }
    mapping.mappingType = mappingType
    mapping.sourceEntityName = browser.text(fields[MappingKey.sourceName])
    mapping.sourceEntityVersionHash = browser.bytes(fields[MappingKey.sourceHash]).map { Data($0) }
    mapping.destinationEntityName = browser.text(fields[MappingKey.destinationName])
    mapping.destinationEntityVersionHash =
      browser.bytes(fields[MappingKey.destinationHash]).map { Data($0) }
    mapping.entityMigrationPolicyClassName = browser.text(fields[MappingKey.policy])
    mapping.userInfo = try userInfo(fields)
    mapping.sourceExpression = try expression(fields[MappingKey.sourceExpression])
    mapping.attributeMappings = try propertyMappings(fields[MappingKey.attributes])
    mapping.relationshipMappings = try propertyMappings(fields[MappingKey.relationships])
    mapping.preserved = unknown(in: number, besides: MappingKey.ofEntity)
    return mapping
  }

  private func propertyMappings(
    _ value: ArchiveValue?
  ) throws(ArchiveError) -> [NSPropertyMapping]? {
    guard browser.reference(value) != nil else { return nil }
    var mappings: [NSPropertyMapping] = []
    for number in browser.members(of: value) {
      try check(number, is: "NSPropertyMapping")
      let fields = browser.fields(of: number)
      let mapping = NSPropertyMapping()
      mapping.name = browser.text(fields[MappingKey.propertyName])
      mapping.valueExpression = try expression(fields[MappingKey.valueExpression])
      mapping.userInfo = try userInfo(fields)
      mapping.preserved = unknown(in: number, besides: MappingKey.ofProperty)
      mappings.append(mapping)
    }
    return mappings
  }

  /// The unknown fields of an object, to be written back; nil when there are none.
  private func unknown(in number: Int, besides known: Set<String>) -> PreservedContent? {
    let list = browser.archive.list
    guard let (keys, values) = list.dictionary(at: Int(browser.archive.objects[number])) else {
      return nil
    }
    let fields = zip(keys, values).compactMap { key, value -> PreservedContent.Field? in
      guard let name = list.string(at: key), !known.contains(name) else { return nil }
      // A known key, whose value has been nil in all files seen so far.
      if name == MappingKey.transforms, list.uid(at: value) == 0 { return nil }
      return PreservedContent.Field(key: name, value: value)
    }
    return fields.isEmpty
      ? nil
      : PreservedContent(source: source, fields: fields, archivedClass: nil, defaultValue: nil)
  }

  private func expression(
    _ value: ArchiveValue?
  ) throws(ArchiveError) -> DataModels.NSExpression? {
    guard let number = browser.reference(value) else { return nil }
    return try expressions.expressionDescription(number)
  }

  private func userInfo(
    _ fields: [String: ArchiveValue]
  ) throws(ArchiveError) -> [AnyHashable: Any]? {
    guard let number = browser.reference(fields[MappingKey.userInfo]) else { return nil }
    return try expressions.foundationValue(number)?.any as? [AnyHashable: Any]
  }
}
