package import HistoryModel

extension ServerConfiguration {
  /// How many bytes a file may have.
  package static let sizeLimit = 1 << 20
  /// How many databases it may name.
  static let databaseLimit = 256
  /// How many kinds it may declare.
  static let reloadLimit = 1024
  /// How long a path may be in bytes, as Linux has it.
  static let pathLimit = 4095

  private static let keys = ["databases", "keep", "keepSize", "reloads"]
  /// For how long history can be kept.
  package static let ages: ClosedRange<Duration> = .seconds(1) ... .seconds(36_525 * 86_400)
  /// How much of it can be kept, in bytes.
  package static let sizes: ClosedRange<Int> = 64 << 10...1 << 50

  /// Reads the text of a file.
  ///
  /// - Parameters:
  ///   - text: The text, as RFC 8259 defines JSON.
  ///   - path: The file's path, which errors name and its own paths are relative to.
  ///   - given: The databases that were given on the command line.
  /// - Throws: ``HistoryError`` with code `usage`, which names line and column.
  /// - Complexity: O(*n*) for *n* bytes.
  package init(
    parsing text: [UInt8], path: String, given: [String] = []
  ) throws(HistoryError) {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: text, limits: .init(depth: 8, bytes: Self.sizeLimit))
    } catch {
      throw .configuration(path, error.reason, at: error.position, hint: nil)
    }
    do throws(ConfigurationFault) {
      try self.init(value, directory: ConfigurationPath.directory(of: path), given: given)
    } catch {
      throw .configuration(
        path, error.reason, at: JSONPosition(of: error.place, in: text), hint: error.hint)
    }
  }

  private init(
    _ value: JSONValue, directory: String, given: [String]
  ) throws(ConfigurationFault) {
    let file = try ConfigurationObject(value, at: [], known: Self.keys)
    self.directory = directory
    self.given = given
    declared = try file.texts(
      "databases", "a list of paths", limit: Self.pathLimit, count: Self.databaseLimit)
    let resolved = declared.map { ConfigurationPath.resolved($0, in: directory) }
    for (place, path) in resolved.enumerated() where resolved[..<place].contains(path) {
      throw file.fault(
        "databases", "\"databases\" names \(Quotation.of(path)) twice", element: place)
    }
    keep = try file.measure(
      "keep", "a duration such as 7d", Self.ages,
      MeasuredText.text, MeasuredText.duration)
    keepSize = try file.measure(
      "keepSize", "a size such as 256MB", Self.sizes, MeasuredText.text(bytes:),
      MeasuredText.bytes)
    let databases = Self.databases(given: given, declared: declared, in: directory)
    var reloads: [ReloadDeclaration] = []
    var known: Set<[String]> = []
    let elements = try file.list("reloads", "a list of kinds", count: Self.reloadLimit) ?? []
    for (place, element) in elements.enumerated() {
      let steps: [JSONPosition.Step] = ["reloads", .element(place)]
      let reload = try ReloadDeclaration(
        element, at: steps, databases: databases, directory: directory)
      guard known.insert([reload.database, reload.timeline]).inserted else {
        throw ConfigurationFault(
          reason: "the database has a timeline \(Quotation.of(reload.timeline)) already",
          hint: "give each kind of a database a name of its own", place: steps + ["timeline"])
      }
      reloads.append(reload)
    }
    self.reloads = reloads
  }
}
