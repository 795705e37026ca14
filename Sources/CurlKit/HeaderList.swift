internal import CCurl
internal import SystemKit

/// The request header lines for libcurl: a `curl_slist` that lives as long as this object.
@safe final class HeaderList {
    let lines: [String]
    let pointer: UnsafeMutablePointer<curl_slist>?

    init(_ lines: [String]) {
        self.lines = lines
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            // Without memory the list stays as it is: a missing line is better than a crash.
            if let longer = unsafe ccurl_slist_append(list, line) { unsafe list = longer }
        }
        unsafe pointer = list
    }

    /// Whether the list has these lines; cheap for the same array.
    func isMade(of others: [String]) -> Bool {
        let isSameArray = unsafe lines.withUnsafeBufferPointer { own in
            unsafe others.withUnsafeBufferPointer { unsafe own.baseAddress == $0.baseAddress }
        }
        return isSameArray && lines.count == others.count
            || lines.elementsEqual(others) { $0.hasSameBytes(as: $1) }
    }

    deinit { unsafe ccurl_slist_free_all(pointer) }
}
