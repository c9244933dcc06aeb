import HistoryModel
import Testing
import WatchServer

@Suite("Answers")
struct AnswerLineTests {
  private func line(_ error: HistoryError) -> String {
    String(decoding: AnswerLine.error(error, to: RequestEnvelope()), as: UTF8.self)
  }

  @Test("an error says why a store cannot be used, where that is known")
  func reason() {
    #expect(
      line(.unavailable(.diskFull, "the disk is full", hint: "make room"))
        == #"{"kind":"error","code":"temporary","message":"the disk is full","#
        + #""reason":"disk-full","hint":"make room"}"# + "\n")
    #expect(
      line(HistoryError(.usage, "no")) == #"{"kind":"error","code":"usage","message":"no"}"# + "\n")
  }
}
