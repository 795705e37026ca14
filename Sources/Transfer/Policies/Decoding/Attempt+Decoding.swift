internal import CurlKit
internal import TransferModel

/// Bodies that are stored without their content coding.
extension Attempt {
    /// Looks at what the server has done to the body; false ends the transfer.
    func beginDecoding(_ head: ResponseHead) -> Bool {
        guard request.decodesBody, hop.method != "HEAD", !head.hasNoContent else { return true }
        do throws(BodyDecoding.Fault) {
            response.decoding = try BodyDecoding.make(head)
            return true
        } catch {
            // URLSession, too, leaves a coding that it does not know as it is; a stored file is to
            // be what the job says.
            guard request.isDownload else { return true }
            failDecoding(error, expected: BodyDecoding.acceptEncoding)
            return false
        }
    }

    /// Decodes a piece of the body and takes what comes of it; false ends the transfer.
    func decode(_ bytes: Span<UInt8>) -> Bool {
        guard let decoder = response.decoding?.decoder else { return false }
        response.decoding?.codedBytes += Int64(bytes.count)
        switch decoder.decode(bytes, { take($0) }) {
        case .decoded: return true
        case .refused: return false
        case .corrupt:
            let name = response.decoding?.name ?? ""
            failDecoding(.init(detail: "the \(name) body is corrupt"), expected: name)
            return false
        }
    }

    /// Judges the whole body: its coding first, then what is expected of it.
    func checkBody() {
        let hasNoContent = hop.method == "HEAD" || head?.hasNoContent == true
        if let fault = response.decoding?.faultAtEnd(mayBeEmpty: hasNoContent || isFramed) {
            failDecoding(fault, expected: response.decoding?.name ?? "")
        } else if let findings = response.bodyCheck?.end() {
            note(findings)
        }
    }

    /// The connection may be at fault: another try may meet a better one.
    private func failDecoding(_ fault: BodyDecoding.Fault, expected: String) {
        checks.append(
            TaskRecord.Check(.decoding, passed: false, expected: expected, actual: fault.detail)
        )
        failure = TransferFailure(
            kind: .protocolViolation,
            phase: .receive,
            detail: fault.detail
        )
        failure?.urlError = .cannotDecodeRawData
        failure?.help = "`decode: false` takes the body as it is sent"
    }
}
