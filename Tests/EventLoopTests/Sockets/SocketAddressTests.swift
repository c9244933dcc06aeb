import Testing

@testable import EventLoop

@Suite("Socket address")
struct SocketAddressTests {
  @Test(
    "an address and a port are read as one types them",
    arguments: [
      ("127.0.0.1:8080", "127.0.0.1:8080"), ("localhost:1", "127.0.0.1:1"),
      ("8080", "127.0.0.1:8080"), ("0", "127.0.0.1:0"), ("[::1]:65535", "[::1]:65535"),
      ("0.0.0.0:80", "0.0.0.0:80"), ("[::]:80", "[::]:80"),
    ])
  func read(text: String, expected: String) throws {
    let address = try #require(SocketAddress(internet: text))
    #expect(address.description == expected)
    #expect(SocketAddress(internet: address.description) == address)
    #expect(address.storage != nil)
  }

  @Test(
    "anything else is none",
    arguments: [
      "", ":", ":80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1",
      "256.0.0.1:80", "127.1:80", "::1:80", "[::1]", "[::1:80", "[127.0.0.1]:80", "example.org:80",
      "127.0.0.1:80 ", "a:b", "127.0.0.1:8\u{663}", "[]:80",
    ])
  func refused(text: String) { #expect(SocketAddress(internet: text) == nil) }

  @Test(
    "it says whether other machines can reach it",
    arguments: [
      ("127.0.0.1:1", true), ("127.255.3.4:1", true), ("[::1]:1", true),
      ("[::ffff:127.0.0.1]:1", true), ("128.0.0.1:1", false), ("0.0.0.0:1", false),
      ("[::]:1", false), ("[::2]:1", false), ("[::ffff:10.0.0.1]:1", false),
    ])
  func loopback(text: String, expected: Bool) throws {
    #expect(try #require(SocketAddress(internet: text)).isLoopback == expected)
  }

  @Test("a path has a length that the system can express")
  func pathLength() {
    let longest = String(repeating: "x", count: SocketAddress.pathLimit)
    #expect(SocketAddress.local(path: longest).storage != nil)
    #expect(SocketAddress.local(path: longest + "x").storage == nil)
    #expect(SocketAddress.local(path: "").storage == nil)
    #expect(SocketAddress.local(path: "a\0b").storage == nil)
    #expect(SocketAddress.local(path: "a").isLoopback)
  }
}
