import Foundation
import HostileInput

/// Passes arbitrary bytes to the reader that `FUZZ_TRIAL` names (`propertyList`, `archive`, `model`, `versionInfo`,
/// `modelCache`), or to all of them. Whatever is accepted must be writable and readable again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzReaders(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  for trial in trials { trial.run(bytes) }
  return 0
}

private let trials: [HostileTrial] = {
  guard let name = ProcessInfo.processInfo.environment["FUZZ_TRIAL"] else {
    return HostileTrial.allCases
  }
  guard let trial = HostileTrial(rawValue: name) else {
    preconditionFailure("FUZZ_TRIAL=\(name) is none of \(HostileTrial.allCases)")
  }
  return [trial]
}()
