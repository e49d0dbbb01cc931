import Foundation
import TestSupport

/// The independent checker of stores: schema, entity numbers, soundness, hashes, digest and checksum.
public enum StoreOracle {
  /// Checks stores, in one Python process.
  ///
  /// - Parameters:
  ///   - stores: their files.
  ///   - folder: the folder for the list of files.
  ///   - expectsOrder: whether columns must be in the order of a new store's.
  /// - Returns: the findings of each unsound store, by file name.
  public static func findings(
    _ stores: [URL], in folder: TemporaryFolder, expectsOrder: Bool = true
  ) throws -> [String: String] {
    let list = folder.file("oracle-list")
    try stores.map(\.path).joined(separator: "\n").write(
      to: list, atomically: true, encoding: .utf8)
    let python = Process()
    python.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    python.arguments = [
      "python3", "-c", script, Corpus.tools.path, list.path, expectsOrder ? "order" : "set",
    ]
    python.environment = ProcessInfo.processInfo.environment.merging(
      ["PYTHONDONTWRITEBYTECODE": "1"]) { _, new in new }
    let output = Pipe()
    python.standardOutput = output
    try python.run()
    let text = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    python.waitUntilExit()
    var findings: [String: String] = [:]
    var seen = 0
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: "\t", maxSplits: 1).map(String.init)
      seen += 1
      if parts.count == 2, parts[1] != "ok" { findings[parts[0]] = parts[1] }
    }
    if seen != stores.count { findings["oracle"] = "looked at \(seen) of \(stores.count) stores" }
    return findings
  }

  private static let script = """
    import sys, base64, hashlib, plistlib, sqlite3
    sys.path.insert(0, sys.argv[1])
    import ddl_model
    for line in open(sys.argv[2]):
        path = line.strip()
        problems = []
        try:
            r = ddl_model.compare(path, verbose=False)
            keys = ['bad', 'missing', 'extra', 'ibad', 'iextra']
            if sys.argv[3] == 'order': keys.append('setok')
            for key in keys:
                if r[key]: problems.append('%s %s' % (key, r[key][:3]))
            if not r['pkok']: problems.append('entity numbers')
            c = sqlite3.connect(path)
            if c.execute('PRAGMA integrity_check').fetchone()[0] != 'ok': problems.append('not sound')
            names = [n for (n,) in c.execute("SELECT name FROM sqlite_master") if n.startswith('_T_')]
            if names: problems.append('left %s' % names)
            m = plistlib.loads(c.execute('SELECT Z_PLIST FROM Z_METADATA').fetchone()[0])
            hashes = m['NSStoreModelVersionHashes']
            names = sorted(hashes, key=lambda n: n.encode('utf-16-be'))
            digest = hashlib.sha512(); check = hashlib.sha256()
            for n in names: digest.update(n.encode()); digest.update(hashes[n]); check.update(hashes[n])
            if base64.b64encode(digest.digest()).decode() != m['NSStoreModelVersionHashesDigest']: problems.append('digest')
            if base64.b64encode(check.digest()).decode() != m['NSStoreModelVersionChecksumKey']: problems.append('checksum')
            for (ent, name, sup, top) in c.execute('SELECT * FROM Z_PRIMARYKEY WHERE Z_ENT < 16000 AND Z_SUPER = 0').fetchall():
                highest = c.execute('SELECT max(Z_PK) FROM "Z%s"' % name.upper()).fetchone()[0]
                if (highest or 0) > top: problems.append('%s: keys above the counter' % name)
        except Exception as e: problems.append(repr(e))
        print(path.split('/')[-1] + '\\t' + (str(problems) if problems else 'ok'))
    """
}
