import HistoryCommands

@main
enum Main {
  static func main() {
    runHistorywatch()
  }
}
