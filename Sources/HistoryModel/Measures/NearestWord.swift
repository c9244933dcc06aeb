/// Finds what was probably meant by a mistyped word.
package enum NearestWord {
  /// Returns the candidate that looks most like a word, if one is close enough.
  ///
  /// Close means at most a third of the letters mistyped, or that the word is the beginning of
  /// the candidate. The first of equally close candidates wins.
  ///
  /// - Parameters:
  ///   - word: What was written.
  ///   - candidates: What could have been meant.
  /// - Returns: The candidate, or nil if none is close.
  package static func of(_ word: String, among candidates: [String]) -> String? {
    let limit = max(1, min(3, word.count / 3))
    var best: (candidate: String, distance: Int)?
    for candidate in candidates {
      let isBeginning = word.count >= 2 && candidate.hasPrefix(word)
      let distance = isBeginning ? 1 : editDistance(Array(word), Array(candidate))
      if distance <= limit && distance < best?.distance ?? .max {
        best = (candidate, distance)
      }
    }
    return best?.candidate
  }

  /// Counts the letters to insert, remove, replace or swap with their neighbour.
  ///
  /// - Parameters:
  ///   - a: A word.
  ///   - b: Another.
  /// - Returns: How many steps make one of the other.
  /// - Complexity: O(*n* · *m*) for words of *n* and *m* letters.
  package static func editDistance(_ a: [Character], _ b: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        let same = a[i] == b[j] ? 0 : 1
        var distance = min(last[j] + same, last[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          distance = min(distance, beforeLast[j - 1] + 1)
        }
        row.append(distance)
      }
      (beforeLast, last) = (last, row)
    }
    return last[b.count]
  }
}
