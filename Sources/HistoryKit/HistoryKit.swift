// One import for programs that embed the library: every public module but the commands.
@_exported public import EventLoop
@_exported public import HistoryModel
@_exported public import HistoryObservation
@_exported public import HistoryStore
@_exported public import HistorySync
@_exported public import SQLite
@_exported public import StoreBoundary
@_exported public import TimelineReload
@_exported public import WatchClient
