extension ConfigurationChanges {
  /// What to tell the person who had the configuration read again.
  var sentence: String {
    var parts: [String] = []
    let counts = [
      (addedDatabases.count, "databases more"), (removedDatabases.count, "databases fewer"),
      (added.count, "timelines more"), (removed.count, "timelines fewer"),
      (changed.count, "timelines otherwise"),
    ]
    for (count, what) in counts where count > 0 { parts.append("\(count) \(what)") }
    if changesRetention { parts.append("other limits") }
    let summary = parts.isEmpty ? "nothing is different" : parts.joined(separator: ", ")
    return "the configuration was read again: \(summary)"
  }
}
