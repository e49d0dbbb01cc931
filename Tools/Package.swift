// swift-tools-version: 6.1
import PackageDescription

// Programs that use MomKit's products as any other package does: examples, benchmarks, and robustness tests (killed
// processes, damaged files, random programs). `Tools/test` builds them and runs their tests.
let package = Package(
  name: "MomKitTools",
  products: [
    .library(name: "HostileInput", targets: ["HostileInput"]),
    .library(name: "Simulation", targets: ["Simulation"]),
  ],
  dependencies: [
    .package(name: "MomKit", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    .systemLibrary(
      name: "SystemSQLite", path: "SystemSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"])]),

    // Examples of typical programs. Examples/Library, which has a model's source, is a separate package.
    .target(name: "ExampleSupport", path: "Examples/Support"),
    .executableTarget(
      name: "DownloadCache", dependencies: ["ExampleSupport", .momKit],
      path: "Examples/DownloadCache"),
    .executableTarget(
      name: "ModelInCode",
      dependencies: ["ExampleSupport", .momKit, .product(name: "ModelSource", package: "MomKit")],
      path: "Examples/ModelInCode"),
    .executableTarget(
      name: "SavedModel", dependencies: ["ExampleSupport", .momKit], path: "Examples/SavedModel"),
    .executableTarget(
      name: "EventsAndLocations", dependencies: ["ExampleSupport", .momKit],
      path: "Examples/EventsAndLocations"),
    .executableTarget(
      name: "CompaniesAndWorkers", dependencies: ["ExampleSupport", .momKit],
      path: "Examples/CompaniesAndWorkers"),

    // Benchmarks.
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        .momKit, .product(name: "PropertyLists", package: "MomKit"), .argumentParser,
      ],
      path: "Benchmarks/Models"),
    .executableTarget(
      name: "EvolutionBenchmark",
      dependencies: [.momKit, .product(name: "ModelEvolution", package: "MomKit")],
      path: "Benchmarks/Evolution"),
    .executableTarget(
      name: "SourceBenchmark",
      dependencies: [.momKit, .product(name: "ModelSource", package: "MomKit")],
      path: "Benchmarks/Source"),
    .executableTarget(
      name: "StoreBenchmark", dependencies: [.momKit, "SystemSQLite"], path: "Benchmarks/Store"),
    .executableTarget(
      name: "GrowthBenchmark", dependencies: [.momKit, "SystemSQLite"], path: "Benchmarks/Growth"),

    // Damaged input and what is done with it, for the mutator and Tools/Fuzz.
    .target(
      name: "HostileInput",
      dependencies: [.momKit, .product(name: "PropertyLists", package: "MomKit")],
      path: "HostileInput"),
    .executableTarget(
      name: "mutator",
      dependencies: [
        "HostileInput", .product(name: "PropertyLists", package: "MomKit"), .argumentParser,
      ],
      path: "mutator"),

    // Programs that are killed, or whose disk fills up, while they save and migrate.
    .executableTarget(
      name: "SavingCrash", dependencies: [.momKit, .argumentParser], path: "Crash/Saving"),
    .executableTarget(
      name: "MigrationCrash", dependencies: [.momKit, "SystemSQLite"], path: "Crash/Migration"),

    // Random programs on stores and contexts, compared with a minimal model of Core Data; and file system faults
    // below SQLite.
    .target(name: "FaultyFiles", dependencies: ["SystemSQLite"], path: "Simulator/FaultyFiles"),
    .target(
      name: "Simulation", dependencies: [.momKit, "SystemSQLite", "FaultyFiles", .argumentParser],
      path: "Simulator", exclude: ["FaultyFiles", "Program"], resources: [.copy("Known")]),
    .executableTarget(
      name: "Simulator", dependencies: ["Simulation"], path: "Simulator/Program"),

    // A store engine in a package other than MomKit.
    .target(name: "SharedTables", dependencies: [.momKit], path: "Engines/SharedTables"),

    // Trials of main queue contexts, which need the real main thread.
    .executableTarget(
      name: "MainQueueTrials", dependencies: [.momKit], path: "Trials/MainQueue"),

    .testTarget(
      name: "EngineTests", dependencies: ["SharedTables", .momKit], path: "Tests/EngineTests"),

    // Tests that run the programs as child processes.
    .testTarget(
      name: "FaultyFilesTests", dependencies: ["FaultyFiles", "SystemSQLite"],
      path: "Tests/FaultyFilesTests"),
    .testTarget(
      name: "ProgramTests",
      dependencies: [
        "CompaniesAndWorkers", "DownloadCache", "EventsAndLocations", "MainQueueTrials",
        "MigrationCrash", "ModelInCode", "SavedModel", "SavingCrash", "mutator",
      ],
      path: "Tests/ProgramTests"),
  ],
  swiftLanguageModes: [.v6]
)

extension Target.Dependency {
  static var momKit: Self { .product(name: "MomKit", package: "MomKit") }
  static var argumentParser: Self {
    .product(name: "ArgumentParser", package: "swift-argument-parser")
  }
}
