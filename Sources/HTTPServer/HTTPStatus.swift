/// The three digits of an answer.
package struct HTTPStatus: RawRepresentable, Hashable, Sendable {
  /// The number, from 200 to 599.
  package let rawValue: UInt32

  /// Makes a status of its number.
  ///
  /// - Parameter rawValue: The number.
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let ok = HTTPStatus(rawValue: 200)
  package static let badRequest = HTTPStatus(rawValue: 400)
  package static let unauthorized = HTTPStatus(rawValue: 401)
  package static let forbidden = HTTPStatus(rawValue: 403)
  package static let notFound = HTTPStatus(rawValue: 404)
  package static let methodNotAllowed = HTTPStatus(rawValue: 405)
  package static let gone = HTTPStatus(rawValue: 410)
  package static let contentTooLarge = HTTPStatus(rawValue: 413)
  package static let internalError = HTTPStatus(rawValue: 500)
  package static let unavailable = HTTPStatus(rawValue: 503)
}
