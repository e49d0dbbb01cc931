/// The replacement for the module `os`: its lock and its logger.
enum OSStandIn {
  static let fileName = "MomKitOS.swift"

  static let source = """
    // Added by `momtool port`: what this target uses of the module `os`, which is on Apple's systems only.
    import Foundation

    final class OSAllocatedUnfairLock<State>: @unchecked Sendable {
      fileprivate let mutex = NSLock()
      private var state: State

      init(uncheckedState state: State) { self.state = state }

      func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        mutex.lock()
        defer { mutex.unlock() }
        return try body(&state)
      }

      func withLockUnchecked<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try withLock(body)
      }
    }

    extension OSAllocatedUnfairLock where State: Sendable {
      convenience init(initialState state: State) { self.init(uncheckedState: state) }
    }

    extension OSAllocatedUnfairLock where State == Void {
      convenience init() { self.init(uncheckedState: ()) }

      func lock() { mutex.lock() }

      func unlock() { mutex.unlock() }
    }

    class OSLog: NSObject, @unchecked Sendable {
      let subsystem: String
      let category: String

      init(subsystem: String, category: String) {
        self.subsystem = subsystem
        self.category = category
      }

      static let `default` = OSLog(subsystem: "", category: "")
      static let disabled = OSLog(subsystem: "", category: "disabled")
    }

    struct OSLogType: Hashable, Sendable {
      var name: String

      static let `default` = OSLogType(name: "default")
      static let info = OSLogType(name: "info")
      static let debug = OSLogType(name: "debug")
      static let error = OSLogType(name: "error")
      static let fault = OSLogType(name: "fault")
    }

    func os_log(
      _ message: StaticString, log: OSLog = .default, type: OSLogType = .default, _ arguments: Any...
    ) {
      guard log.category != "disabled", type != .debug else { return }
      NSLog("%@", "\\(type.name): \\(message) \\(arguments.isEmpty ? "" : "\\(arguments)")")
    }

    func os_log(
      _ type: OSLogType, dso: UnsafeRawPointer? = nil, log: OSLog = .default, _ message: StaticString,
      _ arguments: Any...
    ) {
      os_log(message, log: log, type: type, arguments)
    }

    struct OSLogMessage: ExpressibleByStringInterpolation, Sendable {
      var text: String

      init(stringLiteral value: String) { text = value }

      init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

      struct StringInterpolation: StringInterpolationProtocol {
        var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ literal: String) { text += literal }

        mutating func appendInterpolation<Value>(_ value: @autoclosure () -> Value) {
          text += "\\(value())"
        }

        mutating func appendInterpolation<Value>(
          _ value: @autoclosure () -> Value, privacy: OSLogPrivacy
        ) {
          text += "\\(value())"
        }

        mutating func appendInterpolation(
          _ value: @autoclosure () -> Double, format: OSLogFloatFormatting, privacy: OSLogPrivacy = .auto
        ) {
          text += format.precision.map { String(format: "%.\\($0)f", value()) } ?? "\\(value())"
        }

        mutating func appendInterpolation<Number: BinaryInteger>(
          _ value: @autoclosure () -> Number, format: OSLogIntegerFormatting,
          privacy: OSLogPrivacy = .auto
        ) {
          text += String(value(), radix: format.radix)
        }
      }
    }

    struct OSLogFloatFormatting: Sendable {
      var precision: Int?
      static let fixed = OSLogFloatFormatting(precision: 6)
      static let hybrid = OSLogFloatFormatting()
      static let exponential = OSLogFloatFormatting()
      static func fixed(precision: Int, explicitPositiveSign: Bool = false) -> OSLogFloatFormatting {
        OSLogFloatFormatting(precision: precision)
      }
    }

    struct OSLogIntegerFormatting: Sendable {
      var radix = 10
      static let decimal = OSLogIntegerFormatting()
      static let hex = OSLogIntegerFormatting(radix: 16)
      static let octal = OSLogIntegerFormatting(radix: 8)
    }

    struct OSLogPrivacy: Sendable {
      enum Mask: Sendable { case hash, none }
      static func `private`(mask: Mask) -> OSLogPrivacy { OSLogPrivacy() }
      static func sensitive(mask: Mask) -> OSLogPrivacy { OSLogPrivacy() }
      static func auto(mask: Mask) -> OSLogPrivacy { OSLogPrivacy() }
      static let `public` = OSLogPrivacy()
      static let `private` = OSLogPrivacy()
      static let sensitive = OSLogPrivacy()
      static let auto = OSLogPrivacy()
    }

    struct Logger: Sendable {
      private var subsystem = ""
      private var category = ""

      init() {}

      init(subsystem: String, category: String) {
        self.subsystem = subsystem
        self.category = category
      }

      init(_ log: OSLog) { self.init(subsystem: log.subsystem, category: log.category) }

      func log(_ message: OSLogMessage) { write("default", message) }
      func log(level: OSLogType, _ message: OSLogMessage) { write(level.name, message) }
      func trace(_ message: OSLogMessage) {}
      func debug(_ message: OSLogMessage) {}
      func info(_ message: OSLogMessage) { write("info", message) }
      func notice(_ message: OSLogMessage) { write("notice", message) }
      func warning(_ message: OSLogMessage) { write("warning", message) }
      func error(_ message: OSLogMessage) { write("error", message) }
      func critical(_ message: OSLogMessage) { write("critical", message) }
      func fault(_ message: OSLogMessage) { write("fault", message) }

      private func write(_ level: String, _ message: OSLogMessage) {
        NSLog("%@", "[\\(subsystem):\\(category)] \\(level): \\(message.text)")
      }
    }

    """
}
