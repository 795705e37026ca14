/// What a scripted server does with a request, as a list of steps.
///
/// The connection is kept open after the last step unless that step ended it.
package struct Reply: Sendable {
    package enum Step: Sendable {
        case send([UInt8])
        /// Sends the bytes again and again, `Int.max` for ever; ends early when the peer leaves.
        case sendRepeatedly([UInt8], count: Int)
        /// Sends one byte at a time at that interval.
        case drip([UInt8], every: Duration)
        /// Goes on when the test opens the gate; the connection is dropped when the peer leaves
        /// first.
        case wait(Gate)
        /// Goes on when the peer has gone or has closed its sending side.
        case waitForPeerToLeave
        /// Tells the test that this step is reached.
        case open(Gate)
        /// Ends the connection in order (FIN).
        case close
        /// Ends the connection with an error (RST).
        case reset
    }

    package var steps: [Step]

    package init(_ steps: [Step]) {
        self.steps = steps
    }

    /// The steps of both, one after the other.
    package static func + (left: Reply, right: [Step]) -> Reply {
        Reply(left.steps + right)
    }

    /// A whole response with its `Content-Length`.
    package static func status(
        _ status: Int,
        _ headers: [String] = [],
        body: [UInt8] = []
    ) -> Reply {
        Reply([.send(head(status, headers + ["Content-Length: \(body.count)"]) + body)])
    }

    /// A whole response whose body is text.
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

    /// 503 with a `Retry-After` of seconds or of a date, as written.
    package static func unavailable(retryAfter: String? = nil) -> Reply {
        status(503, retryAfter.map { ["Retry-After: \($0)"] } ?? [])
    }

    /// Exactly these bytes, then what follows.
    package static func raw(_ text: String, then steps: [Step] = []) -> Reply {
        Reply([.send(Array(text.utf8))] + steps)
    }

    /// A 200 that announces the whole body, sends its first `count` bytes and then does something
    /// else.
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

    /// No answer: the connection is closed as soon as the request is read.
    package static let hangUp = Reply([.close])

    /// The bytes of a status line, the given field lines and the empty line.
    package static func head(_ status: Int, _ headers: [String]) -> [UInt8] {
        let lines = ["HTTP/1.1 \(status) Scripted"] + headers + ["", ""]
        return Array(lines.joined(separator: "\r\n").utf8)
    }
}
