extension HTTPFault {
  /// The request was not meant for this server, or under a name that anybody could have made.
  package static let foreignHost = HTTPFault(
    .forbidden, "foreignHost", "this server is not asked under the name in the Host header",
    hint: "use its address, or allow the name where the server is started")

  /// A page from elsewhere asked.
  package static let foreignPage = HTTPFault(
    .forbidden, "foreignPage", "pages from elsewhere are not answered",
    hint: "open the server's own page in a tab of its own")

  /// A token is required, and none came.
  package static let tokenMissing = HTTPFault(
    .unauthorized, "tokenMissing", "a bearer token is required",
    hint: "send it in the header Authorization: Bearer TOKEN",
    headers: [HTTPField("WWW-Authenticate", "Bearer")])

  /// The token that came is not the one.
  package static let tokenWrong = HTTPFault(
    .unauthorized, "tokenWrong", "the bearer token is not the one that is required",
    hint: "use the token that the server was started with",
    headers: [HTTPField("WWW-Authenticate", #"Bearer error="invalid_token""#)])
}
