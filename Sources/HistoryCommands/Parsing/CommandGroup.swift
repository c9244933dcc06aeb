/// What people want to do: the headings of the list of commands, in its order.
enum CommandGroup: String, CaseIterable, Sendable {
  case capture = "Start and stop"
  case follow = "Follow changes"
  case share = "Write and share"
  case maintain = "Look after a store"
  case learn = "Get to know it"
}
