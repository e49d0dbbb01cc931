import Foundation

/// One row of a benchmark's results.
struct BenchmarkRow: Encodable {
  /// The operation and its input.
  var name: String
  /// The size of the input, in bytes.
  var size: Int
  /// The median of MomKit's times, in seconds.
  var ours_s: Double
  /// The peer compared with, or nil if there is none or it failed.
  var peer: String?
  /// The median of the peer's times, in seconds.
  var peer_s: Double?
  /// The peer's time as a multiple of MomKit's.
  var ratio: Double?
  /// MomKit's throughput, in megabytes of input per second.
  var mb_per_s: Double
  /// The peak memory of MomKit's process, in megabytes.
  var rss_mb: Double

  static func print(_ rows: [BenchmarkRow], json: Bool) throws {
    if json {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      for row in rows {
        Swift.print(String(decoding: try encoder.encode(row), as: UTF8.self))
      }
      return
    }
    let header = ["benchmark", "bytes", "ours", "peer", "its time", "ratio", "MB/s", "RSS MB"]
    let lines = rows.map { row in
      [
        row.name, String(row.size), time(row.ours_s), row.peer ?? "-",
        row.peer_s.map(time) ?? "-", row.ratio.map { String(format: "%.1f", $0) } ?? "-",
        String(format: "%.1f", row.mb_per_s), String(format: "%.0f", row.rss_mb),
      ]
    }
    let widths = header.indices.map { column in
      ([header] + lines).map { $0[column].count }.max() ?? 0
    }
    for line in [header] + lines {
      let cells = zip(line, widths).enumerated().map { column, cell in
        let padding = String(repeating: " ", count: cell.1 - cell.0.count)
        return column == 0 || column == 3 ? cell.0 + padding : padding + cell.0
      }
      Swift.print(cells.joined(separator: "  "))
    }
  }

  private static func time(_ seconds: Double) -> String {
    seconds < 0.001
      ? String(format: "%.1f us", seconds * 1e6)
      : seconds < 1
        ? String(format: "%.2f ms", seconds * 1e3) : String(format: "%.2f s", seconds)
  }
}

/// Returns the median.
func median(_ times: [Double]) -> Double {
  let sorted = times.sorted()
  return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
}
