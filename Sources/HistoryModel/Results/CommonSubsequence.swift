/// Finds the longest common subsequence of two sequences.
///
/// Elements are numbers, equal where the elements that they stand for are.
struct CommonSubsequence {
  /// A place in the one sequence and one in the other that hold equal elements.
  typealias Match = (old: Int, new: Int)

  /// The longest common subsequence, or what comes near to it.
  ///
  /// The algorithm is that of Hunt and Szymanski: the longest chain of matches that go up in both
  /// sequences, found by binary search. Equal elements are first matched in their order, the first
  /// with the first; where elements are distinct, or all of those matches form a chain, that is all
  /// there is to do. Else every pair of equal elements is a match, which is exact.
  ///
  /// - Parameters:
  ///   - old: One sequence.
  ///   - new: The other.
  ///   - limit: How many matches there may be at most. Beyond it (a thousand equal elements in both
  ///     make a million matches) the chain of those in their order is taken, which may be shorter.
  /// - Returns: Matches, going up in both sequences.
  /// - Complexity: O((*r* + *n*) log *n*) for *r* matches, not more than the limit, of *n* elements.
  static func matches(of old: [Int], _ new: [Int], limit: Int) -> [Match] {
    var places: [Int: [Int]] = [:]
    for (place, element) in new.enumerated() { places[element, default: []].append(place) }
    var used: [Int: Int] = [:]
    var all = 0
    var isWithinLimit = true
    var inOrder: [Match] = []
    for (place, element) in old.enumerated() {
      guard let candidates = places[element] else { continue }
      if isWithinLimit { all += candidates.count }
      isWithinLimit = all <= limit
      let turn = used[element, default: 0]
      used[element] = turn + 1
      if turn < candidates.count { inOrder.append((place, candidates[turn])) }
    }
    let chain = longestChain(inOrder)
    if chain.count == inOrder.count || all == inOrder.count || !isWithinLimit { return chain }
    // Within one old place the new ones go down, so that no chain takes two of them.
    return longestChain(
      old.indices.flatMap { place in
        (places[old[place]] ?? []).reversed().map { (place, $0) }
      })
  }

  /// The longest chain of matches that go up in the new sequence.
  ///
  /// - Parameter matches: Matches whose old places never go down.
  /// - Returns: Some of the matches, going up in both sequences where no old place has two that do.
  private static func longestChain(_ matches: [Match]) -> [Match] {
    // For each length, the match that ends a chain of it at the lowest new place so far, and for
    // each such match the one before it.
    var ends: [Int] = []
    var previous = [Int](repeating: -1, count: matches.count)
    for (index, match) in matches.enumerated() {
      var low = 0
      var high = ends.count
      while low < high {
        let middle = (low + high) / 2
        if matches[ends[middle]].new < match.new { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[index] = ends[low - 1] }
      if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var chain: [Match] = []
    var index = ends.last ?? -1
    while index >= 0 {
      chain.append(matches[index])
      index = previous[index]
    }
    return chain.reversed()
  }
}
