package import TransferModel

/// A request that a scripted server received.
package struct RecordedRequest: Sendable, Hashable {
    /// The method as sent.
    package var method: String
    /// The request target as sent, such as `/orders?page=2`.
    package var target: String
    /// The field lines as sent.
    package var headers: HeaderFields
    /// The body without its transfer coding.
    package var body: [UInt8]
    /// The number of its connection, from 1.
    package var connection: Int
    /// Its number on that connection, from 1.
    package var indexOnConnection: Int
    /// The number of earlier requests for this path on all connections.
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
