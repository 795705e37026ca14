// SwiftNIO's own server of resumable uploads on a loopback port:
// `resumable-upload-server PORT FOLDER ORIGIN`.
//
// Each complete upload becomes a file of FOLDER, `1`, `2` and so on. The response is a 201 with its
// size; below `/status/` it has the status in the path. An upload that comes again under the same
// `Idempotency-Key` gets the same response and is not kept: the server forgets an upload's URL when
// the response was lost. ORIGIN is the beginning of the uploads' URLs; without ORIGIN they begin
// with their path.

import Glibc
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOPosix
import NIOResumableUpload
import Synchronization

/// An upload behind all of its requests: one request with one body.
final class UploadHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundOut = HTTPResponsePart

    private let store: ([UInt8], _ key: String?) -> Void
    private var path = ""
    private var key: String?
    private var body: [UInt8] = []

    init(store: @escaping ([UInt8], _ key: String?) -> Void) {
        self.store = store
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let request):
            path = request.path ?? ""
            key = HTTPField.Name("Idempotency-Key").flatMap { request.headerFields[$0] }
            body = []
        case .body(let bytes):
            body += bytes.readableBytesView
        case .end:
            store(body, key)
            answer(context)
        }
    }

    private func answer(_ context: ChannelHandlerContext) {
        let status = path.hasPrefix("/status/") ? Int(path.dropFirst(8)) ?? 500 : 201
        let text = "\(body.count)"
        var response = HTTPResponse(status: .init(code: status))
        response.headerFields[.contentLength] = "\(text.utf8.count)"
        context.write(wrapOutboundOut(.head(response)), promise: nil)
        context.write(wrapOutboundOut(.body(ByteBuffer(string: text))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}

/// Keeps a body in a folder under the next number; each name in the folder is that of a whole file.
func store(_ body: [UInt8], in folder: String) {
    var number = 1
    while access("\(folder)/\(number)", F_OK) == 0 { number += 1 }
    let hidden = "\(folder)/.\(number)"
    guard let file = fopen(hidden, "w"), fwrite(body, 1, body.count, file) == body.count,
        fclose(file) == 0, rename(hidden, "\(folder)/\(number)") == 0
    else { return perror(hidden) }
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let port = Int(arguments[1]) else { exit(2) }
let folder = arguments[2]
let uploads = HTTPResumableUploadContext(origin: arguments[3])

/// The keys of the uploads that are kept.
final class Keys: Sendable {
    private let known = Mutex<Set<String>>([])

    /// Whether an upload is the first one of its key.
    func isNew(_ key: String?) -> Bool {
        guard let key else { return true }
        return known.withLock { $0.insert(key).inserted }
    }
}

let keys = Keys()
// One thread: one upload is whole at a time.
let server = try ServerBootstrap(group: MultiThreadedEventLoopGroup(numberOfThreads: 1))
    .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
    .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.configureHTTPServerPipeline()
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
            try pipeline.addHandler(
                HTTPResumableUploadHandler(context: uploads) { channel in
                    let handler = UploadHandler { body, key in
                        if keys.isNew(key) { store(body, in: folder) }
                    }
                    try? channel.pipeline.syncOperations.addHandler(handler)
                }
            )
        }
    }
    .bind(host: "127.0.0.1", port: port)
    .wait()
print("ready")
fflush(nil)
try server.closeFuture.wait()
