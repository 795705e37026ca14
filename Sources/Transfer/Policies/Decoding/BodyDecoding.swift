internal import CurlKit
internal import SystemKit
internal import TransferModel

/// Stores a body without the content coding that the server chose.
final class BodyDecoding {
    /// The state after a step.
    enum Progress {
        /// All decoded bytes were taken.
        case taken
        /// No more of the body is wanted.
        case refused
        /// The body breaks its coding, or decodes to too much.
        case unusable(Findings)
    }

    /// The value of `Accept-Encoding`: the codings whose libraries are available, best known first.
    static let acceptEncoding = {
        let names: [(ContentDecoder.Coding, String)] = [
            (.gzip, "gzip"), (.brotli, "br"), (.zstd, "zstd"),
        ]
        let available = names.filter(\.0.isAvailable).map(\.1)
        return available.isEmpty ? "identity" : available.joined(separator: ", ")
    }()

    let decoder: ContentDecoder
    /// The coding's name as the server wrote it.
    let name: String
    /// The number of bytes of the coded body so far, without their transfer coding.
    var codedBytes: Int64 = 0
    /// The number of bytes that were decoded from them.
    var decodedBytes: Int64 = 0
    /// How libcurl has ended the exchange; the end waits until the body is decoded.
    var heldEnd: CurlCode?

    /// The decoded bytes after which other attempts have their turn.
    static let step = 4 << 20
    /// A body may decode to this many bytes, whatever its size.
    private static let largestSuspect: Int64 = 1 << 30
    /// A larger body may decode to this many times its size: real archives of zeros stay below.
    private static let largestRatio: Int64 = 50_000

    private init(_ decoder: ContentDecoder, name: String) {
        self.decoder = decoder
        self.name = name
    }

    /// Whether the decoder has more of the last piece to decode.
    var isUnfinished: Bool { decoder.isUnfinished }

    /// Whether the body decodes to more than any real content, to fill memory, disk or time.
    var isBomb: Bool {
        decodedBytes > Self.largestSuspect && decodedBytes / Self.largestRatio > codedBytes
    }

    /// The decoding of a body that arrives; nil when the body has no content coding.
    ///
    /// - Throws: A fault for several codings and for one that is not known.
    static func make(_ head: ResponseHead) throws(DecodingFault) -> BodyDecoding? {
        let names = head.fields.values(of: "content-encoding").flatMap { value in
            value.splitAtBytes(",", " ", "\t")
        }.filter { $0.lowercased() != "identity" }
        guard let name = names.first else { return nil }
        // Several codings would multiply the size to which a small body can expand.
        guard names.count == 1 else {
            throw DecodingFault(detail: "the body has more than one coding")
        }
        guard let coding = ContentDecoder.Coding(name: name), let decoder = ContentDecoder(coding)
        else {
            throw DecodingFault(detail: "the coding \(TextExcerpt.of(String(name))) is not known")
        }
        return BodyDecoding(decoder, name: String(name))
    }

    /// Decodes the rest of the earlier pieces and a piece.
    ///
    /// - Parameters:
    ///   - bytes: The piece of the coded body.
    ///   - limit: The step ends after so many decoded bytes; the rest follows in other steps.
    ///   - take: Takes decoded bytes; false when no more is wanted.
    /// - Returns: The state after the step.
    func decode(
        _ bytes: Span<UInt8>,
        atMost limit: Int,
        _ take: (Span<UInt8>) -> Bool
    ) -> Progress {
        codedBytes += Int64(bytes.count)
        let result = decoder.decode(bytes, atMost: limit) { piece in
            decodedBytes += Int64(piece.count)
            return !isBomb && take(piece)
        }
        switch result {
        case .decoded, .unfinished: return .taken
        case .refused: return isBomb ? .unusable(excess) : .refused
        case .corrupt: return .unusable(corruption)
        }
    }

    /// Reports a complete body that ends within its coding; nil for a decoded body.
    ///
    /// `mayBeEmpty` is true for a response without content, and for one whose framing shows its
    /// end.
    func findingsAtEnd(mayBeEmpty: Bool) -> Findings? {
        if decoder.hasEnded || (mayBeEmpty && codedBytes == 0) { return nil }
        return DecodingFault(detail: "the \(name) body ends early").findings(expected: name)
    }

    /// Reports a body that breaks its coding.
    var corruption: Findings {
        DecodingFault(detail: "the \(name) body is corrupt").findings(expected: name)
    }

    /// Reports a decompression bomb.
    private var excess: Findings {
        DecodingFault(
            detail: "the \(name) body is a decompression bomb: \(codedBytes) bytes decode to more "
                + "than \(decodedBytes)",
            isPermanent: true
        ).findings(expected: name)
    }
}

/// Why a body cannot be decoded.
struct DecodingFault: Error, Hashable {
    var detail: String

    /// Whether the server sends the body like this each time.
    var isPermanent = false

    /// Reports a body that cannot be decoded; another attempt may have a better connection.
    func findings(expected: String) -> Findings {
        var failure = TransferFailure(kind: .protocolViolation, phase: .receive, detail: detail)
        failure.urlError = .cannotDecodeRawData
        failure.isPermanent = isPermanent
        failure.help = "set `decode: false` to keep the body as the server sent it"
        var findings = Findings()
        let check = TaskRecord.Check(
            .decoding,
            passed: false,
            expected: expected,
            actual: detail
        )
        findings.fail(check, failure)
        return findings
    }
}
