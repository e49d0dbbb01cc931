import DataModels
import Foundation
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// The Python oracles, if they and Python are available.
private enum PythonOracles {
  static let python = ["/usr/bin/python3", "/usr/local/bin/python3"]
    .first(where: FileManager.default.isExecutableFile(atPath:))
  static let arePresent =
    python != nil && Corpus.isPresent
    && ["momcheck.py", "version_hash.py"].allSatisfy {
      FileManager.default.fileExists(atPath: Corpus.tools.appendingPathComponent($0).path)
    }
  static let absence: Comment = "no python3, or no shared/tools beside the package"
}

/// Created stores are verified by oracles that share nothing with this package: the model cached in them
/// (momcheck.py) and the version hashes in their metadata (version_hash.py).
@Suite(.enabled(if: PythonOracles.arePresent, PythonOracles.absence))
struct StoreOracleTests {
  private func run(_ arguments: [String], in folder: TemporaryFolder) throws -> (Int32, String) {
    let output = folder.file("output")
    try Data().write(to: output)
    let process = Process()
    process.executableURL = PythonOracles.python.map { URL(fileURLWithPath: $0) }
    process.arguments = ["-B"] + arguments
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = process.standardOutput
    try process.run()
    process.waitUntilExit()
    return (process.terminationStatus, try String(contentsOf: output, encoding: .utf8))
  }

  /// One Python process checks all stores.
  private static let script = """
    import sys, io, contextlib
    sys.path.insert(0, sys.argv[1])
    import momcheck
    for line in open(sys.argv[2]):
        store, model = line.rstrip('\\n').split('\\t')
        text = io.StringIO()
        problems = []
        try:
            with contextlib.redirect_stdout(text):
                momcheck.lint(store)
            # Copies of inherited relationships have an inverse that leads back to the original.
            problems += [line for line in text.getvalue().splitlines()
                         if line.startswith('ERROR') and not line.endswith('inverse is not mutual')]
            ours, cached = [momcheck.Model(momcheck.Archive(path)).canonical() for path in (model, store)]
            for one in (ours, cached):
                for key in ('CDMCompilerToolVersion', 'CDMCompilerXcodeVersion', 'fetchRequestTemplates'):
                    one.pop(key, None)
                for entity in one['entities'].values():
                    for key in ('fetchIndexes', 'compoundIndexes', 'uniqueTuples'):
                        if not entity.get(key): entity.pop(key, None)
            # Each entity lists what it inherits, as its ancestors have it.
            for name, entity in cached['entities'].items():
                above = ours['entities'][name].get('superentity')
                while above:
                    for key in ours['entities'][above]['properties']:
                        copy = entity['properties'].get(key)
                        if copy is None: problems.append('%s lacks %s' % (name, key))
                        elif key not in ours['entities'][name]['properties']: del entity['properties'][key]
                    above = ours['entities'][above].get('superentity')
            plain = [momcheck.json.loads(momcheck.json.dumps(one, default=str)) for one in (ours, cached)]
            momcheck.walk_diff(plain[0], plain[1], '', problems)
        except Exception as error:
            problems.append(repr(error))
        print(store.split('/')[-1], str(problems)[:600] if problems else 'ok')
    """

  @Test func cachedModelsAndMetadataSatisfyThem() throws {
    let folder = try TemporaryFolder()
    var lines: [String] = []
    var names: [String: String] = [:]
    for (index, file) in Corpus.files(ofKind: "mom").enumerated() {
      guard let model = NSManagedObjectModel(contentsOf: file.url), !model.entities.isEmpty else {
        continue
      }
      let url = folder.file("\(index).sqlite")
      // The oracle only reads the main file.
      _ = try Library.coordinator(
        url, model, options: [NSSQLitePragmasOption: ["journal_mode": "DELETE"]])
      lines.append("\(url.path)\t\(file.url.path)")
      names[url.lastPathComponent] = file.path
      if index % 40 == 0 {
        let (status, text) = try run(
          [
            Corpus.tools.appendingPathComponent("version_hash.py").path, "--verify", file.url.path,
            url.path,
          ],
          in: folder)
        #expect(status == 0, "\(file.path): \(text.suffix(500))")
      }
    }
    try lines.joined(separator: "\n").write(
      to: folder.file("list"), atomically: true, encoding: .utf8)
    let (status, text) = try run(
      ["-c", Self.script, Corpus.tools.path, folder.file("list").path], in: folder)
    #expect(status == 0, "\(text.suffix(500))")
    let results = text.split(separator: "\n")
    #expect(results.count == lines.count)
    for line in results where !line.hasSuffix(" ok") {
      Issue.record("\(names[String(line.prefix { $0 != " " })] ?? ""): \(line)")
    }
  }
}
