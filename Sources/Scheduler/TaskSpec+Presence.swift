import TransferModel

extension TaskSpec {
    /// Whether a file with the checksum fulfils the task.
    ///
    /// Not if the task expects more of the response than its size, captures from it, or sends a
    /// request that may change the server; a file that is to be kept always suffices.
    var isMetByFile: Bool {
        guard let destination, destination.checksum != nil,
            !destination.isFolder
        else { return false }
        switch destination.ifExists {
        case .fail: return false
        case .skip: return true
        case .replace, .revalidate:
            let wanted = expectation
            return request.method == "GET" && body == nil && wanted.captures.isEmpty
                && wanted.headers.isEmpty && wanted.mimeTypes.isEmpty && wanted.json == nil
                && wanted.textEncoding == nil
        }
    }
}
