import Foundation
import HostileInput

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Tries mutations one after the other, in a process of its own.
struct MutationWorker {
  let mutator: ByteMutator
  let progress: ProgressFile
  let milliseconds: Int
  let megabytes: Int

  /// Prints how many mutations a reader accepted, and those that took too long.
  func run(_ numbers: Range<Int>) throws {
    limitMemory()
    try Data().write(to: URL(fileURLWithPath: progress.path))
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: progress.path))
    var accepted = 0
    let clock = ContinuousClock()
    for number in numbers {
      try progress.write(number, to: handle)
      let bytes = mutator.mutation(number)
      var wasAccepted = false
      for trial in HostileTrial.allCases {
        let time = clock.measure { if trial.run(bytes) { wasAccepted = true } }
        if time > .milliseconds(milliseconds) {
          print("slow \(number) \(trial) \(time)")
        }
      }
      if wasAccepted { accepted += 1 }
    }
    print("accepted \(accepted)")
  }

  /// Memory over the bound can't be had, which ends the process.
  private func limitMemory() {
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_AS.rawValue)
    #else
      let resource = RLIMIT_AS
    #endif
    var limit = rlimit()
    limit.rlim_cur = rlim_t(megabytes) << 20
    limit.rlim_max = limit.rlim_cur
    setrlimit(resource, &limit)
  }
}
