internal import SystemKit
internal import TransferModel

extension Attempt {
    /// Prepares the sink; false ends the transfer, because of a failure or a kept file whose body
    /// needs no check.
    func openSink(_ head: ResponseHead, expectedCount: Int64?) -> Bool {
        guard case .file(let wanted) = request.sink else {
            // The engine's threads do not handle examinations.
            if case .checksums = request.sink { response.sink.keep() }
            return true
        }
        do throws(TransferFailure) {
            let choice = try DestinationChoice.file(
                wanted,
                for: head,
                from: hop.url,
                request,
                context.claims,
                mayName: context.mayName
            )
            guard let file = choice else {
                response.isUnchanged = true
                return false
            }
            if file.ifExists == .revalidate, !request.decodesBody, caching?.isKept(file) == true {
                response.keepsFile = true
                // The body is read only for its checks.
                return response.bodyCheck?.looksAtBytes == true
            }
            response.destination = file
            do throws(SystemError) {
                return try open(file, head, expectedCount: expectedCount)
            } catch {
                throw TransferFailure(error, phase: .receive)
            }
        } catch {
            failure = error
            return false
        }
    }
}
