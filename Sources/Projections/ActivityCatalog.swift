public import Domain
public import Foundation

/// Why a recorded event could not be folded. Its activity is marked faulted; others go on.
public enum FoldError: Error, Hashable, Sendable {
    case refused(EventRefusal)
    /// The stored event belongs to another kind than the activity it names.
    case kindMismatch(expected: String, found: String)
    case unknownKind(String)
    /// A stored JSON member does not decode into its type.
    case undecodable(member: String, kind: String)
}

/// What folding one event into an activity gives.
public struct FoldedChange: Hashable, Sendable {
    public var snapshot: Snapshot
    /// True when the encoded content state differs from the one before.
    public var isVisible: Bool
    public var assessment: Assessment

    public init(snapshot: Snapshot, isVisible: Bool, assessment: Assessment) {
        self.snapshot = snapshot
        self.isVisible = isVisible
        self.assessment = assessment
    }
}

/// Every kind of activity that Islet knows. A new kind is one line here.
public enum ActivityCatalog {
    public static let kinds: [any ActivityKind.Type] = [PizzaDeliveryKind.self, MatchKind.self]

    public static func kind(named name: String) -> (any ActivityKind.Type)? {
        kinds.first { $0.name == name }
    }

    public static func kind(ofEventType type: String) -> (any ActivityKind.Type)? {
        kindsByEventType[type]
    }

    private static let kindsByEventType: [String: any ActivityKind.Type] = {
        var table: [String: any ActivityKind.Type] = [:]
        for kind in kinds { for type in kind.eventTypes { table[type] = kind } }
        return table
    }()

    /// Decodes an event as a fold would.
    /// - Throws: `EventRefusal` when the type is unknown or the data do not fit its schema.
    public static func validate(
        type: String, schemaVersion: Int, data: Data
    ) throws(EventRefusal) {
        guard let kind = kind(ofEventType: type) else { throw unknownType(type) }
        func decode<K: ActivityKind>(_ kind: K.Type) throws(EventRefusal) {
            _ = try kind.event(type: type, schemaVersion: schemaVersion, data: data)
        }
        try decode(kind)
    }

    /// Every type of event, in the order of the kinds and of an activity's usual course.
    public static let eventTypes: [EventType] = kinds.flatMap { $0.describedEventTypes }

    public static func eventType(named name: String) -> EventType? { eventTypesByName[name] }

    private static let eventTypesByName = Dictionary(
        uniqueKeysWithValues: eventTypes.map { ($0.name, $0) })

    /// Why an event of this type is refused: no kind has it. Names what was probably meant.
    public static func unknownType(_ name: String) -> EventRefusal {
        let close = typesResembling(name).map { "`\($0)`" }.joined(separator: ", ")
        return EventRefusal(
            .unknownType, pointer: "/type",
            detail: "no activity kind has events of this type"
                + (close.isEmpty ? "; GET /v1/schemas lists them" : "; the closest: \(close)"))
    }

    /// The closest by the whole name, else by what comes after the last dot.
    private static func typesResembling(_ name: String) -> [String] {
        // A name out of all proportion resembles nothing, and comparing it would take long.
        guard name.utf8.count <= 2 * Limits.eventTypeBytesMax else { return [] }
        let types = eventTypes.map(\.name)
        let whole = Similarity.nearest(to: name, among: types)
        guard whole.isEmpty else { return whole }
        func ending(_ name: String) -> String {
            name.split(separator: ".").last.map(String.init) ?? name
        }
        let endings = Similarity.nearest(to: ending(name), among: types.map(ending))
        return types.filter { endings.contains(ending($0)) }
    }

    /// Folds the next event of an activity's stream. Pure: equal inputs give equal bytes.
    /// - Parameter snapshot: the activity before the event; nil for its first event.
    public static func fold(
        _ recorded: RecordedEvent, into snapshot: Snapshot?
    ) throws(FoldError) -> FoldedChange {
        guard let kind = kind(ofEventType: recorded.event.type) else {
            throw .unknownKind(recorded.event.type)
        }
        if let snapshot, snapshot.kind != kind.name {
            throw .kindMismatch(expected: snapshot.kind, found: kind.name)
        }
        return try fold(kind, recorded, into: snapshot)
    }

    /// What a person sees for the given wire forms, decoded as the phone would.
    public static func presentation(
        kind name: String, attributes: Data, contentState: Data
    ) throws(FoldError) -> Presentation {
        guard let kind = kind(named: name) else { throw .unknownKind(name) }
        func present<K: ActivityKind>(_ kind: K.Type) throws(FoldError) -> Presentation {
            kind.presentation(
                attributes: try decode(K.Attributes.self, attributes, "attributes", kind.name),
                contentState: try decode(
                    K.ContentState.self, contentState, "content-state", kind.name))
        }
        return try present(kind)
    }

    private static func fold<K: ActivityKind>(
        _ kind: K.Type, _ recorded: RecordedEvent, into snapshot: Snapshot?
    ) throws(FoldError) -> FoldedChange {
        let event: K.Event
        do {
            event = try kind.event(
                type: recorded.event.type, schemaVersion: recorded.event.schemaVersion,
                data: recorded.event.data)
        } catch { throw .refused(error) }
        var before = kind.initial
        if let snapshot { before = try decode(K.State.self, snapshot.state, "state", kind.name) }
        var after = before
        kind.evolve(&after, with: event, occurredAt: recorded.event.occurredAt)
        let contentState = WireCoder.encode(kind.contentState(of: after))
        let isVisible = contentState != snapshot?.contentState
        let folded = Snapshot(
            activityID: recorded.event.activityID, kind: kind.name, version: recorded.version,
            position: recorded.position, phase: kind.phase(of: after),
            state: WireCoder.encode(after),
            attributes: WireCoder.encode(kind.attributes(of: after)),
            contentState: contentState, updatedAt: recorded.recordedAt,
            dispatch: snapshot?.dispatch ?? Data("{}".utf8))
        let assessment = kind.assess(
            Change(
                before: before, after: after, event: event, occurredAt: recorded.event.occurredAt,
                recordedAt: recorded.recordedAt, isVisible: isVisible))
        return FoldedChange(snapshot: folded, isVisible: isVisible, assessment: assessment)
    }

    private static func decode<T: Decodable>(
        _ type: T.Type, _ data: Data, _ member: String, _ kind: String
    ) throws(FoldError) -> T {
        do { return try WireCoder.decode(type, from: data) } catch {
            throw .undecodable(member: member, kind: kind)
        }
    }
}
