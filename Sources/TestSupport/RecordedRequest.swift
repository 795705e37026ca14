package import TransferModel

/// A request as a scripted server read it.
package struct RecordedRequest: Sendable, Hashable {
    package var method: String
    /// The request target as sent, such as `/orders?page=2`.
    package var target: String
    package var headers: HeaderFields
    /// The body without its transfer coding.
    package var body: [UInt8]
    /// The connection that it came on, from 1.
    package var connection: Int
    /// Its place among the requests of that connection, from 1.
    package var indexOnConnection: Int
    /// How many requests for this path came before, over all connections.
    package var earlierRequestsForPath: Int

    /// The target without its query.
    package var path: String {
        String(target.prefix { $0 != "?" })
    }

    /// The body as text.
    package var text: String {
        String(decoding: body, as: UTF8.self)
    }
}
