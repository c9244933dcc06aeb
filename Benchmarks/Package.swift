// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "HistoryBenchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "historywatch", path: "..")],
  targets: [
    .executableTarget(
      name: "BenchmarkWriter",
      dependencies: [.product(name: "HistoryKit", package: "historywatch")],
      swiftSettings: [
        .treatAllWarnings(as: .error), .enableUpcomingFeature("MemberImportVisibility"),
      ]),
    .executableTarget(
      name: "BenchmarkObserver",
      dependencies: [.product(name: "HistoryKit", package: "historywatch")],
      swiftSettings: [.treatAllWarnings(as: .error)]),
  ],
  swiftLanguageModes: [.v6]
)
