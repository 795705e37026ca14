internal import TransferModel

// The consequences of a failure for the received part, the cache and the next attempt.
extension TransferFailure {
    /// Whether the attempt failed on the received bytes, so that a next one must not receive the
    /// same.
    package var isAboutContent: Bool {
        switch kind {
        case .integrity, .signature, .content, .mimeType, .tooLarge, .httpStatus,
            .protocolViolation:
            true
        default: false
        }
    }

    /// Whether the origin cannot be reached or does not answer (RFC 9111 §4.2.4).
    var isOfOrigin: Bool {
        switch kind {
        case .resolve, .connect, .timeout, .stalled, .reset, .protocolViolation: true
        default: false
        }
    }

    /// Whether the target of the request may be at fault, so that stored redirects to it are
    /// revalidated.
    var mayBeOfTarget: Bool {
        switch kind {
        case .cancelled, .condition, .localIO, .network, .power, .suspended, .engine, .cache: false
        default: true
        }
    }

    /// Whether a partial download cannot be used any more: it is not the wanted file, or the file
    /// is gone.
    var endsResuming: Bool {
        switch kind {
        case .integrity, .signature, .mimeType, .content, .tooLarge: true
        case .httpStatus: httpStatus == 404 || httpStatus == 410
        case .resolve, .connect, .tls, .network, .power, .suspended, .timeout, .stalled, .reset,
            .protocolViolation, .redirectLimit, .truncated, .rangeMismatch, .localIO, .cache,
            .cancelled, .condition, .engine:
            false
        }
    }

    /// Whether another attempt can resume the upload.
    var leavesUpload: Bool {
        switch kind {
        case .integrity, .signature, .mimeType, .content, .tooLarge, .redirectLimit, .rangeMismatch,
            .cache:
            false
        case .httpStatus, .resolve, .connect, .tls, .timeout, .stalled, .reset,
            .protocolViolation, .truncated, .localIO, .cancelled, .engine, .network, .power,
            .suspended, .condition:
            true
        }
    }
}
