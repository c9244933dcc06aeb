import HistoryModel
import SQLite

extension QueryArguments {
  /// The values for the parameters of a statement, in their order.
  ///
  /// - Parameter statement: The statement.
  /// - Returns: One value for each.
  /// - Throws: ``HistoryModel/HistoryError`` with code `usage` when a parameter has no value or a
  ///   value no parameter.
  func values(for statement: Statement) throws(HistoryError) -> [StoredValue] {
    let count = statement.parameterCount
    let names = (1..<count + 1).map { statement.parameterName(at: $0) }
    guard positional.count <= count else {
      throw .tooManyArguments(positional.count, parameters: count)
    }
    var values = positional + [StoredValue?](repeating: nil, count: count - positional.count)
    for (name, value) in named {
      let places = names.indices.filter { Self.isName(name, of: names[$0], at: $0) }
      guard !places.isEmpty else {
        throw .noSuchParameter(name, among: Self.shown(names))
      }
      for place in places { values[place] = value }
    }
    var complete: [StoredValue] = []
    for (place, value) in values.enumerated() {
      guard let value else { throw .missingArgument(Self.shown(names)[place]) }
      complete.append(value)
    }
    return complete
  }

  /// Whether a name, with or without its first character, or a number is that of a parameter.
  private static func isName(_ name: String, of parameter: String?, at place: Int) -> Bool {
    if name == "\(place + 1)" { return true }
    guard let parameter else { return false }
    return parameter.utf8.elementsEqual(name.utf8)
      || parameter.utf8.dropFirst().elementsEqual(name.utf8)
  }

  /// The names as a person writes them; a plain `?` is called by its number.
  private static func shown(_ names: [String?]) -> [String] {
    names.enumerated().map { $1 ?? "\($0 + 1)" }
  }
}
