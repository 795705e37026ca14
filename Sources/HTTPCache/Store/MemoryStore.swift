package import SystemKit
package import TransferModel

/// Responses that live as long as the run.
package final class MemoryStore: CacheStore {
    /// The responses of one URL.
    private struct Entry {
        var responses: [StoredResponse]
        /// The number of its last use, in a count of all uses.
        var lastUse: Int
    }

    private struct State {
        var entries: [CacheKey: Entry] = [:]
        /// By body name.
        var bodies: [String: [UInt8]] = [:]
        var size: Int64 = 0
        var uses = 0
        var names = 0
    }

    /// The size of a response without its body, bytes.
    private static let overhead: Int64 = 1 << 10

    /// Larger bodies are not kept, bytes: a twentieth of the capacity.
    package let largestBody: Int64
    /// Always nil: memory does not fail.
    package var fault: String? { nil }
    private let capacity: Int64
    private let state = Lock(State())
    /// The changes by unsafe requests of this run.
    package let changes = OriginChanges()

    /// - Parameter capacity: Bytes.
    package init(capacity: Int64) {
        self.capacity = capacity
        largestBody = capacity / URLCacheConfiguration.largestPart
    }

    /// The size of all responses, bytes.
    package var size: Int64 { state.withLock { $0.size } }

    /// Whether no response is stored.
    package var isEmpty: Bool { state.withLock { $0.entries.isEmpty } }

    /// The responses under a key; notes their use.
    package func find(_ key: CacheKey) -> [StoredResponse] {
        state.withLock { state in
            guard let responses = state.entries[key]?.responses else { return [] }
            state.uses += 1
            state.entries[key]?.lastUse = state.uses
            return responses
        }
    }

    /// The body's bytes; nil when the response was removed to make room.
    package func open(_ body: StoredResponse.Body) -> StoredBody? {
        if body.length == 0 { return .memory([]) }
        return state.withLock { $0.bodies[body.name] }.map { .memory($0) }
    }

    /// No limit: every body stays in memory.
    package var largestInMemory: Int { .max }

    /// Always nil: bodies never need a file.
    package func makeFile(
        for response: StoredResponse,
        _ key: CacheKey
    ) -> (file: OutputFile, name: String)? { nil }

    /// Does nothing: the store has no files.
    package func didFail(_ error: SystemError) {}

    /// Stores the response and removes the least recently used ones beyond the capacity.
    package func add(
        _ response: StoredResponse,
        _ content: ReceivedBody,
        for key: CacheKey,
        of originTime: Timestamp
    ) -> Bool {
        guard case .memory(let bytes) = content else { return false }
        return state.withLock { state in
            if changes.haveTouched(key, since: originTime) { return false }
            state.names += 1
            state.uses += 1
            var response = response
            if !bytes.isEmpty {
                response.body.name = String(state.names)
                state.bodies[response.body.name] = bytes
            }
            var entry = state.entries[key] ?? Entry(responses: [], lastUse: 0)
            entry.lastUse = state.uses
            for old in entry.responses where old.selection == response.selection {
                Self.forget(old, in: &state)
            }
            entry.responses.removeAll { $0.selection == response.selection }
            entry.responses.append(response)
            state.size += Self.size(of: response)
            state.entries[key] = entry
            makeRoom(in: &state)
            return true
        }
    }

    /// Replaces the head of a response that is still stored.
    package func update(_ response: StoredResponse, for key: CacheKey) -> Bool {
        state.withLock { state in
            guard
                let index = state.entries[key]?.responses.firstIndex(where: {
                    $0.selection == response.selection && $0.body == response.body
                }),
                !changes.haveTouched(key, since: response.requestTime)
            else { return false }
            let growth =
                response.fields.lines.count
                - (state.entries[key]?.responses[index].fields.lines.count ?? 0)
            state.entries[key]?.responses[index] = response
            state.size += Int64(growth)
            makeRoom(in: &state)
            return true
        }
    }

    /// Removes all responses under a key.
    package func remove(_ key: CacheKey) {
        state.withLock { Self.remove(key, in: &$0) }
    }

    /// Does nothing: the store has no background work.
    package func close() {}

    /// Above capacity, removes useless responses first, then the least recently used.
    private func makeRoom(in state: inout State) {
        guard state.size > capacity else { return }
        let now = Clock.wallNanoseconds() / 1_000_000_000
        let ranks = state.entries.map { key, entry in
            let isUseless = entry.responses.allSatisfy { $0.uselessFrom.map { $0 <= now } ?? false }
            return (isUseless ? 0 : 1, entry.lastUse, key)
        }
        for (_, _, key) in ranks.sorted(by: { ($0.0, $0.1) < ($1.0, $1.1) })
        where state.size > capacity / 10 * 9 {
            Self.remove(key, in: &state)
        }
    }

    private static func remove(_ key: CacheKey, in state: inout State) {
        guard let entry = state.entries.removeValue(forKey: key) else { return }
        for response in entry.responses { forget(response, in: &state) }
    }

    private static func forget(_ response: StoredResponse, in state: inout State) {
        state.size -= size(of: response)
        state.bodies[response.body.name] = nil
    }

    private static func size(of response: StoredResponse) -> Int64 {
        let body = response.body.name.isEmpty ? 0 : response.body.length
        return body + Int64(response.fields.lines.count) + overhead
    }
}
