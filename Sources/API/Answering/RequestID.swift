import HTTP
import Synchronization

/// The id of a request: in its answer, in the log, and at a proxy that passed it on.
public enum RequestID {
    /// The id of the request that is being answered.
    @TaskLocal public static var current: String?

    static let field = "x-request-id"

    /// The client's own name for it, or a new one where there is none or it is no such name: what
    /// comes from outside goes into the log.
    static func of(_ request: Request) -> String {
        guard let given = request.headers[field], isName(given) else { return next() }
        return given
    }

    private static func isName(_ text: String) -> Bool {
        (1...Limits.requestIDBytesMax).contains(text.utf8.count) && text.utf8.allSatisfy(isLegal)
    }

    /// What identifiers of all sorts are made of: UUIDs, base64, paths of hosts.
    private static func isLegal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "-")...UInt8(ascii: ":"), UInt8(ascii: "+"), UInt8(ascii: "="),
            UInt8(ascii: "@"), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// Eight characters, so that a name of up to fifteen needs no memory of its own.
    private static let start = String(
        UInt64.random(in: 78_364_164_096..<2_821_109_907_456), radix: 36)
    private static let count = Atomic<UInt64>(0)

    /// One of no other request of any node.
    private static func next() -> String {
        start + "-" + String(count.wrappingAdd(1, ordering: .relaxed).newValue, radix: 36)
    }
}
