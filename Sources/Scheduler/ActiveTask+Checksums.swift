internal import SystemKit
import Transfer
import TransferModel

/// The checksums that a task has to fetch before it requests its file.
extension ActiveTask {
    /// The list with the file's checksum, until the task has it.
    var missingChecksums: SumsFile? {
        guard checksums == nil, case .listed(let list)? = spec.destination?.checksum else {
            return nil
        }
        return list
    }

    /// The key of that list in `SumsFetches`; nil when the task needs no list.
    var checksumKey: SumsFetches.Key? {
        missingChecksums.map {
            SumsFetches.Key(session: spec.session, access: spec.access, url: $0.url.text)
        }
    }

    /// The request for the list, with those fields of the task that do not describe its file.
    func checksumRequest(_ list: SumsFile) -> AttemptRequest {
        var expectation = Expectation()
        expectation.maximumSize = ChecksumList.largestSize
        let fields = spec.request.directed(to: list.url).headers.filter { field in
            let name = field.name.lowercased()
            return name != "accept" && name != "range" && !name.hasBytePrefix("if-")
                && !name.hasBytePrefix("content-")
        }
        return AttemptRequest(
            key: spec.index,
            session: spec.session,
            number: number,
            request: RequestSpec(method: "GET", url: list.url, headers: fields),
            sink: .checksums,
            expectation: expectation,
            redirects: spec.redirects,
            timeoutInterval: spec.timeoutInterval,
            deadline: deadline,
            requiresFreshConnection: number > 1,
            resending: resending,
            resolvesAnew: failure?.isOfConnecting ?? false,
            reason: .checksums,
            access: spec.access,
            // No list is stored.
            cachePolicy: spec.cachePolicy == .returnCacheDataDontLoad ? spec.cachePolicy : nil
        )
    }
}
