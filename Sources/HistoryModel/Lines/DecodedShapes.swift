/// The shapes of the tables that lines tell of, so that changes of the same form share one.
///
/// A line shows only some columns of its table, so a table has a shape for each set of them.
struct DecodedShapes: Sendable {
  /// What tells one shape from another.
  private struct Form: Hashable {
    let table: String
    let capture: Capture
    /// The columns of the images, then those that only the key has.
    let names: [String]
    /// How many of them images show.
    let shown: Int
    /// The places of the key.
    let key: [Int]

    static func == (a: Form, b: Form) -> Bool {
      a.capture == b.capture && a.shown == b.shown && a.key == b.key
        && JSONObject.isSame(a.table, b.table) && a.names.count == b.names.count
        && zip(a.names, b.names).allSatisfy { JSONObject.isSame($0, $1) }
    }

    func hash(into hasher: inout Hasher) {
      // Names differ mostly by their first bytes, and are compared whole afterwards.
      hasher.combine(table.utf8.count)
      for name in names { hasher.combine(name.utf8.first) }
      hasher.combine(shown)
      for place in key { hasher.combine(place) }
    }
  }

  /// So many forms a stream hardly ever has; whoever sends more pays for it himself.
  private static let limit = 1024
  private var known: [Form: TableShape] = [:]
  private var last: (form: Form, shape: TableShape)?

  /// The shape of a line's table.
  mutating func shape(
    table: String, capture: Capture, image: JSONObject?, key: JSONObject,
    hidden: [JSONObject.Member]
  ) -> TableShape {
    let shown = image?.count ?? 0
    let names = (image?.names ?? []) + hidden.map(\.name)
    let form = Form(
      table: table, capture: capture, names: names, shown: shown,
      key: Self.places(of: key, among: names, shown: shown, hidden: hidden))
    if let last, last.form == form { return last.shape }
    if let shape = known[form] {
      last = (form, shape)
      return shape
    }
    var keyPlaces = [Int?](repeating: nil, count: names.count)
    for (place, column) in form.key.enumerated() { keyPlaces[column] = place }
    let shape = TableShape(
      identifier: 0, table: table, capture: capture,
      columns: names.indices.map { place in
        TableShape.Column(
          name: names[place], keyPlace: keyPlaces[place], isReal: false,
          isInImages: place < shown)
      })
    if known.count >= Self.limit { known.removeAll() }
    known[form] = shape
    last = (form, shape)
    return shape
  }

  /// Where the columns of the key stand, in key order.
  private static func places(
    of key: JSONObject, among names: [String], shown: Int, hidden: [JSONObject.Member]
  ) -> [Int] {
    var places: [Int] = []
    places.reserveCapacity(key.count)
    var next = 0
    var byName: [StoredValue: Int]?
    if key.count > 16, shown > 16 {
      byName = [:]
      for place in 0..<shown { byName?[.text(names[place])] = place }
    }
    for member in key {
      if next < hidden.count, JSONObject.isSame(hidden[next].name, member.name) {
        places.append(shown + next)
        next += 1
      } else if let byName {
        if let place = byName[.text(member.name)] { places.append(place) }
      } else if let place = names[..<shown].firstIndex(where: {
        JSONObject.isSame($0, member.name)
      }) {
        places.append(place)
      }
    }
    return places
  }
}
