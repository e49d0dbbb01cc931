import Foundation
import MomKit
import MomKitPostgreSQL
import Simulation

/// Runs the simulator's random programs in PostgreSQL, at the server that `MOMKIT_POSTGRESQL` names.
@main
enum StoreSimulator {
  static func main() {
    guard let address = ProcessInfo.processInfo.environment["MOMKIT_POSTGRESQL"] else {
      print("There is no server; run Tools/postgresql --run.")
      exit(2)
    }
    PostgreSQLStore.register()
    ServerStores.use(
      ServerStores(type: NSPostgreSQLStoreType) { URL(string: "\(address)?schema=\($0)") })
    Simulator.main()
  }
}
