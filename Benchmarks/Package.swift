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
      ])
  ],
  swiftLanguageModes: [.v6]
)
