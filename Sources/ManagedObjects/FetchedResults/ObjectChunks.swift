import Foundation

/// An ordered list of objects in chunks: changing a few of very many objects copies only the chunks that contain them.
struct ObjectChunks {
  private struct Chunk {
    /// A stable identifier, independent of the position.
    let id: Int
    var objects: [NSObject]
  }

  private static let usualSize = 512

  private var chunks: [Chunk] = []
  /// The position of each chunk's first object.
  private var starts: [Int] = []
  /// The index of each chunk by its id; -1 if it was removed.
  private var places: [Int] = []
  private(set) var count = 0

  init(_ objects: [NSObject]) {
    for start in stride(from: 0, to: objects.count, by: Self.usualSize) {
      let end = min(start + Self.usualSize, objects.count)
      chunks.append(Chunk(id: chunks.count, objects: Array(objects[start..<end])))
    }
    places = Array(chunks.indices)
    settle()
  }

  /// All objects.
  var objects: [NSObject] {
    var objects: [NSObject] = []
    objects.reserveCapacity(count)
    for chunk in chunks { objects += chunk.objects }
    return objects
  }

  subscript(position: Int) -> NSObject {
    let place = place(of: position)
    return chunks[place].objects[position - starts[place]]
  }

  /// The objects at some positions.
  subscript(range: Range<Int>) -> [NSObject] {
    var objects: [NSObject] = []
    objects.reserveCapacity(range.count)
    var position = range.lowerBound
    while position < range.upperBound {
      let place = place(of: position)
      let from = position - starts[place]
      let to = min(chunks[place].objects.count, from + range.upperBound - position)
      objects += chunks[place].objects[from..<to]
      position += to - from
    }
    return objects
  }

  /// Calls `body` with each object and the id of the chunk that it is in.
  func forEachHome(_ body: (NSObject, Int) -> Void) {
    for chunk in chunks { for object in chunk.objects { body(object, chunk.id) } }
  }

  /// The position of an object in a chunk; nil if it isn't there.
  func position(of object: NSObject, in chunk: Int) -> Int? {
    guard places.indices.contains(chunk), places[chunk] >= 0 else { return nil }
    let place = places[chunk]
    return chunks[place].objects.firstIndex { $0 === object }.map { starts[place] + $0 }
  }

  // MARK: Changing

  /// Removes the objects at ascending positions.
  mutating func remove(at positions: [Int]) {
    for position in positions.reversed() {
      let place = place(of: position)
      chunks[place].objects.remove(at: position - starts[place])
    }
    for place in chunks.indices.reversed() where chunks[place].objects.isEmpty {
      places[chunks[place].id] = -1
      chunks.remove(at: place)
    }
    settle()
  }

  /// Inserts objects at ascending places, each counted without the other new ones, and reports the chunks of all objects
  /// that were inserted or moved to another chunk.
  mutating func insert(
    _ new: [(object: NSObject, place: Int)], tellHome: (NSObject, Int) -> Void
  ) {
    guard !new.isEmpty else { return }
    if chunks.isEmpty {
      chunks.append(Chunk(id: places.count, objects: []))
      places.append(0)
      starts = [0]
    }
    for (object, position) in new.reversed() {
      let place = position == count ? chunks.count - 1 : place(of: position)
      chunks[place].objects.insert(object, at: position - starts[place])
      tellHome(object, chunks[place].id)
    }
    for place in chunks.indices.reversed() where chunks[place].objects.count > 2 * Self.usualSize {
      split(place, tellHome)
    }
    settle()
  }

  private mutating func split(_ place: Int, _ tellHome: (NSObject, Int) -> Void) {
    let objects = chunks[place].objects
    chunks[place].objects = Array(objects[..<Self.usualSize])
    var next = place + 1
    for start in stride(from: Self.usualSize, to: objects.count, by: Self.usualSize) {
      let part = Array(objects[start..<min(start + Self.usualSize, objects.count)])
      chunks.insert(Chunk(id: places.count, objects: part), at: next)
      for object in part { tellHome(object, places.count) }
      places.append(next)
      next += 1
    }
  }

  private mutating func settle() {
    starts.removeAll(keepingCapacity: true)
    count = 0
    for (place, chunk) in chunks.enumerated() {
      starts.append(count)
      places[chunk.id] = place
      count += chunk.objects.count
    }
  }

  /// The chunk that contains a position.
  private func place(of position: Int) -> Int {
    var (low, high) = (0, starts.count - 1)
    while low < high {
      let middle = (low + high + 1) / 2
      if starts[middle] <= position { low = middle } else { high = middle - 1 }
    }
    return low
  }
}
