// swift-tools-version: 6.1
import PackageDescription

// The implementation of `momtool port`. A separate package, because swift-syntax takes minutes to build and only
// those who port sources need it.
let package = Package(
  name: "Port",
  products: [
    .executable(name: "momtool-port", targets: ["momtool-port"]),
    .plugin(name: "PortPlugin", targets: ["PortPlugin"]),
  ],
  dependencies: [
    .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    .target(
      name: "SourcePorting",
      dependencies: [
        .product(name: "SwiftOperators", package: "swift-syntax"),
        .product(name: "SwiftParser", package: "swift-syntax"),
        .product(name: "SwiftSyntax", package: "swift-syntax"),
      ]),
    .executableTarget(
      name: "momtool-port",
      dependencies: [
        "SourcePorting", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    // Ports sources in each build of a package whose manifest requests it.
    .plugin(name: "PortPlugin", capability: .buildTool(), dependencies: ["momtool-port"]),
    .testTarget(name: "SourcePortingTests", dependencies: ["SourcePorting"]),
  ],
  swiftLanguageModes: [.v6]
)
