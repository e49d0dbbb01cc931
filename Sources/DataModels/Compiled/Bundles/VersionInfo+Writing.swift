import Foundation
import PropertyLists

extension VersionInfo {
  /// The file, byte for byte as momc writes it.
  ///
  /// Versions are written in the order of ``versions``; the entities of a version in momc's own order, regardless of
  /// their original order.
  public func encoded() -> [UInt8] {
    var writer = VersionInfoWriter(self)
    return writer.graph().binary()
  }

  /// Writes the file atomically.
  ///
  /// - Throws: ``ModelFileError`` when it can't be written; an old file is then unchanged.
  public func write(to path: String) throws(ModelFileError) {
    do {
      try AtomicFile.write(encoded(), to: path)
    } catch {
      throw ModelFileError(writing: error, path: path)
    }
  }

  /// The order in which momc writes versions, as far as it depends on their names.
  static func momcOrder(ofVersions names: [String]) -> [String] {
    MomcBundleOrder.grown(MomcBundleOrder.sorted(names))
  }
}

/// Builds the file's objects, sharing strings as momc does.
private struct VersionInfoWriter {
  let info: VersionInfo
  var list = PropertyListGraph()
  /// The shared node of each short string, and of each shared version name.
  var shared: [String: Int] = [:]

  init(_ info: VersionInfo) {
    self.info = info
  }

  mutating func graph() -> PropertyListGraph {
    var values: [String: Int] = [:]
    if let current = info.currentVersionName {
      values[VersionInfo.Key.current] = list.add(string: current)
    }
    values[VersionInfo.Key.hashes] = hashes()
    if info.hasChecksums || info.versions.contains(where: { $0.checksum != nil }) {
      values[VersionInfo.Key.checksums] = checksums()
    }
    if let source = info.source {
      let copies = list.add(copiesOf: info.unknownKeys.map(\.object), in: source)
      for ((key, _), copy) in zip(info.unknownKeys, copies) { values[key] = copy }
    }
    let known = [VersionInfo.Key.current, VersionInfo.Key.hashes, VersionInfo.Key.checksums]
    // Sorted, so that reading and writing the file again gives the same result.
    let keys = MomcBundleOrder.grown(
      (known + info.unknownKeys.map(\.key).sorted()).filter { values[$0] != nil })
    list.root = list.add(
      dictionary: keys.map { list.add(string: $0) }, values: keys.compactMap { values[$0] })
    return list
  }

  private mutating func hashes() -> Int {
    var keys: [Int] = []
    var values: [Int] = []
    for version in info.versions {
      keys.append(versionName(version.name))
      var names: [Int] = []
      var hashes: [Int] = []
      for name in MomcBundleOrder.versionHashOrder(Array(version.entityHashes.keys)) {
        names.append(sharedText(name))
        hashes.append(list.add(data: version.entityHashes[name] ?? Data()))
      }
      values.append(list.add(dictionary: names, values: hashes))
    }
    return list.add(dictionary: keys, values: values)
  }

  private mutating func checksums() -> Int {
    var keys: [Int] = []
    var values: [Int] = []
    for version in info.versions {
      guard let checksum = version.checksum else { continue }
      keys.append(versionName(version.name))
      values.append(list.add(string: checksum))
    }
    return list.add(dictionary: keys, values: values)
  }

  private mutating func versionName(_ name: String) -> Int {
    info.versions.count > 1 || info.sharesVersionNames
      ? sharedText(name) : list.add(string: name)
  }

  /// Short strings share one object each; longer ones are a new object at every use.
  private mutating func sharedText(_ text: String) -> Int {
    guard ArchiveStyle.isTagged(text) else { return list.add(string: text) }
    if let node = shared[text] { return node }
    let node = list.add(string: text)
    shared[text] = node
    return node
  }
}
