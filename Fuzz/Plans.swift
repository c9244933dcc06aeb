import EventLoop
import Glibc
import HistoryModel
import SQLite

@testable import StoreBoundary

/// What libFuzzer calls with each input.
///
/// The input is a migration directory: names and contents in turn, with a NUL between them. What
/// is taken is given to SQLite itself, statement by statement: none of them may end the transaction
/// of its stage or reach out of it.
@_cdecl("LLVMFuzzerTestOneInput")
public func plansTestOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  var parts = input.split(separator: 0, maxSplits: 7, omittingEmptySubsequences: false)[...]
  var written: [String] = []
  defer { for path in written { unlink(path) } }
  while let name = parts.popFirst() {
    let content = Array(parts.popFirst() ?? [])
    let path = directory.path + "/" + String(decoding: name, as: UTF8.self)
    if !name.contains(UInt8(ascii: "/")), write(content, to: path) { written.append(path) }
  }
  if let plan = plan() { for version in plan.versions { check(version) } }
  return 0
}

/// Where the files of each input stand in turn.
private let directory: ScratchDirectory = {
  guard let directory = try? ScratchDirectory(named: "historywatch-fuzz") else {
    preconditionFailure("No directory can be made.")
  }
  return directory
}()

/// Makes a file; false where there can be none of that name.
private func write(_ content: [UInt8], to path: String) -> Bool {
  let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
  guard descriptor >= 0 else { return false }
  defer { close(descriptor) }
  return unsafe content.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
    == content.count
}

/// Reads the directory; a refusal is one of usage and says what to do.
private func plan() -> MigrationPlan? {
  do throws(HistoryError) {
    return try MigrationPlan(directory: directory.path)
  } catch {
    precondition(error.code == .usage && error.hint != nil, "A refusal without advice.")
    return nil
  }
}

/// Has SQLite read what a plan takes, up to the first statement that it refuses: a stage would end
/// there.
private func check(_ version: SchemaVersion) {
  guard let sql = version.stage.sql, let connection = try? Connection(path: ":memory:") else {
    return
  }
  connection.setAuthorizer { action in
    let isForbidden = [.transaction, .attach, .detach].contains(action.code)
    precondition(!isForbidden, "A statement that ends the transaction, or reaches out of it.")
    return .allow
  }
  try? connection.forEachStatement(in: sql) { statement in
    let words = statement.sql.split { !$0.isLetter }.first.map { $0.lowercased() }
    precondition(words != "vacuum", "A statement that rewrites the store.")
  }
  try? connection.close()
}
