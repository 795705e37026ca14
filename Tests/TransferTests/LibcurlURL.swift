import CurlKit
import Glibc

/// The parts of a URL in libcurl's own reading (`curl_url` of libcurl-url(3)).
struct LibcurlURL: Equatable, CustomStringConvertible {
    var scheme: String
    /// As libcurl asks for it in `Host`, but in lower case and with the zone of an IPv6 address.
    var host: String
    var port: Int
    var path: String
    /// Empty also without a `?`.
    var query: String

    var description: String { "\(scheme)://\(host):\(port)\(path)?\(query)" }

    /// Takes parts that another parser has found.
    init(scheme: String, host: String, port: Int, path: String, query: String) {
        (self.scheme, self.host, self.port) = (scheme, host, port)
        (self.path, self.query) = (path, query)
    }

    /// Reads a URL as a transfer does; nil when libcurl refuses the URL.
    init?(_ text: String) throws {
        let library = try Library.shared.get()
        guard let handle = unsafe library.make() else { throw Library.LoadFailure() }
        defer { unsafe library.free(handle) }
        let flags = Library.allowAllSchemes | Library.pathAsIs
        guard unsafe library.set(handle, Library.url, text, flags) == 0 else { return nil }
        let part = { (number: UInt32, flags: UInt32) throws -> String? in
            var value: UnsafeMutablePointer<CChar>?
            guard unsafe library.get(handle, number, &value, flags) == 0, let value = unsafe value
            else { return nil }
            defer { unsafe library.freeText(value) }
            return unsafe String(cString: value)
        }
        guard let scheme = try part(Library.scheme, 0), var host = try part(Library.host, 0),
            let port = try part(Library.port, Library.defaultPort).flatMap({ Int($0) })
        else { return nil }
        if let zone = try part(Library.zone, 0) { host = "\(host.dropLast())%\(zone)]" }
        (self.scheme, self.host, self.port) = (scheme, host.lowercased(), port)
        path = try part(Library.path, 0) ?? "/"
        query = try part(Library.query, 0) ?? ""
    }

    /// libcurl's functions for URLs, of the library that the tests run with.
    @safe private struct Library: @unchecked Sendable {
        typealias Make = @convention(c) () -> OpaquePointer?
        typealias Free = @convention(c) (OpaquePointer?) -> Void
        typealias Set =
            @convention(c) (OpaquePointer?, UInt32, UnsafePointer<CChar>?, UInt32) -> UInt32
        typealias Get =
            @convention(c) (
                OpaquePointer?, UInt32, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, UInt32
            ) -> UInt32
        typealias FreeText = @convention(c) (UnsafeMutableRawPointer?) -> Void

        struct LoadFailure: Error {}

        // CURLUPart of <curl/urlapi.h>.
        static let url: UInt32 = 0
        static let scheme: UInt32 = 1
        static let host: UInt32 = 5
        static let port: UInt32 = 6
        static let path: UInt32 = 7
        static let query: UInt32 = 8
        static let zone: UInt32 = 10
        // CURLU_*.
        static let defaultPort: UInt32 = 1 << 0
        static let allowAllSchemes: UInt32 = 1 << 3
        static let pathAsIs: UInt32 = 1 << 4

        static let shared = Result { try Library() }

        let make: Make
        let free: Free
        let set: Set
        let get: Get
        let freeText: FreeText

        private init() throws {
            _ = try CurlLibrary.load()
            let library = unsafe dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL)
            func function<Function>(_ name: String, _: Function.Type) throws -> Function {
                guard let address = unsafe dlsym(library, name) else { throw LoadFailure() }
                return unsafe unsafeBitCast(address, to: Function.self)
            }
            unsafe make = try function("curl_url", Make.self)
            unsafe free = try function("curl_url_cleanup", Free.self)
            unsafe set = try function("curl_url_set", Set.self)
            unsafe get = try function("curl_url_get", Get.self)
            unsafe freeText = try function("curl_free", FreeText.self)
        }
    }
}
