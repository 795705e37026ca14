import Transfer
import TransferModel

/// Checksums that a task has to fetch before it asks for its file.
extension ActiveTask {
    /// The list that the file's checksum stands in, until it is there.
    var missingChecksums: SumsFile? {
        guard checksums == nil, case .listed(let list)? = spec.destination?.checksum else {
            return nil
        }
        return list
    }

    /// How the list is known among those of the run; nil when the task needs none any more.
    var checksumKey: SumsFetches.Key? {
        missingChecksums.map {
            SumsFetches.Key(session: spec.session, access: spec.access, url: $0.url.text)
        }
    }

    /// The request for the list, with the fields of the task's own that are not about its file.
    func checksumRequest(_ list: SumsFile) -> AttemptRequest {
        var expectation = Expectation()
        expectation.maximumSize = ChecksumList.largestSize
        let fields = spec.request.directed(to: list.url).headers.filter { field in
            let name = field.name.lowercased()
            return name != "accept" && name != "range" && !name.hasPrefix("if-")
                && !name.hasPrefix("content-")
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
            // Of which there is none of a list.
            cachePolicy: spec.cachePolicy == .returnCacheDataDontLoad ? spec.cachePolicy : nil
        )
    }
}
