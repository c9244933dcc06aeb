// swift-tools-version: 6.2
import PackageDescription

/// Settings of every target: warnings are errors, and tomorrow's language rules hold today.
let house: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// Settings of the layers that must not touch memory by hand.
///
/// Only the modules that wrap C may.
let safe: [SwiftSetting] = house + [.strictMemorySafety()]

// On Linux their headers are found without help. Nothing of libmicrohttpd is to be linked, since it is
// loaded when it is used, and of libnats only with its trait: a build without it must not ask for it.
#if os(Linux)
  let microHTTPD: String? = nil
  let nats: String? = nil
#else
  let microHTTPD: String? = "libmicrohttpd"
  let nats: String? = "libnats"
#endif

let package = Package(
  name: "historywatch",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "historywatch", targets: ["historywatch"]),
    .library(name: "HistoryKit", targets: ["HistoryKit"]),
    .library(name: "HistoryTestSupport", targets: ["HistoryTestSupport"]),
  ],
  traits: [
    .trait(
      name: "NATS",
      description: "Relay to NATS JetStream and apply from it; needs libnats (libnats-dev)")
  ],
  targets: [
    // Layers, lowest first. A target depends only on targets above it in this list.
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .systemLibrary(
      name: "CLibUV", pkgConfig: "libuv",
      providers: [.apt(["libuv1-dev"]), .brew(["libuv"])]),
    .systemLibrary(
      name: "CMicroHTTPD", pkgConfig: microHTTPD,
      providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),
    .systemLibrary(
      name: "CNATS", pkgConfig: nats,
      providers: [.apt(["libnats-dev"]), .brew(["cnats"])]),
    // Rounding of times is a call into libm in debug builds, and nothing below imports it.
    .target(
      name: "HistoryModel", swiftSettings: safe,
      linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]),
    .target(name: "SQLite", dependencies: ["CSQLite", "HistoryModel"], swiftSettings: house),
    .target(name: "EventLoop", dependencies: ["CLibUV", "HistoryModel"], swiftSettings: house),
    .target(
      name: "HTTPServer", dependencies: ["CMicroHTTPD", "EventLoop", "HistoryModel"],
      swiftSettings: house),
    .target(
      name: "WatchClient", dependencies: ["EventLoop", "HistoryModel"], swiftSettings: safe),
    .target(
      name: "HistoryStore", dependencies: ["SQLite", "EventLoop", "HistoryModel"],
      swiftSettings: safe),
    .target(
      name: "StoreBoundary",
      dependencies: ["HistoryStore", "SQLite", "EventLoop", "HistoryModel"], swiftSettings: safe),
    .target(
      name: "HistorySync", dependencies: ["HistoryStore", "SQLite", "EventLoop", "HistoryModel"],
      swiftSettings: safe),
    // Empty without the trait.
    .target(
      name: "JetStream",
      dependencies: [
        .target(name: "CNATS", condition: .when(traits: ["NATS"])), "HistorySync", "EventLoop",
        "HistoryModel",
      ],
      swiftSettings: house),
    .target(
      name: "HistoryObservation",
      dependencies: ["HistoryStore", "SQLite", "EventLoop", "HistoryModel"], swiftSettings: safe),
    .target(
      name: "TimelineReload",
      dependencies: ["HistoryObservation", "HistoryStore", "EventLoop", "HistoryModel"],
      swiftSettings: safe),
    .target(
      name: "WatchServer",
      dependencies: [
        "HTTPServer", "TimelineReload", "HistoryObservation", "StoreBoundary", "HistoryStore",
        "SQLite", "EventLoop", "HistoryModel",
      ],
      // In the code, not in a bundle beside it: one binary is all there is to install.
      resources: [
        .embedInCode("Web/Page/page.html"), .embedInCode("Web/Page/page.css"),
        .embedInCode("Web/Page/page.js"), .embedInCode("Web/Page/server.js"),
        .embedInCode("Web/Page/transactions.js"), .embedInCode("Web/Page/values.js"),
      ],
      swiftSettings: safe),
    .target(
      name: "HistoryKit",
      dependencies: [
        "TimelineReload", "HistoryObservation", "HistorySync", "StoreBoundary", "HistoryStore",
        "WatchClient", "SQLite", "EventLoop", "HistoryModel",
      ],
      swiftSettings: safe),
    .target(
      name: "HistoryCommands",
      dependencies: [
        .target(name: "JetStream", condition: .when(traits: ["NATS"])),
        "WatchServer", "HTTPServer", "TimelineReload", "HistoryObservation", "HistorySync",
        "StoreBoundary", "HistoryStore", "WatchClient", "SQLite", "EventLoop", "HistoryModel",
      ],
      swiftSettings: safe),
    .executableTarget(
      name: "historywatch", dependencies: ["HistoryCommands"], swiftSettings: safe),

    // Tests and what they share.
    .target(
      name: "HistoryTestSupport",
      dependencies: ["CSQLite", "HistoryStore", "SQLite", "EventLoop", "HistoryModel"],
      swiftSettings: house),
    .testTarget(
      name: "HistoryModelTests", dependencies: ["HistoryModel"], swiftSettings: house),
    .testTarget(
      name: "SQLiteTests", dependencies: ["SQLite", "HistoryModel", "HistoryTestSupport"],
      swiftSettings: house),
    .testTarget(
      name: "SQLiteFactsTests", dependencies: ["SQLite", "HistoryModel", "HistoryTestSupport"],
      swiftSettings: house),
    .testTarget(
      name: "EventLoopTests", dependencies: ["EventLoop", "HistoryModel", "HistoryTestSupport"],
      swiftSettings: house),
    .testTarget(
      name: "HTTPServerTests",
      dependencies: ["HTTPServer", "EventLoop", "HistoryModel", "HistoryTestSupport"],
      swiftSettings: house),
    .testTarget(
      name: "WatchClientTests",
      dependencies: ["WatchClient", "EventLoop", "HistoryModel", "HistoryTestSupport"],
      swiftSettings: house),
    .testTarget(
      name: "HistoryStoreTests",
      dependencies: ["HistoryStore", "SQLite", "HistoryModel", "HistoryTestSupport"],
      swiftSettings: house),
    // An owner that dies when it is told to.
    .executableTarget(
      name: "BoundaryProgram", dependencies: ["StoreBoundary", "HistoryModel"],
      path: "Tests/BoundaryProgram", swiftSettings: house),
    .testTarget(
      name: "StoreBoundaryTests",
      dependencies: [
        "BoundaryProgram", "historywatch", "StoreBoundary", "HistoryStore", "SQLite", "EventLoop",
        "HistoryModel",
        "HistoryTestSupport",
      ],
      swiftSettings: house),
    .testTarget(
      name: "HistorySyncTests",
      dependencies: [
        .target(name: "JetStream", condition: .when(traits: ["NATS"])), "HistorySync",
        "HistoryStore", "SQLite", "EventLoop", "HistoryModel", "HistoryTestSupport",
      ],
      swiftSettings: house),
    .testTarget(
      name: "HistoryObservationTests",
      dependencies: [
        "HistoryObservation", "HistoryStore", "SQLite", "EventLoop", "HistoryModel",
        "HistoryTestSupport",
      ],
      swiftSettings: house),
    .testTarget(
      name: "TimelineReloadTests",
      dependencies: [
        "TimelineReload", "HistoryObservation", "HistoryStore", "EventLoop", "HistoryModel",
        "HistoryTestSupport",
      ],
      swiftSettings: house),
    .testTarget(
      name: "WatchServerTests",
      dependencies: [
        "WatchServer", "HTTPServer", "TimelineReload", "HistoryObservation", "HistoryStore",
        "SQLite", "EventLoop", "HistoryModel", "HistoryTestSupport",
      ],
      swiftSettings: house),
    .testTarget(
      name: "HistoryCommandsTests",
      dependencies: [
        "HistoryCommands", "HistoryObservation", "WatchClient", "EventLoop", "HistoryModel",
        "HistoryTestSupport",
      ],
      swiftSettings: house),
    .testTarget(
      name: "FaultTests",
      dependencies: [
        "HistorySync", "StoreBoundary", "HistoryStore", "SQLite", "EventLoop", "HistoryModel",
        "HistoryTestSupport",
      ],
      swiftSettings: house),
    .testTarget(
      name: "ProgramTests",
      dependencies: [
        "historywatch", "HistoryTestSupport", "SQLite", "EventLoop", "HistoryModel",
      ],
      swiftSettings: house),
  ],
  swiftLanguageModes: [.v6]
)
