import Foundation
import MomKit
import SharedModel

extension SharingService {
  /// Returns what changed after a token, by persistent history: each object once, as it is now.
  ///
  /// An answer ends at the end of a transaction. An object may be newer than the answer's token; then the following
  /// answers tell of it again.
  ///
  /// - Parameter token: a token of an earlier answer; nil for everything, or `now` for a token alone.
  func changes(since token: String?) async throws -> ChangesAnswer {
    let identifier = storeIdentifier
    if token == "now" {
      return ChangeList().answer(Self.token(try position(), identifier), more: false)
    }
    let start = try token.map(number) ?? 0
    let context = makeContext()
    return try await context.perform {
      let request = NSPersistentHistoryChangeRequest.fetchHistory(
        after: try Self.historyToken(start, identifier))
      let result = try context.execute(request) as? NSPersistentHistoryResult
      let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
      try checkReach(start, transactions.first?.transactionNumber)
      var changes = ChangeList()
      var end = start
      for (index, transaction) in transactions.enumerated() {
        guard index < Limits.transactions, changes.count < Limits.objects,
          changes.size < Limits.answer
        else { return changes.answer(Self.token(end, identifier), more: true) }
        try changes.add(transaction, in: context)
        end = transaction.transactionNumber
      }
      return changes.answer(Self.token(end, identifier), more: false)
    }
  }

  /// Checks that no transaction after a number is missing.
  private func checkReach(_ start: Int64, _ first: Int64?) throws {
    if let first {
      // With a token, Core Data looks for what was deleted. Without, it must be the whole history.
      guard start > 0 || first == 1 else { throw Refusal.expired }
    } else {
      // A database that was restored from a backup has forgotten what the token refers to.
      guard try position() == start else { throw Refusal.expired }
    }
  }

  /// Returns the number of the last transaction.
  private func position() throws -> Int64 {
    guard let token = coordinator.currentPersistentHistoryToken(fromStores: nil) else { return 0 }
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    token.encode(with: archiver)
    let coder = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let numbers = coder.decodeObject(
      of: [NSDictionary.self, NSString.self, NSNumber.self], forKey: Self.tokenKey)
    return (numbers as? [String: NSNumber])?[storeIdentifier]?.int64Value ?? 0
  }

  // MARK: Tokens

  // A token on the wire is the store's UUID and the number of a transaction. Archives of history tokens aren't
  // exchanged: they would be the only bytes of a client that are decoded as objects.

  private static let tokenKey = "NSPersistentHistoryTokenDictionary"

  private static func token(_ number: Int64, _ identifier: String) -> String {
    "\(identifier).\(number)"
  }

  private func number(_ token: String) throws -> Int64 {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, UUID(uuidString: String(parts[0])) != nil,
      let number = Int64(parts[1]), number >= 0
    else { throw Refusal.malformed("The token isn't one of this service.") }
    guard parts[0] == storeIdentifier else {
      throw Refusal.expired
    }
    return number
  }

  private static func historyToken(
    _ number: Int64, _ identifier: String
  ) throws -> NSPersistentHistoryToken? {
    guard number > 0 else { return nil }
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    archiver.encode(
      NSDictionary(dictionary: [identifier: NSNumber(value: number)]), forKey: tokenKey)
    let coder = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
    return NSPersistentHistoryToken(coder: coder)
  }
}
