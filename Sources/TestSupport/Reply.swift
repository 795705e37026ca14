/// A scripted server's reply to a request, as a list of steps.
///
/// The connection stays open after the last step unless a step ended it.
package struct Reply: Sendable {
    /// One step of a reply.
    package enum Step: Sendable {
        case send([UInt8])
        /// Sends the bytes repeatedly, with `Int.max` without end; stops when the peer leaves.
        case sendRepeatedly([UInt8], count: Int)
        /// Sends one byte per interval.
        case drip([UInt8], every: Duration)
        /// Continues when the test opens the gate; closes the connection if the peer leaves first.
        case wait(Gate)
        /// Continues when the peer has gone or has closed its sending side.
        case waitForPeerToLeave
        /// Tells the test that the reply reached this step.
        case open(Gate)
        /// Closes the connection (FIN).
        case close
        /// Resets the connection (RST).
        case reset
    }

    /// The steps in their order.
    package var steps: [Step]

    /// Creates a reply of steps.
    package init(_ steps: [Step]) {
        self.steps = steps
    }

    /// The reply followed by further steps.
    package static func + (left: Reply, right: [Step]) -> Reply {
        Reply(left.steps + right)
    }

    /// A complete response with its `Content-Length`.
    package static func status(
        _ status: Int,
        _ headers: [String] = [],
        body: [UInt8] = []
    ) -> Reply {
        Reply([.send(head(status, headers + ["Content-Length: \(body.count)"]) + body)])
    }

    /// A complete response with a text body.
    package static func status(_ status: Int, _ headers: [String] = [], text: String) -> Reply {
        Self.status(status, headers, body: Array(text.utf8))
    }

    /// 200 with a body.
    package static func ok(_ body: [UInt8], _ headers: [String] = []) -> Reply {
        status(200, headers, body: body)
    }

    /// 200 with text.
    package static func ok(_ text: String, _ headers: [String] = []) -> Reply {
        status(200, headers, text: text)
    }

    /// A redirect to `location`.
    package static func redirect(_ status: Int = 302, to location: String) -> Reply {
        Self.status(status, ["Location: \(location)"])
    }

    /// 503 with a `Retry-After` in seconds or with a date, as given.
    package static func unavailable(retryAfter: String? = nil) -> Reply {
        status(503, retryAfter.map { ["Retry-After: \($0)"] } ?? [])
    }

    /// Exactly these bytes, then the steps.
    package static func raw(_ text: String, then steps: [Step] = []) -> Reply {
        Reply([.send(Array(text.utf8))] + steps)
    }

    /// A 200 that announces the whole body, sends its first `count` bytes and continues with the
    /// steps.
    package static func cut(_ body: [UInt8], after count: Int, then steps: [Step]) -> Reply {
        let head = head(200, ["Content-Length: \(body.count)"])
        return Reply([.send(head + body.prefix(count))] + steps)
    }

    /// A chunked 200.
    package static func chunked(_ chunks: [[UInt8]], _ headers: [String] = []) -> Reply {
        var bytes = head(200, headers + ["Transfer-Encoding: chunked"])
        for chunk in chunks where !chunk.isEmpty {
            bytes += Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + [13, 10]
        }
        return Reply([.send(bytes + Array("0\r\n\r\n".utf8))])
    }

    /// Closes the connection after the request, without a response.
    package static let hangUp = Reply([.close])

    /// The bytes of a status line, the field lines and the empty line.
    package static func head(_ status: Int, _ headers: [String]) -> [UInt8] {
        let lines = ["HTTP/1.1 \(status) Scripted"] + headers + ["", ""]
        return Array(lines.joined(separator: "\r\n").utf8)
    }
}
