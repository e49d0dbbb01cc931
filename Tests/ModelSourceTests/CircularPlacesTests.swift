import Foundation
import TestSupport
import Testing

@testable import ModelSource

/// Which composites contain themselves.
@Suite struct CircularPlacesTests {
  /// The same, place by place.
  private func slowly(_ next: [[Int]]) -> Set<Int> {
    Set(
      next.indices.filter { start in
        var pending = next[start]
        var seen: Set<Int> = []
        while let place = pending.popLast() {
          if place == start { return true }
          if seen.insert(place).inserted { pending += next[place] }
        }
        return false
      })
  }

  @Test func areThoseThatAWayLeadsBackTo() {
    var random = SeededGenerator(seed: 7)
    for count in 1...40 {
      for _ in 0..<20 {
        let next = (0..<count).map { _ in
          (0..<Int.random(in: 0...2, using: &random)).map { _ in
            Int.random(in: 0..<count, using: &random)
          }
        }
        #expect(CircularPlaces(in: next).places == slowly(next), "\(next)")
      }
    }
  }

  /// 5,000 composites, each an element of the one before.
  @Test(.timeLimit(.minutes(3)), arguments: [false, true])
  func aLongChainTakesLinearTime(isClosed: Bool) throws {
    let count = 5_000
    var xml = "<model><entity name='A'/>"
    for number in 0..<count {
      let inner = number + 1 == count ? (isClosed ? 0 : nil) : number + 1
      let attribute =
        inner.map { "attributeType='Composite' composite='C\($0)'" } ?? "attributeType='String'"
      xml += "<composite name='C\(number)'><attribute name='x' \(attribute)/></composite>"
    }
    xml += "</model>"
    var options = SourceReadingOptions()
    options.isTolerant = true
    let source = try SourceModel(data: Data(xml.utf8), options: options)
    #expect(source.diagnostics.count { $0.rule == .compositeCycle } == (isClosed ? count : 0))
  }
}
