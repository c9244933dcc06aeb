/// Writes metrics as Prometheus reads them (text format 0.0.4).
///
/// Metrics of one name must stand together; they are kept by name, and written in the order in which
/// the names first came. Names are the program's own and are checked; values of labels may be
/// anything and are escaped.
package struct PrometheusText: Sendable {
  /// The media type.
  package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  /// How a metric moves.
  package enum Kind: String, Hashable, Sendable {
    /// Only up, from zero when the program starts.
    case counter
    /// Up and down.
    case gauge
  }

  private struct Family {
    let kind: Kind
    let help: String
    var samples: [UInt8] = []
    var labels: Set<[HTTPField]> = []
  }

  private var names: [String] = []
  private var families: [String: Family] = [:]

  /// Makes a text without metrics.
  package init() {}

  /// Adds a whole number.
  ///
  /// - Parameters:
  ///   - kind: How the metric moves; the same for every number of this name.
  ///   - name: The metric's name: a letter or underscore, then letters, digits and underscores.
  ///   - help: What it says, in one sentence; only the first one of a name counts.
  ///   - labels: What tells numbers of one name apart, in their order.
  ///   - value: The number.
  package mutating func add(
    _ kind: Kind, _ name: String, help: String, labels: [HTTPField] = [],
    _ value: some BinaryInteger
  ) {
    add(kind, name, help, labels, String(value))
  }

  /// Adds a number.
  ///
  /// - Parameters:
  ///   - kind: How the metric moves; the same for every number of this name.
  ///   - name: The metric's name.
  ///   - help: What it says, in one sentence; only the first one of a name counts.
  ///   - labels: What tells numbers of one name apart, in their order.
  ///   - value: The number, in the unit that the name ends in.
  package mutating func add(
    _ kind: Kind, _ name: String, help: String, labels: [HTTPField] = [], _ value: Double
  ) {
    let text =
      value.isNaN ? "NaN" : value.isInfinite ? (value < 0 ? "-Inf" : "+Inf") : value.description
    add(kind, name, help, labels, text)
  }

  private mutating func add(
    _ kind: Kind, _ name: String, _ help: String, _ labels: [HTTPField], _ value: String
  ) {
    precondition(Self.isName(name), "A metric's name has letters, digits and underscores.")
    if families[name] == nil { names.append(name) }
    var family = families.removeValue(forKey: name) ?? Family(kind: kind, help: help)
    precondition(family.kind == kind, "A metric's name has one kind.")
    precondition(family.labels.insert(labels).inserted, "A metric's labels come once.")
    family.samples += name.utf8
    for (place, label) in labels.enumerated() {
      precondition(Self.isName(label.name), "A label's name has letters, digits and underscores.")
      family.samples += "\(place == 0 ? "{" : ",")\(label.name)=\"".utf8
      Self.append(label.value, escapingQuotes: true, to: &family.samples)
      family.samples.append(UInt8(ascii: "\""))
    }
    if !labels.isEmpty { family.samples.append(UInt8(ascii: "}")) }
    family.samples += " \(value)\n".utf8
    families[name] = family
  }

  /// The text.
  ///
  /// - Complexity: O(*n*) for *n* bytes.
  package var bytes: [UInt8] {
    var output: [UInt8] = []
    for name in names {
      guard let family = families[name] else { continue }
      output += "# HELP \(name) ".utf8
      Self.append(family.help, escapingQuotes: false, to: &output)
      output += "\n# TYPE \(name) \(family.kind.rawValue)\n".utf8
      output += family.samples
    }
    return output
  }

  /// Writes text on one line.
  ///
  /// Only in labels are quotes escaped; help has none around it.
  private static func append(_ text: String, escapingQuotes: Bool, to output: inout [UInt8]) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\\"): output += #"\\"#.utf8
      case UInt8(ascii: "\n"): output += #"\n"#.utf8
      case UInt8(ascii: "\"") where escapingQuotes: output += #"\""#.utf8
      default: output.append(byte)
      }
    }
  }

  private static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, !(48...57 ~= first) else { return false }
    return text.utf8.allSatisfy {
      48...57 ~= $0 || 65...90 ~= $0 || 97...122 ~= $0 || $0 == UInt8(ascii: "_")
    }
  }
}
