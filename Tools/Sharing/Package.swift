// swift-tools-version: 6.1
import PackageDescription

// An example of a service: an app's model, served from PostgreSQL to the app's copies, which keep theirs in SQLite.
// `Tools/sharing` runs its tests against a private server.
let package = Package(
  name: "Sharing",
  products: [
    .library(name: "SharedModel", targets: ["SharedModel"]),
    .library(name: "SharingClient", targets: ["SharingClient"]),
    .executable(name: "sharing-server", targets: ["SharingServer"]),
    .executable(name: "sharing-client", targets: ["SharingApp"]),
  ],
  dependencies: [
    .package(name: "MomKit", path: "../.."),
    .package(name: "MomKitPostgreSQL", path: "../Engines/PostgreSQL"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
  ],
  targets: [
    // The model, its classes, and what app and server say to each other.
    .target(
      name: "SharedModel",
      dependencies: [.product(name: "MomKit", package: "MomKit")],
      plugins: [.plugin(name: "ModelCompilerPlugin", package: "MomKit")]),
    .executableTarget(
      name: "SharingServer",
      dependencies: [
        "SharedModel",
        .product(name: "MomKitPostgreSQL", package: "MomKitPostgreSQL"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "FlyingFox", package: "FlyingFox"),
      ]),
    // The app's side, and a program that stands for the app.
    .target(name: "SharingClient", dependencies: ["SharedModel"]),
    .executableTarget(
      name: "SharingApp",
      dependencies: [
        "SharingClient", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .testTarget(
      name: "SharingTests",
      dependencies: [
        "SharedModel", "SharingClient", "SharingServer", "SharingApp",
        .product(name: "MomKitPostgreSQL", package: "MomKitPostgreSQL"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
