import TransferModel

/// Replies with a part of a body.
extension Reply {
    /// 206 with the bytes between two positions, both included.
    ///
    /// `headers` precede the `Content-Range`, which can be replaced.
    package static func part(
        of body: [UInt8],
        from first: Int,
        to last: Int? = nil,
        _ headers: [String] = [],
        contentRange: String? = nil
    ) -> Reply {
        let last = last ?? body.count - 1
        let range = contentRange ?? "bytes \(first)-\(last)/\(body.count)"
        return status(
            206,
            headers + ["Content-Range: \(range)"],
            body: Array(body[first...last])
        )
    }

    /// The same reply, cut after the first `count` bytes of the body by the end of the connection.
    package func cut(after count: Int) -> Reply {
        guard case .send(let bytes)? = steps.first,
            let end = bytes.end(of: [13, 10, 13, 10])
        else { return self }
        return Reply([.send(Array(bytes.prefix(end + count))), .close])
    }
}

extension RecordedRequest {
    /// The position from which the request wants bytes; nil without a range.
    package var rangeStart: Int? {
        guard let range = headers["Range"], range.hasPrefix("bytes="), range.hasSuffix("-") else {
            return nil
        }
        return Int(range.dropFirst(6).dropLast())
    }

    /// The positions of the first and the last byte that the request wants; nil unless it names
    /// both.
    package var byteRange: ClosedRange<Int>? {
        guard let range = headers["Range"], range.hasPrefix("bytes=") else { return nil }
        let ends = range.dropFirst(6).split(separator: "-").compactMap { Int($0) }
        return ends.count == 2 && ends[0] <= ends[1] ? ends[0]...ends[1] : nil
    }
}
