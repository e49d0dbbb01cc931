import ArgumentParser
import SharingClient

@main struct SharingApp: AsyncParsableCommand {
  func run() async throws {}
}
