public import Foundation

/// How the stored form of one event type becomes a case of its kind's `Event`.
public struct EventSchema<Event: Sendable>: Sendable {
    /// The one released version of every type so far.
    public static var newestVersion: Int { 1 }

    public let type: String
    public let fields: [EventField]
    private let decode: @Sendable (Data) throws(EventRefusal) -> Event
    private let accepts: @Sendable (any Decoder) -> Bool

    init<Payload: EventPayload>(
        _ payload: Payload.Type, _ event: @escaping @Sendable (Payload) -> Event
    ) {
        type = payload.type
        fields = payload.fields
        decode = { (data) throws(EventRefusal) in event(try Checked<Payload>.decode(data)) }
        accepts = { decoder in (try? Checked<Payload>(from: decoder)) != nil }
    }

    /// Whether data that somebody has parsed already fit the fields: quicker than `event`, which
    /// alone can say what is wrong.
    public func accepts(schemaVersion: Int, _ data: any Decoder) -> Bool {
        schemaVersion == Self.newestVersion && accepts(data)
    }

    /// - Throws: `EventRefusal` for another schema version or data that do not fit the fields.
    public func event(schemaVersion: Int, data: Data) throws(EventRefusal) -> Event {
        guard schemaVersion == Self.newestVersion else {
            throw EventRefusal(
                .unknownSchemaVersion, pointer: "/schemaversion",
                detail: "\(type) has schema version \(Self.newestVersion) only; send or omit it")
        }
        return try decode(data)
    }
}

/// Checks the fields and decodes the payload in one pass over the JSON.
private struct Checked<Payload: EventPayload>: Decodable {
    let payload: Payload

    init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: EventFieldKey.self)
        for field in Payload.fields { try field.check(in: object) }
        payload = try Payload(from: decoder)
    }

    static func decode(_ data: Data) throws(EventRefusal) -> Payload {
        do { return try JSONDecoder().decode(Self.self, from: data).payload } catch {
            throw error as? EventRefusal
                ?? EventRefusal(
                    .invalidData, pointer: "/data",
                    detail: "must be a JSON object with the fields of \(Payload.type)")
        }
    }
}
