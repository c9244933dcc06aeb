import HTTPServer
import Testing

@Suite("Prometheus text")
struct PrometheusTextTests {
  @Test("each name is described once, and its numbers stand together whenever they came")
  func families() {
    var text = PrometheusText()
    let store = { (name: String) in [HTTPField("store", name)] }
    text.add(.gauge, "a_head", help: "The last sequence.", labels: store("x"), 5)
    text.add(.counter, "a_commits_total", help: "Commits seen.", UInt64.max)
    text.add(.gauge, "a_head", help: "The last sequence.", labels: store("y"), -1)
    #expect(
      String(decoding: text.bytes, as: UTF8.self) == """
        # HELP a_head The last sequence.
        # TYPE a_head gauge
        a_head{store="x"} 5
        a_head{store="y"} -1
        # HELP a_commits_total Commits seen.
        # TYPE a_commits_total counter
        a_commits_total 18446744073709551615

        """)
  }

  @Test(
    "no value of a label can end it",
    arguments: [
      (#"C:\app.db"#, #"C:\\app.db"#), (#"a"b"#, #"a\"b"#), ("a\nb", #"a\nb"#),
      ("a\\\nb", #"a\\\nb"#), (#"x"} 1"#, #"x\"} 1"#), ("naïve", "naïve"), ("", ""),
    ])
  func labels(value: String, written: String) {
    var text = PrometheusText()
    text.add(.gauge, "m", help: "H.", labels: [HTTPField("a", value), HTTPField("b", "c")], 1)
    #expect(
      String(decoding: text.bytes, as: UTF8.self)
        == "# HELP m H.\n# TYPE m gauge\nm{a=\"\(written)\",b=\"c\"} 1\n")
  }

  @Test("help is one line, with its quotes as they are")
  func help() {
    var text = PrometheusText()
    text.add(.gauge, "m", help: "One \"line\"\nor \\two.", 1)
    #expect(
      String(decoding: text.bytes, as: UTF8.self).hasPrefix(#"# HELP m One "line"\nor \\two."#))
  }

  @Test(
    "numbers are written as they are read",
    arguments: [
      (0.25, "0.25"), (1e300, "1e+300"), (-0.0, "-0.0"), (.infinity, "+Inf"), (-.infinity, "-Inf"),
      (.nan, "NaN"), (1.0 / 3, "0.3333333333333333"),
    ])
  func numbers(value: Double, written: String) {
    var text = PrometheusText()
    text.add(.gauge, "m", help: "H.", value)
    #expect(String(decoding: text.bytes, as: UTF8.self).hasSuffix("\nm \(written)\n"))
  }

  @Test("without metrics there is no text")
  func none() {
    #expect(PrometheusText().bytes == [])
  }
}
