import JSON

/// One type of event: what it is called and about, which fields it has, and how the stored form of
/// one becomes an event of its kind. A class, so that a fold does not copy its
/// fields for each event.
public final class EventSchema<Event: Sendable>: Sendable {
    /// The type with its versions and fields.
    public let eventType: EventType
    private let upcasts: [@Sendable (inout JSON) -> Void]
    @usableFromInline let read: @Sendable (inout EventData) throws -> Event
    @usableFromInline let newestVersion: Int

    /// The type's name.
    public var type: String { eventType.name }
    /// Fields of the newest version.
    public let fields: [EventField]

    /// - Parameters:
    ///   - type: written out: it is a format, not a name to be refactored.
    ///   - about: what it reports, in sentences; the reference of events has them.
    ///   - olderVersions: released schema versions before the newest; version 1 first.
    ///   - read: asks the data for each field of the newest version, and makes the event of them.
    public init(
        _ type: String, _ about: String, olderVersions: [OlderVersion] = [],
        _ read: @escaping @Sendable (inout EventData) throws -> Event
    ) {
        fields = EventData.fields { _ = try read(&$0) }
        eventType = EventType(
            name: type, about: about, versions: olderVersions.map(\.fields) + [fields],
            changes: olderVersions.map(\.about))
        newestVersion = eventType.newestVersion
        upcasts = olderVersions.map(\.upcast)
        self.read = read
    }

    /// Decodes the `data` of an event of any released version where they lie. Inlined, so that it
    /// is written out for each kind.
    /// - Throws: `EventRefusal` for another schema version or data that do not fit the fields.
    @inlinable public func event(
        schemaVersion: Int, data: UnsafeRawBufferPointer
    ) throws(EventRefusal) -> Event {
        if schemaVersion == newestVersion {
            var event: Event?
            EventData.plainly(fields, of: data.bindMemory(to: UInt8.self)) {
                event = try read(&$0)
            }
            if let event { return event }
        }
        return try event(schemaVersion, ofOdd: data)
    }

    /// Takes every form of JSON, and says what is wrong with data that do not fit.
    @usableFromInline func event(
        _ schemaVersion: Int, ofOdd data: UnsafeRawBufferPointer
    ) throws(EventRefusal) -> Event {
        guard 1...newestVersion ~= schemaVersion else { throw eventType.unknownVersion }
        guard
            var object = try? JSONParser.parse(
                Array(data), depthMax: Limits.dataDepthMax, isStrict: false),
            case .object = object
        else { throw noObject }
        try check(object, schemaVersion)
        if schemaVersion < newestVersion {
            for upcast in upcasts[(schemaVersion - 1)...] { upcast(&object) }
            try check(object, newestVersion)
        }
        var event: Event?
        EventData.read(fields, of: object) { event = try read(&$0) }
        guard let event else { throw notTaken }
        return event
    }

    private func check(_ object: JSON, _ schemaVersion: Int) throws(EventRefusal) {
        let refusals = eventType.refusals(schemaVersion: schemaVersion, isStored: true) {
            FieldValue(object[$0])
        }
        if let first = refusals.first { throw first }
    }

    private var noObject: EventRefusal {
        EventRefusal(
            .invalidData, pointer: "/data",
            detail: "must be a JSON object with the fields of \(type)")
    }

    /// No error in the data.
    private var notTaken: EventRefusal {
        EventRefusal(
            .invalidData, pointer: "/data",
            detail: "has fields that fit, and the kind did not take them: the schema of \(type) "
                + "must ask for all of them, always in one order, and throw nothing itself")
    }
}
