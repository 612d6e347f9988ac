public import Foundation

/// How the stored form of one event type becomes a case of its kind's `Event`.
public struct EventSchema<Event: Sendable>: Sendable {
    /// The type with its versions and fields.
    public let eventType: EventType
    /// One for each version but the newest: from version n to n + 1.
    private let upcasts: [@Sendable (inout [String: DataValue]) -> Void]
    private let decode: @Sendable (UnsafeRawBufferPointer) throws(EventRefusal) -> Event
    private let newestVersion: Int

    /// The type's name.
    public var type: String { eventType.name }
    /// Fields of the newest version.
    public var fields: [EventField] { eventType.versions[eventType.newestVersion - 1] }

    /// - Parameter event: wraps a payload into its case of the kind's `Event`.
    public init<Payload: EventPayload>(
        _ payload: Payload.Type, _ event: @escaping @Sendable (Payload) -> Event
    ) {
        eventType = EventType(
            name: payload.type, versions: payload.olderVersions.map(\.fields) + [payload.fields])
        newestVersion = eventType.newestVersion
        upcasts = payload.olderVersions.map(\.upcast)
        decode = { (data) throws(EventRefusal) in event(try Checked<Payload>.decode(data)) }
    }

    /// Decodes the `data` of an event of any released version.
    /// - Throws: `EventRefusal` for another schema version or data that do not fit the fields.
    public func event(schemaVersion: Int, data: Data) throws(EventRefusal) -> Event {
        try data.inPlace { (data) throws(EventRefusal) in
            try event(schemaVersion: schemaVersion, data: data)
        }
    }

    /// The same of data where they lie.
    public func event(
        schemaVersion: Int, data: UnsafeRawBufferPointer
    ) throws(EventRefusal) -> Event {
        guard schemaVersion >= 1, schemaVersion <= newestVersion else {
            throw eventType.unknownVersion
        }
        guard schemaVersion < newestVersion else { return try decode(data) }
        return try upcast(Data(data), from: schemaVersion).inPlace(decode)
    }

    private func upcast(_ data: Data, from schemaVersion: Int) throws(EventRefusal) -> Data {
        var members: [String: DataValue]
        do { members = try JSONDecoder().decode([String: DataValue].self, from: data) } catch {
            throw .noObject(of: type)
        }
        let refusals = eventType.refusals(schemaVersion: schemaVersion) { members[$0]?.field }
        if let first = refusals.first { throw first }
        for upcast in upcasts[(schemaVersion - 1)...] { upcast(&members) }
        return WireCoder.encode(members)
    }
}

/// Checks the fields and decodes the payload in one pass over the JSON.
private struct Checked<Payload: EventPayload>: Decodable {
    let payload: Payload

    init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: EventFieldKey.self)
        for field in Payload.fields {
            if let refusal = field.refusal(of: field.value(in: object)) { throw refusal }
        }
        payload = try Payload(from: decoder)
    }

    static func decode(_ data: UnsafeRawBufferPointer) throws(EventRefusal) -> Payload {
        if let payload = decodePlainly(data) { return payload }
        do { return try JSONDecoder().decode(Self.self, from: Data(data)).payload } catch {
            throw error as? EventRefusal ?? .noObject(of: Payload.type)
        }
    }
}

extension Checked {
    /// - Returns: nil when the data are not plain or not well; `JSONDecoder` then says which.
    private static func decodePlainly(_ data: UnsafeRawBufferPointer) -> Payload? {
        CheckedFields.with(Payload.fields, of: data.bindMemory(to: UInt8.self)) {
            try? Payload($0)
        }
    }
}

extension Data {
    fileprivate func inPlace<Result, Failure>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let result = withUnsafeBytes { bytes -> Swift.Result<Result, Failure> in
            do throws(Failure) { return .success(try body(bytes)) } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}

extension EventRefusal {
    fileprivate static func noObject(of type: String) -> EventRefusal {
        EventRefusal(
            .invalidData, pointer: "/data",
            detail: "must be a JSON object with the fields of \(type)")
    }
}
