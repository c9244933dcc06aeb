// swift-tools-version: 6.2
import PackageDescription

/// One program that shows one thing, in a folder of its name with a page about it.
func example(_ name: String, beside others: [String] = []) -> Target {
  .executableTarget(
    name: name,
    dependencies: ["ExampleStage", .product(name: "HistoryKit", package: "historywatch")],
    path: name, exclude: ["README.md"] + others, swiftSettings: house)
}

let house: [SwiftSetting] = [
  .treatAllWarnings(as: .error), .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "HistoryExamples",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "historywatch", path: "..")],
  targets: [
    .target(
      name: "ExampleStage",
      dependencies: [.product(name: "HistoryKit", package: "historywatch")],
      path: "ExampleStage", swiftSettings: house),
    example("CacheInvalidation", beside: ["shop.py"]),
    example("LiveResults", beside: ["games.py"]),
    example("ReadYourWrites"),
    example("ReloadTimeline"),
  ],
  swiftLanguageModes: [.v6]
)
