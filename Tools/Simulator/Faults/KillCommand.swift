import ArgumentParser
import Foundation

/// The process that is killed: performs the steps of a program, the last one under a fault that ends the process.
struct KillCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "kill", shouldDisplay: false)

  @Option var file: String
  @Option var folder: String

  func run() throws {
    FileFaults.install()
    let program = try JSONDecoder().decode(
      Program.self, from: Data(contentsOf: URL(fileURLWithPath: file)))
    let stack = try Stack(program, in: URL(fileURLWithPath: folder))
    var world = ReferenceWorld(program)
    for operation in program.operations.dropLast() { perform(operation, stack, &world) }
    if case .under(let fault, let operation) = program.operations.last {
      _ = FileFaults.under(fault, in: stack.folder) { stack.perform(operation, expecting: .done) }
    }
    stack.close()
  }

  /// Performs a step as the original run did.
  private func perform(_ operation: Operation, _ stack: Stack, _ world: inout ReferenceWorld) {
    let expected = world.apply(operation)
    guard expected != .skipped else { return }
    _ = stack.perform(operation, expecting: expected)
    try? stack.letGo(besides: world)
    try? FileComparison(stack, 0).learn(&world)
  }
}
