internal import CPSL

/// The Public Suffix List (https://publicsuffix.org), as libpsl has it: under which names anybody
/// can register others.
package enum PublicSuffixList {
    /// The library's name, for messages.
    package static let library = "libpsl.so.5"

    /// Whether anybody can register names below this one: `com` and `co.uk` are such, `example.com`
    /// is not.
    ///
    /// A name of one label that is on no list is one too (the list's rule `*`). Loads libpsl.
    ///
    /// - Parameter name: A host name in lower case without a dot at its end.
    /// - Returns: Nil without libpsl.
    package static func isPublicSuffix(_ name: String) -> Bool? {
        switch unsafe cpsl_is_public_suffix(name) {
        case 1: true
        case 0: false
        default: nil
        }
    }
}
