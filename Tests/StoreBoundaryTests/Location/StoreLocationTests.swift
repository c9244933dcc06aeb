import EventLoop
import Glibc
import HistoryModel
import HistoryTestSupport
import StoreBoundary
import Testing

@Suite("Place of a store")
struct StoreLocationTests {
  private let directory: TemporaryDirectory
  private var home: String { directory.file("home") }
  private var groups: String { directory.file("groups") }
  private var data: String { directory.file("data") }

  init() throws {
    directory = try TemporaryDirectory()
    for path in [home, home + "/.local", home + "/.local/share", groups, data] {
      try FileNames.makeDirectory(path)
    }
  }

  private func location(
    _ environment: [String: String], root: String? = nil, group: String = "g",
    name: String = "app.db", createsGroup: Bool = true
  ) throws(HistoryError) -> StoreLocation {
    try StoreLocation(
      group: group, name: name, root: root, createsGroup: createsGroup,
      environment: { environment[$0] })
  }

  @Test("the root that is named, else the groups', else the data directory, else that of HOME")
  func roots() throws {
    var environment = ["HISTORYWATCH_GROUPS": groups, "XDG_DATA_HOME": data, "HOME": home]
    let root = directory.file("home")
    #expect(try location(environment, root: root).path == root + "/g/app.db")
    #expect(try location(environment).path == groups + "/g/app.db")
    environment["HISTORYWATCH_GROUPS"] = ""
    #expect(try location(environment).path == data + "/g/app.db")
    environment["XDG_DATA_HOME"] = nil
    #expect(try location(environment).path == home + "/.local/share/g/app.db")
    environment["HOME"] = nil
    let error = #expect(throws: HistoryError.self) { try location(environment) }
    #expect(error?.unavailableReason == .missing)
  }

  @Test("a first place that is not there is an error, and no second one is tried")
  func noFallback() throws {
    let nowhere = directory.file("nowhere")
    for environment in [
      ["HISTORYWATCH_GROUPS": nowhere, "XDG_DATA_HOME": data, "HOME": home],
      ["XDG_DATA_HOME": nowhere, "HOME": home], ["HOME": nowhere],
    ] {
      let error = #expect(throws: HistoryError.self) { try location(environment) }
      #expect(error?.unavailableReason == .missing)
      #expect(error?.message.contains(nowhere) == true)
    }
    #expect(!FileNames.isTaken(nowhere))
    for root in [groups, data, home + "/.local/share"] {
      #expect(try FileNames.list(root).isEmpty)
    }
  }

  @Test("only the owner makes the group's folder, for this user only, and never the root")
  func creating() throws {
    let environment = ["HISTORYWATCH_GROUPS": groups]
    let error = #expect(throws: HistoryError.self) {
      try location(environment, createsGroup: false)
    }
    #expect(error?.unavailableReason == .missing)
    #expect(try FileNames.list(groups).isEmpty)
    let made = try location(environment)
    #expect(FileNames.permissions(of: groups + "/g") == 0o700)
    #expect(!FileNames.isTaken(made.path))
    #expect(try location(environment, createsGroup: false) == made)
  }

  @Test("a file in the place of a folder is refused")
  func noDirectory() throws {
    try DurableFile(path: groups + "/g").replace(with: [])
    for creates in [false, true] {
      let error = #expect(throws: HistoryError.self) {
        try location(["HISTORYWATCH_GROUPS": groups], createsGroup: creates)
      }
      #expect(error?.unavailableReason == .permissions)
    }
  }

  @Test("a relative path in the environment is refused, since it would be many places")
  func relative() {
    for variable in ["HISTORYWATCH_GROUPS", "XDG_DATA_HOME", "HOME"] {
      let error = #expect(throws: HistoryError.self) { try location([variable: "groups"]) }
      #expect(error?.code == .usage)
      #expect(error?.message.hasPrefix(variable) == true)
    }
  }

  @Test(
    "what is not one part of a path, or is hidden, is no name",
    arguments: ["", ".", "..", ".hidden", "a/b", "/", "a\0b", String(repeating: "n", count: 201)])
  func names(name: String) {
    let environment = ["HISTORYWATCH_GROUPS": groups]
    #expect(throws: HistoryError.self) { try location(environment, group: name) }
    let error = #expect(throws: HistoryError.self) { try location(environment, name: name) }
    #expect(error?.code == .usage)
  }

  @Test("it prints the file that it leads to, whatever links are on the way")
  func resolved() throws {
    let link = directory.file("link")
    try #require(symlink(groups, link) == 0)
    let location = try location(["HISTORYWATCH_GROUPS": link])
    #expect("\(location)" == FileNames.resolved(groups) + "/g/app.db")
    #expect(location.group == "g" && location.name == "app.db")
  }
}
