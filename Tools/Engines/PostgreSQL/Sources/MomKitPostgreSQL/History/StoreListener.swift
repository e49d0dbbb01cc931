import Foundation
import Synchronization

/// Listens for commits by other processes, which every commit announces on its store's channel.
///
/// A dedicated thread waits for notifications. If the connection is lost, or none could be opened at first, it connects
/// again and reports a remote change, because notifications may have been missed.
final class StoreListener: @unchecked Sendable {
  // Sendable: `isOver` is atomic, and the rest is immutable.
  private let target: PostgreSQLTarget
  private let channel: String
  private let own: String
  private let handler: @Sendable () -> Void
  private let isOver = Atomic<Bool>(false)

  /// - Parameters:
  ///   - own: the payload that identifies this program's own commits.
  ///   - handler: called on the listener's thread for every other commit.
  init(
    _ target: PostgreSQLTarget, channel: String, own: String,
    _ handler: @escaping @Sendable () -> Void
  ) {
    (self.target, self.channel, self.own) = (target, channel, own)
    self.handler = handler
    let connection = Handover(connection: try? Self.listening(target, channel))
    let thread = Thread { [self] in listen(connection.connection) }
    thread.name = "org.momkit.postgresql-listener"
    thread.start()
  }

  /// Transfers the connection to the thread, which alone uses it from then on.
  private struct Handover: @unchecked Sendable { let connection: PostgreSQLConnection? }

  private static func listening(
    _ target: PostgreSQLTarget, _ channel: String
  ) throws(PostgreSQLError) -> PostgreSQLConnection {
    let connection = try PostgreSQLConnection(target)
    try connection.execute("LISTEN \(SQL.quoted(channel))")
    return connection
  }

  /// Ends the thread within half a second.
  func stop() { isOver.store(true, ordering: .relaxed) }

  private func listen(_ first: PostgreSQLConnection?) {
    var connection = first
    while !isOver.load(ordering: .relaxed) {
      guard let present = connection else {
        usleep(500_000)
        connection = try? Self.listening(target, channel)
        if connection != nil { handler() }
        continue
      }
      var descriptor = pollfd(fd: present.socket, events: Int16(POLLIN), revents: 0)
      guard poll(&descriptor, 1, 500) > 0 else { continue }
      do {
        let heard = try present.takeNotifications()
        if heard.contains(where: { $0 != own }) { handler() }
      } catch {
        present.close()
        connection = nil
      }
    }
    connection?.close()
  }
}
