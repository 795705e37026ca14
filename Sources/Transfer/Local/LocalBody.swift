internal import HTTPCache
internal import SystemKit
internal import TransferModel

/// The response to a URL without a server, and how much of its body was read.
///
/// Its head follows the Fetch standard: status 200 and the `Content-Type` of the content.
struct LocalBody {
    /// The bytes that one turn of the engine's thread reads.
    private static let step: Int64 = 1 << 20

    let head: ResponseHead
    let length: Int64
    private let content: StoredBody
    private var offset: Int64 = 0

    /// Whether all of it was read.
    var isAtEnd: Bool { offset == length }

    /// Opens the content of a local URL; a file must be below one of the folders.
    init(_ url: TransferURL, below folders: [String]) throws(TransferFailure) {
        if let data = try? DataURL(url.text) {
            content = .memory(data.bytes)
            length = Int64(data.bytes.count)
            head = Self.head("Content-Type", data.mediaType)
        } else if let file = try? FileURL(url.text) {
            let opened = try Self.open(file, below: folders)
            content = .file(opened)
            length = opened.identity.size
            head = Self.head("Content-Length", String(length))
        } else {
            throw ExchangeStage.unsent(.localIO, .badURL, "the URL is not valid")
        }
    }

    private static func head(_ name: String, _ value: String) -> ResponseHead {
        let field = HeaderField(name: name, value: value)
        return ResponseHead(statusCode: 200, fields: HeaderFields([field]))
    }

    private static func open(
        _ file: FileURL,
        below folders: [String]
    ) throws(TransferFailure) -> InputFile {
        for folder in folders {
            guard let path = file.path(below: folder) else { continue }
            do throws(SystemError) {
                return try InputFile(path: path, beneath: folder)
            } catch  where error.leadsOut {
                throw outside(file)
            } catch {
                var failure = TransferFailure(error, phase: .prepare)
                failure.urlError = error.isMissing ? .fileDoesNotExist : .resourceUnavailable
                failure.isPermanent = true
                throw failure
            }
        }
        throw outside(file)
    }

    private static func outside(_ file: FileURL) -> TransferFailure {
        let reason = "it leads out of the folders that the session allows"
        let error = SystemError.notPermitted("read", file.path, reason: reason)
        var failure = TransferFailure(error, phase: .prepare)
        failure.urlError = .resourceUnavailable
        failure.isKnownUnprocessed = true
        failure.help = "add its folder to `allowsReadAccessTo`"
        return failure
    }

    /// Passes on the next piece; false when no more is wanted.
    mutating func readStep(_ take: (Span<UInt8>) -> Bool) throws(TransferFailure) -> Bool {
        let count = min(Self.step, length - offset)
        do throws(SystemError) {
            guard try content.forEachPiece(from: offset, count: count, take) else { return false }
        } catch {
            var failure = TransferFailure(error, phase: .receive)
            failure.urlError = .resourceUnavailable
            throw failure
        }
        offset += count
        if isAtEnd, case .file(let file) = content, !file.isUnchanged {
            var failure = TransferFailure(
                kind: .localIO,
                phase: .receive,
                detail: "the file changed while it was read"
            )
            failure.urlError = .resourceUnavailable
            throw failure
        }
        return true
    }
}
