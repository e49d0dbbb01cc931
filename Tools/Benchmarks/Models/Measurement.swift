import ArgumentParser
import DataModels
import Foundation
import PropertyLists

/// Takes one measurement in a separate process, so that its memory can be measured too.
struct Measurement: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "measure", abstract: "Take one measurement: prints seconds and megabytes.",
    shouldDisplay: false)

  @Argument var what: String
  @Argument var path: String

  func run() throws {
    let bytes = try FileBytes.read(path)
    // Short operations are repeated and the median is used, because the machine is shared.
    let repeats = max(1, min(1000, 20_000_000 / max(1, bytes.count)))
    let clock = ContinuousClock()
    var time = Duration.zero
    switch what {
    case "decode":
      // Results are deallocated after the clock has stopped, as in the peers' measurements.
      time = try median(of: repeats) {
        var model: NSManagedObjectModel?
        let time = try clock.measure { model = try ModelArchive.decode(bytes) }
        withExtendedLifetime(model) {}
        return time
      }
    case "encode":
      let model = try ModelArchive.decode(bytes)
      time = try median(of: repeats) { try clock.measure { _ = try ModelArchive.encode(model) } }
    case "open":
      time = try median(of: repeats) { try clock.measure { _ = try BinaryPropertyList(bytes) } }
    case "floor":
      var sum: UInt64 = 0
      time = try median(of: repeats) {
        try clock.measure { for byte in try FileBytes.read(path) { sum &+= UInt64(byte) } }
      }
      if sum == 1 { print("") }
    case "foundation":
      time = try clock.measure {
        _ = try PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
      }
      return report(time)
    case "foundation-write":
      let list = try PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
      time = try clock.measure {
        _ = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
      }
      return report(time)
    case "unarchiver":
      let unarchiver = try NSKeyedUnarchiver(forReadingFrom: Data(bytes))
      unarchiver.requiresSecureCoding = false
      unarchiver.setClass(ForeignObject.self, forClassName: "NSManagedObjectModel")
      unarchiver.setClass(ForeignObject.self, forClassName: "NSEntityDescription")
      unarchiver.setClass(ForeignObject.self, forClassName: "NSAttributeDescription")
      unarchiver.setClass(ForeignObject.self, forClassName: "NSRelationshipDescription")
      time = clock.measure { _ = unarchiver.decodeObject(forKey: "root") }
      return report(time)
    default: throw ValidationError("nothing is known to measure as \(what)")
    }
    report(time)
  }

  private func median(
    of repeats: Int, _ measure: () throws -> Duration
  ) rethrows -> Duration {
    var times: [Duration] = []
    for _ in 0..<repeats { times.append(try measure()) }
    return times.sorted()[repeats / 2]
  }

  private func report(_ time: Duration) {
    let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
    print(seconds, Self.peakMegabytes)
  }

  /// The peak memory of this process, in megabytes. `getrusage` isn't suitable: its value includes that of the
  /// process that launched this one.
  private static var peakMegabytes: Double {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first
    return (kilobytes.flatMap { Double($0) } ?? 0) / 1024
  }
}

/// Stands in for any object of a model in Foundation's decoder.
final class ForeignObject: NSObject, NSCoding {
  var parts: [Any] = []

  init?(coder: NSCoder) {
    super.init()
    for key in ["NSEntities", "NSProperties", "NSEntity", "NSInverseRelationship"]
    where coder.containsValue(forKey: key) {
      if let part = coder.decodeObject(forKey: key) { parts.append(part) }
    }
  }

  func encode(with coder: NSCoder) {}
}
