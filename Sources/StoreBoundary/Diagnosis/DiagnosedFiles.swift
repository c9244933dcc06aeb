import EventLoop
import HistoryModel
import SQLite

/// The files of a store as a diagnosis tells them, without opening the store.
struct DiagnosedFiles {
  let members: [JSONObject.Member]

  init(_ files: StoreNeighbours) {
    members = [
      .init(name: "store", value: .string(files.name)),
      .init(name: "files", value: .array(files.all.compactMap(Self.file))),
      .init(
        name: "directory",
        value: [
          "permissions": Self.permissions(files.directory),
          "hasFileEvents": .boolean(!DirectoryWatch.isSilent(directory: files.directory)),
        ]),
      .init(name: "owner", value: Self.owner(files)),
      .init(name: "marker", value: Self.marker(files)),
    ]
  }

  private static func file(_ path: String) -> JSONValue? {
    guard let file = DatabaseFile(path: path) else { return nil }
    return [
      "name": .string(StoreNeighbours.name(of: path)), "size": .integer(file.size),
      "device": .integer(Int64(bitPattern: file.device)),
      "inode": .integer(Int64(bitPattern: file.inode)), "permissions": permissions(path),
    ]
  }

  private static func permissions(_ path: String) -> JSONValue {
    FileNames.permissions(of: path).map { .string(String($0, radix: 8)) } ?? .null
  }

  private static func owner(_ files: StoreNeighbours) -> JSONValue {
    [
      "isAtWork": .boolean(OwnerLock.isHeld(files)),
      "last": OwnerLock.holder(files).map { .string($0) } ?? .null,
    ]
  }

  private static func marker(_ files: StoreNeighbours) -> JSONValue {
    do throws(HistoryError) {
      guard let marker = try ReadinessMarker.read(files) else { return .null }
      return [
        "store": .string(marker.store.description), "schema": .integer(Int64(marker.schema)),
        "writer": .string(marker.writer), "at": .string(marker.time.text),
      ]
    } catch {
      return DiagnosedDatabase.failure(error)
    }
  }
}
