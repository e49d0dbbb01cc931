import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// The history of real stores, compared between plain SQL and objects.
@Suite(.enabled(if: Corpus.isPresent, Corpus.absence)) struct CorpusHistoryTests {
  @Test func realHistoryReadsAsSQLSaysItIs() throws {
    var stores = 0
    for file in CorpusStore.all {
      guard try SQLiteConnection.reading(file.url).hasTable("ACHANGE"),
        let model = try CorpusStore.model(of: file)
      else { continue }
      stores += 1
      let coordinator = try TestStore.coordinator(
        model, at: file.url, options: [NSReadOnlyPersistentStoreOption: true])
      let context = TestStore.context(coordinator)
      let result =
        try context.execute(
          NSPersistentHistoryChangeRequest.fetchHistory(
            after: nil as NSPersistentHistoryToken?)) as? NSPersistentHistoryResult
      let transactions = try #require(result?.result as? [NSPersistentHistoryTransaction])
      let raw = try SQLiteConnection.reading(file.url)
      #expect(
        Int64(transactions.count) == (try raw.integer("SELECT count(*) FROM ATRANSACTION")))
      let changes = transactions.flatMap { $0.changes ?? [] }
      #expect(Int64(changes.count) == (try raw.integer("SELECT count(*) FROM ACHANGE")))
      for type in NSPersistentHistoryChangeType.allCases {
        #expect(
          Int64(changes.count { $0.changeType == type })
            == (try raw.integer(
              "SELECT count(*) FROM ACHANGE WHERE ZCHANGETYPE = \(type.rawValue)")))
      }
      // Every bit of every update stands for a property, and every name for an author.
      #expect(
        changes.allSatisfy { ($0.changeType == .update) == !($0.updatedProperties ?? []).isEmpty })
      #expect(transactions.allSatisfy { !$0.processID.isEmpty })
      let authors = try raw.integer("SELECT count(*) FROM ATRANSACTION WHERE ZAUTHORTS NOT NULL")
      #expect(Int64(transactions.count { $0.author != nil }) == authors)
      #expect(
        coordinator.currentPersistentHistoryToken(fromStores: nil)?.numbers.values.first
          == transactions.last?.transactionNumber)
    }
    #expect(stores > 0)
  }
}
