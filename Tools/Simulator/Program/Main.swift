import Simulation

/// The program for the stores that MomKit has itself.
@main
enum Main {
  static func main() { Simulator.main() }
}
