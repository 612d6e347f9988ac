/// One header field. `name` is lower case, as HTTP/2 requires and HTTP/1.1 allows.
public struct HeaderField: Hashable, Sendable {
    public var name: String
    public var value: String
}

/// Header fields in the order they arrived or will be sent; names are kept in lower case.
public struct Headers: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    public private(set) var fields: [HeaderField] = []

    public init() {}

    public init(dictionaryLiteral elements: (String, String)...) {
        // Code that begins with some fields mostly adds some more.
        fields.reserveCapacity(elements.count + 5)
        for (name, value) in elements { append(name, value) }
    }

    /// The first value of the field, or nil.
    public subscript(name: String) -> String? {
        let count = name.utf8.count
        for index in fields.indices
        // A request looks for a dozen fields that are hardly ever there.
        where fields[index].name.utf8.count == count && fields[index].name == name {
            return fields[index].value
        }
        return nil
    }

    public func values(of name: String) -> [String] {
        fields.filter { $0.name == name }.map(\.value)
    }

    /// - Parameter name: lower case already; the server's parsers see to that for requests.
    public mutating func append(_ name: String, _ value: String) {
        fields.append(HeaderField(name: name, value: value))
    }

    public func without(_ name: String) -> Headers {
        var others = self
        others.fields.removeAll { $0.name == name }
        return others
    }

    public mutating func reserveCapacity(_ count: Int) {
        fields.reserveCapacity(count)
    }
}

/// A request with its body in memory, whose size the servers have checked, or as a stream.
public struct Request: Sendable {
    public var method: String
    /// As on the request line, for example `/v1/activities/a%20b?limit=5`.
    public var target: String
    public var headers: Headers
    public var body: [UInt8]
    /// Instead of `body` when the server streams it.
    public var bodyStream: BodyStream?
    /// Which connection of the server it came in on; 0 for a request to be sent.
    public var connectionID: UInt64
    /// The client came by TLS, as a proxy to be trusted says.
    public var isSecure = false
    /// Who the server's admission found that it is from; nil when it was not asked.
    public var caller: (any AnyObject & Sendable)?

    public init(
        method: String, target: String, headers: Headers = [:], body: [UInt8] = [],
        connectionID: UInt64 = 0
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
        self.connectionID = connectionID
    }

    /// The target up to `?`, still percent-encoded.
    public var path: Substring { target[..<(questionMark ?? target.endIndex)] }

    /// The target after `?`, still percent-encoded; nil when there is none.
    public var query: Substring? {
        questionMark.map { target[target.utf8.index(after: $0)...] }
    }

    private var questionMark: String.Index? {
        // Each request is asked for it several times, and a string is slow to walk through.
        var target = target
        let place = target.withUTF8 { $0.firstIndex(of: UInt8(ascii: "?")) }
        return place.map { target.utf8.index(target.startIndex, offsetBy: $0) }
    }
}

/// A response whose body is either whole or a stream of chunks that ends when the stream ends.
public struct Response: Sendable {
    public enum Body: Sendable {
        case bytes([UInt8])
        case stream(AsyncStream<[UInt8]>)
    }

    public var status: Int
    public var headers: Headers
    public var body: Body
    /// Its body is in memory for others as well: it costs nothing while it waits for its client.
    public var isShared = false
    /// A refusal because of what one tenant does or goes through: whatever its status, the server
    /// does not fail.
    public var isOfTenant = false
    /// Of an event stream, which never ends by itself and whose readers come back: what it ends
    /// with when the server stops, a whole message of the stream's or nothing. Nil for any other
    /// body.
    public var closingBytes: [UInt8]?

    public init(status: Int, headers: Headers = [:], body: Body = .bytes([])) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// Answers one request. Runs on the connection's event loop: it must never block.
public typealias Handler = @Sendable (Request) async -> Response
