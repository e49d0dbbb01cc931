import DataModels
import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// Stores made from real models satisfy the independent oracles.
@Suite(.enabled(if: Corpus.isPresent, Corpus.absence)) struct CreatedStoreTests {
  /// One Python process looks at all of them: schema and numbers, soundness, hashes, digest and
  /// checksum, and the cached model.
  private static let script = """
    import sys, base64, hashlib, plistlib, sqlite3
    sys.path.insert(0, sys.argv[1])
    import ddl_model, version_hash
    for line in open(sys.argv[2]):
        path = line.strip()
        problems = []
        try:
            r = ddl_model.compare(path, verbose=False)
            for key in ('bad', 'setok', 'missing', 'extra', 'ibad', 'iextra'):
                if r[key]: problems.append('%s %s' % (key, r[key][:3]))
            if not r['pkok']: problems.append('entity numbers')
            c = sqlite3.connect(path)
            if c.execute('PRAGMA integrity_check').fetchone()[0] != 'ok': problems.append('not sound')
            m = plistlib.loads(c.execute('SELECT Z_PLIST FROM Z_METADATA').fetchone()[0])
            hashes = m['NSStoreModelVersionHashes']
            names = sorted(hashes, key=lambda n: n.encode('utf-16-be'))
            digest = hashlib.sha512(); check = hashlib.sha256()
            for n in names: digest.update(n.encode()); digest.update(hashes[n]); check.update(hashes[n])
            if base64.b64encode(digest.digest()).decode() != m['NSStoreModelVersionHashesDigest']: problems.append('digest')
            if base64.b64encode(check.digest()).decode() != m['NSStoreModelVersionChecksumKey']: problems.append('checksum')
        except Exception as e: problems.append(repr(e))
        print(path.split('/')[-1], problems or 'ok')
    """

  @Test func storesMadeFromRealModelsSatisfyTheOracles() throws {
    let folder = try TemporaryFolder()
    var names: [String: String] = [:]
    for (index, file) in Corpus.files(ofKind: "mom").enumerated() {
      guard let model = NSManagedObjectModel(contentsOf: file.url), !model.entities.isEmpty else {
        continue
      }
      let url = folder.file("\(index).sqlite")
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      do {
        try coordinator.addPersistentStore(
          ofType: NSSQLiteStoreType, configurationName: nil, at: url)
      } catch {
        Issue.record("\(file.path): \(error)")
        continue
      }
      names[url.lastPathComponent] = file.path
      #expect(try StoreFile(at: url.path).verify().isEmpty, "\(file.path)")
    }
    #expect(names.count > 100)
    let list = names.keys.sorted().map { folder.file($0).path }.joined(separator: "\n")
    try list.write(to: folder.file("list"), atomically: true, encoding: .utf8)
    let python = Process()
    python.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    python.arguments = ["python3", "-c", Self.script, Corpus.tools.path, folder.file("list").path]
    python.environment = ProcessInfo.processInfo.environment.merging(
      ["PYTHONDONTWRITEBYTECODE": "1"]) { _, new in new }
    let output = Pipe()
    python.standardOutput = output
    try python.run()
    let text = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    python.waitUntilExit()
    let lines = text.split(separator: "\n")
    #expect(lines.count == names.count)
    for line in lines where !line.hasSuffix(" ok") {
      Issue.record("\(names[String(line.prefix { $0 != " " })] ?? ""): \(line)")
    }
  }
}
