/// The replacement for the module `os`: its lock and its logger.
enum OSStandIn {
  static let fileName = "MomKitOS.swift"

  static let source = """
    // Added by `momtool port`: what this target uses of the module `os`, which is on Apple's systems only.
    import CoreData
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

      func withLockIfAvailable<Result>(_ body: (inout State) throws -> Result) rethrows -> Result? {
        guard mutex.try() else { return nil }
        defer { mutex.unlock() }
        return try body(&state)
      }
    }

    extension OSAllocatedUnfairLock where State: Sendable {
      convenience init(initialState state: State) { self.init(uncheckedState: state) }
    }

    extension OSAllocatedUnfairLock where State == Void {
      convenience init() { self.init(uncheckedState: ()) }

      func lock() { mutex.lock() }

      func lockIfAvailable() -> Bool { mutex.try() }

      func unlock() { mutex.unlock() }
    }

    struct os_unfair_lock_s {
      fileprivate let mutex = NSLock()
    }

    typealias os_unfair_lock = os_unfair_lock_s
    typealias os_unfair_lock_t = UnsafeMutablePointer<os_unfair_lock_s>

    func os_unfair_lock_lock(_ lock: os_unfair_lock_t) { lock.pointee.mutex.lock() }
    func os_unfair_lock_trylock(_ lock: os_unfair_lock_t) -> Bool { lock.pointee.mutex.try() }
    func os_unfair_lock_unlock(_ lock: os_unfair_lock_t) { lock.pointee.mutex.unlock() }

    class OSLog: NSObject, @unchecked Sendable {
      let subsystem: String
      let category: String

      init(subsystem: String, category: String) {
        self.subsystem = subsystem
        self.category = category
      }

      static let `default` = OSLog(subsystem: "", category: "")
      static let disabled = OSLog(subsystem: "", category: "disabled")

      struct Category: Sendable {
        fileprivate let name: String
        static let pointsOfInterest = Category(name: "PointsOfInterest")
      }

      convenience init(subsystem: String, category: Category) {
        self.init(subsystem: subsystem, category: category.name)
      }

      func isEnabled(type: OSLogType) -> Bool { category != "disabled" && type != .debug }

      fileprivate func write(_ message: StaticString, _ type: OSLogType, _ arguments: [Any]) {
        guard isEnabled(type: type) else { return }
        let text = String(logFormat: "\\(message)", arguments: arguments)
        NSLog("%@", "[\\(subsystem):\\(category)] \\(type.name): \\(text)")
      }
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
      log.write(message, type, arguments)
    }

    func os_log(
      _ type: OSLogType, dso: UnsafeRawPointer? = nil, log: OSLog = .default, _ message: StaticString,
      _ arguments: Any...
    ) {
      log.write(message, type, arguments)
    }

    func os_log(
      _ message: StaticString, dso: UnsafeRawPointer?, log: OSLog = .default,
      type: OSLogType = .default, _ arguments: Any...
    ) {
      log.write(message, type, arguments)
    }

    enum OSSignpostType: Sendable { case begin, end, event }

    struct OSSignpostID: Hashable, Sendable {
      var rawValue: UInt64
      init(_ rawValue: UInt64) { self.rawValue = rawValue }
      init(log: OSLog) { self.init(.random(in: 1...(.max))) }
      init(log: OSLog, object: AnyObject) { self.init(UInt64(UInt(bitPattern: ObjectIdentifier(object)))) }
      static let exclusive = OSSignpostID(0)
      static let invalid = OSSignpostID(.max)
      static let null = OSSignpostID(0)
    }

    func os_signpost(
      _ type: OSSignpostType, dso: UnsafeRawPointer? = nil, log: OSLog, name: StaticString,
      signpostID: OSSignpostID = .exclusive
    ) {}

    func os_signpost(
      _ type: OSSignpostType, dso: UnsafeRawPointer? = nil, log: OSLog, name: StaticString,
      signpostID: OSSignpostID = .exclusive, _ format: StaticString, _ arguments: Any...
    ) {}

    final class OSSignpostIntervalState: Sendable {}

    struct OSSignposter: Sendable {
      static let disabled = OSSignposter()

      init() {}
      init(subsystem: String, category: String) {}
      init(subsystem: String, category: OSLog.Category) {}
      init(logger: Logger) {}
      init(logHandle: OSLog) {}

      func makeSignpostID() -> OSSignpostID { OSSignpostID(.random(in: 1...(.max))) }
      func makeSignpostID(from object: AnyObject) -> OSSignpostID { OSSignpostID(log: .default, object: object) }

      func beginInterval(_ name: StaticString, id: OSSignpostID = .exclusive) -> OSSignpostIntervalState {
        OSSignpostIntervalState()
      }
      func beginInterval(
        _ name: StaticString, id: OSSignpostID = .exclusive, _ message: @autoclosure () -> OSLogMessage
      ) -> OSSignpostIntervalState { OSSignpostIntervalState() }
      func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState) {}
      func endInterval(
        _ name: StaticString, _ state: OSSignpostIntervalState,
        _ message: @autoclosure () -> OSLogMessage
      ) {}
      func emitEvent(_ name: StaticString, id: OSSignpostID = .exclusive) {}
      func emitEvent(
        _ name: StaticString, id: OSSignpostID = .exclusive, _ message: @autoclosure () -> OSLogMessage
      ) {}
      func withIntervalSignpost<Result>(
        _ name: StaticString, id: OSSignpostID = .exclusive, around task: () throws -> Result
      ) rethrows -> Result { try task() }
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
