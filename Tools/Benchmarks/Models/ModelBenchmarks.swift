import ArgumentParser
import DataModels
import Foundation
import PropertyLists

/// Decodes, encodes and opens models of increasing size.
struct ModelBenchmarks: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "models",
    abstract: "Decode, encode and open models, compared with plistlib and Foundation.")

  @OptionGroup var report: ReportOptions

  @Option(help: "The numbers of entities in the models, separated by commas.")
  var entities = "10,100,1000,10000"

  @Option(help: "Keep the generated models in this folder.")
  var keep: String?

  @Option(help: "A further model to measure: a .mom file.")
  var file: [String] = []

  private struct Peer {
    var name: String
    var command: (String) -> [String]
    var measures: String
  }

  private static let plistlib = """
    import sys, time, plistlib
    data = open(sys.argv[1], 'rb').read()
    n = max(1, int(4e5 / max(1, len(data))))
    times = []
    for _ in range(n):
        t = time.perf_counter()
        p = plistlib.loads(data)
        times.append(time.perf_counter() - t)
        del p
    print(sorted(times)[n // 2], 0)
    """

  func run() throws {
    let process = ProcessInfo.processInfo
    let folder =
      keep.map { URL(fileURLWithPath: $0) }
      ?? FileManager.default.temporaryDirectory
      .appendingPathComponent("momkit-benchmarks-\(process.processIdentifier)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { if keep == nil { try? FileManager.default.removeItem(at: folder) } }
    var inputs: [(name: String, path: String)] = file.map { ($0, $0) }
    for count in entities.split(separator: ",").compactMap({ Int($0) }) {
      let path = folder.appendingPathComponent("model-\(count).mom").path
      try AtomicFile.write(ModelArchive.encode(SyntheticModel.make(entities: count)), to: path)
      inputs.append(("\(count) entities", path))
    }
    var rows: [BenchmarkRow] = []
    for (name, path) in inputs {
      let size = try FileBytes.read(path).count
      let own = ProcessInfo.processInfo.arguments[0]
      let peers = [
        Peer(
          name: "plistlib", command: { ["python3", "-c", Self.plistlib, $0] }, measures: "decode"),
        Peer(
          name: "PropertyListSerialization", command: { [own, "measure", "foundation", $0] },
          measures: "decode"),
        Peer(
          name: "NSKeyedUnarchiver", command: { [own, "measure", "unarchiver", $0] },
          measures: "decode"),
        Peer(name: "read and sum", command: { [own, "measure", "floor", $0] }, measures: "open"),
        Peer(
          name: "PropertyListSerialization", command: { [own, "measure", "foundation-write", $0] },
          measures: "encode"),
      ]
      for peer in peers {
        var ours: [Measured] = []
        var theirs: [Measured] = []
        for _ in 0..<(size > 5_000_000 ? min(report.rounds, 3) : report.rounds) {
          ours.append(try ChildProcess.measure([own, "measure", peer.measures, path]))
          if let measured = try? ChildProcess.measure(peer.command(path)) {
            theirs.append(measured)
          } else {
            break
          }
        }
        let time = median(ours.map(\.seconds))
        let peerTime = theirs.isEmpty ? nil : median(theirs.map(\.seconds))
        rows.append(
          BenchmarkRow(
            name: "\(peer.measures), \(name)", size: size, ours_s: time,
            peer: peerTime == nil ? "\(peer.name) crashes" : peer.name, peer_s: peerTime,
            ratio: peerTime.map { $0 / time }, mb_per_s: Double(size) / time / 1e6,
            rss_mb: median(ours.map(\.megabytes))))
      }
    }
    try BenchmarkRow.print(rows, json: report.json)
  }
}
