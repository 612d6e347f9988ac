import HTTP

enum CloudEventFormat: Hashable, Sendable {
    /// One event as an object.
    case structured
    /// An array of events.
    case batched
    /// Either, as its first character shows.
    case either
    /// The body is the data of one event, whose attributes are header fields.
    case binary
    /// One event a line, as many as the client likes.
    case lines

    init(of request: Request) throws(ProblemDocument) {
        guard let field = request.headers["content-type"] else {
            // Nothing but JSON is data here, and a client that knows none of it sends no type.
            if BinaryCloudEvent.isPresent(in: request.headers) {
                self = .binary
                return
            }
            throw CloudEventFormat.unsupported("there is no Content-Type")
        }
        switch field {
        // As nearly everybody writes them; taking a field apart costs more than reading an event.
        case "application/cloudevents+json": self = .structured
        case "application/cloudevents-batch+json": self = .batched
        default: self = try CloudEventFormat(field, request.headers)
        }
    }

    private init(_ field: String, _ headers: Headers) throws(ProblemDocument) {
        let media = MediaType(field)
        switch media.name {
        case "application/cloudevents+json": self = .structured
        case "application/cloudevents-batch+json": self = .batched
        case "application/x-ndjson", "application/ndjson": self = .lines
        case "application/json":
            self = BinaryCloudEvent.isPresent(in: headers) ? .binary : .either
        default: throw CloudEventFormat.unsupported("the Content-Type is none that carries events")
        }
        guard media.isUTF8 else {
            throw CloudEventFormat.unsupported("the charset is not utf-8")
        }
    }

    private static func unsupported(_ reason: String) -> ProblemDocument {
        ProblemDocument(
            .unsupportedMediaType,
            "The body cannot be read: \(reason). This path takes \(acceptPost).",
            headers: ["accept-post": acceptPost])
    }

    static let acceptPost =
        "application/cloudevents+json, application/cloudevents-batch+json, application/json, "
        + "application/x-ndjson, application/ndjson"
}
