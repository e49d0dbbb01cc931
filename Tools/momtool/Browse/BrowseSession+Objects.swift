import DataModels
import Foundation
import ManagedObjects

extension BrowseSession {
  private struct Object: Encodable {
    let values: [Named]

    struct Named: Encodable {
      let name: String
      let value: BrowseValue

      func encode(to encoder: any Encoder) throws {
        try value.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
      }

      private enum CodingKeys: CodingKey { case name }
    }
  }

  /// Returns an object with all its values. Parameters: `entity`, `key`.
  func object(_ question: BrowseAnswer.Question) throws -> BrowseAnswer {
    try reading { rows, places in
      let (entity, values) = try values(question, rows)
      let relationships = Self.relationships(of: entity)
      return try .json(
        Object(
          values: zip(rows.names(of: entity), values).map { name, value in
            .init(
              name: name,
              value: relationships.contains(name)
                ? BrowseValue(linksOf: value, places, most: 200) : BrowseValue(whole: value))
          }))
    }
  }

  /// Returns a single value: an image for display, or any value as a file with `as=file`. Parameters: `entity`,
  /// `key`, `property`.
  func value(_ question: BrowseAnswer.Question) throws -> BrowseAnswer {
    try reading { rows, _ in
      let (entity, values) = try values(question, rows)
      let name = question["property"] ?? ""
      guard let place = rows.names(of: entity).firstIndex(of: name), values.indices.contains(place)
      else { throw Diagnostic("\(entity.name) has no property '\(name)'") }
      let isFile = question["as"] == "file"
      switch values[place] {
      case .bytes(let data):
        let bytes = Array(data)
        let picture = PictureKind(bytes)
        if let picture, !isFile { return BrowseAnswer(type: picture.mediaType, body: bytes) }
        return .file(
          bytes,
          named: "\(entity.name)-\(question["key"] ?? "")-\(name)"
            + (picture.map { "." + $0.rawValue } ?? ".bin"),
          type: picture?.mediaType ?? "application/octet-stream")
      case let other:
        return .file(
          Array((other.cell ?? "").utf8),
          named: "\(entity.name)-\(question["key"] ?? "")-\(name).txt",
          type: "text/plain; charset=utf-8")
      }
    }
  }

  private func values(
    _ question: BrowseAnswer.Question, _ rows: StoreRows
  ) throws -> (SchemaEntity, [ListedValue]) {
    let entity = try entity(question, rows)
    guard let key = question["key"].flatMap({ Int64($0) }),
      let sample = try rows.samples(of: entity, keys: [key]).first
    else {
      throw Diagnostic("the store has no \(entity.name) \(question["key"] ?? "") any more")
    }
    return (entity, sample.values)
  }
}

/// The image formats that pages display: those that browsers support and that can't contain scripts.
enum PictureKind: String {
  case png, jpeg, gif, webp, bmp

  /// Detects the format from the first bytes, or returns nil if they aren't an image.
  init?(_ bytes: some Sequence<UInt8>) {
    let start = Array(bytes.prefix(12))
    if start.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if start.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if start.starts(with: Array("GIF87a".utf8)) || start.starts(with: Array("GIF89a".utf8)) {
      self = .gif
    } else if start.count == 12, start.starts(with: Array("RIFF".utf8)),
      start[8...].elementsEqual("WEBP".utf8)
    {
      self = .webp
    } else if start.starts(with: Array("BM".utf8)), start.count > 9,
      start[6..<10].allSatisfy({ $0 == 0 })
    {
      self = .bmp
    } else {
      return nil
    }
  }

  var mediaType: String { "image/\(rawValue)" }
}
