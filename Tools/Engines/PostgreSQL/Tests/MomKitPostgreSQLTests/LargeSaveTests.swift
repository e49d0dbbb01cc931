import Foundation
import MomKit
import Testing

@testable import MomKitPostgreSQL

/// Saves of more bytes than one statement holds.
@Suite(.enabled(if: TestServer.isThere)) struct LargeSaveTests {
  @Test func rowsAreCutIntoPartsByTheirSize() {
    #expect(RowWriting.parts(5) { _ in 10 } == [0..<5])
    #expect(RowWriting.parts(0) { _ in 10 } == [])
    let half = RowWriting.bytesAtOnce / 2
    let sizes = [half, half, 1, 3 * half, 1, half]
    #expect(RowWriting.parts(6) { sizes[$0] } == [0..<2, 2..<3, 3..<4, 4..<6])
  }

  @Test func rowsOfSeveralStatementsAreSaved() throws {
    let contexts = try TestContexts(NSPostgreSQLStoreType, TestModel.shop())
    let context = try contexts.context()
    func blob(_ number: Int) -> Data {
      Data(repeating: UInt8(number), count: RowWriting.bytesAtOnce / 18)
    }
    let people = (0..<20).map { context.insert("Person", ["blob": blob($0), "small": $0]) }
    try context.save()
    for (number, person) in people.enumerated() {
      person.setValue(blob(number + 1), forKey: "blob")
    }
    try context.save()
    let found = try contexts.context().all("Person", sortedBy: "small")
    #expect(found.count == 20)
    for (number, person) in found.enumerated() {
      #expect(person.value(forKey: "blob") as? Data == blob(number + 1))
    }
  }

  /// The server would end the connection, as if sending them again could help.
  @Test func valuesThatNoMessageHoldsAreRefused() throws {
    var parameters = PostgreSQLParameters()
    parameters.append("12345")
    try parameters.checkSize(5)
    let error = #expect(throws: PostgreSQLError.self) { try parameters.checkSize(4) }
    #expect(error?.state == "54000" && error?.isLostConnection == false)
  }
}
