import HistoryModel
import TimelineReload
import WatchServer

/// What libFuzzer calls with each input.
///
/// The input is the configuration file of `serve`. Checked is that a file that is taken reads the
/// same once it is written again and names only databases that it declares, and that a refusal
/// says where.
@_cdecl("LLVMFuzzerTestOneInput")
public func configurationsTestOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  guard let configuration = configuration(input) else { return 0 }
  let rendered = configuration.rendered()
  precondition(!rendered.contains(UInt8(ascii: "\n")), "More than a line.")
  let again = try? ServerConfiguration(parsing: rendered, path: "etc/serve.json", given: ["a.db"])
  precondition(again == configuration, "What was written reads as something else.")
  precondition(again?.rendered() == rendered, "A configuration has two texts.")
  let databases = configuration.databases
  precondition(Set(databases).count == databases.count, "A database is there twice.")
  for kind in configuration.reloads {
    precondition(databases.contains(kind.database), "A kind of a database that is not there.")
    precondition(kind.kind.policy.debounce >= .zero, "A pause is negative.")
  }
  return 0
}

/// Reads a file; a refusal names the file and a place that is in it.
private func configuration(_ text: [UInt8]) -> ServerConfiguration? {
  do throws(HistoryError) {
    return try ServerConfiguration(parsing: text, path: "etc/serve.json", given: ["a.db"])
  } catch {
    precondition(error.code == .usage && error.hint != nil, "A refusal without advice.")
    let place = error.message.split(separator: ":", maxSplits: 3).map(String.init)
    precondition(place.first == "etc/serve.json", "A refusal without the file.")
    if place.count == 4, let line = Int(place[1]) {
      let lines = text.count { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } + 1
      precondition((1...lines).contains(line), "A place behind the end.")
    }
    return nil
  }
}
