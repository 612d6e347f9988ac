public import Domain
public import Foundation

/// Every kind of activity that Islet knows. A new kind is one line here.
extension ActivityCatalog {
    /// The five kinds of this program.
    public static let standard = ActivityCatalog(kinds: [
        PizzaDeliveryKind.self,
        MatchKind.self,
        CoffeeDeliveryKind.self,
        BikeRideKind.self,
        AdventureKind.self,
    ])
}

/// The members of the standard catalogue, for those who have no other.
extension ActivityCatalog {
    /// The standard catalogue's kinds.
    public static var kinds: [any ActivityKind.Type] { standard.kinds }

    /// The newest of each kind, by name.
    public static var foldVersions: [String: Int] {
        Dictionary(uniqueKeysWithValues: kinds.map { ($0.name, $0.foldVersion) })
    }

    /// The standard catalogue's types of events.
    public static var eventTypes: [EventType] { standard.eventTypes }

    /// The kind with the stored name; nil when the catalogue has none.
    public static func kind(named name: String) -> (any ActivityKind.Type)? {
        standard.kind(named: name)
    }

    /// The kind that an event of this type belongs to; nil for an unknown type.
    public static func kind(ofEventType type: String) -> (any ActivityKind.Type)? {
        standard.kind(ofEventType: type)
    }

    /// The type of event with the name; nil when the catalogue has none.
    public static func eventType(named name: String) -> EventType? {
        standard.eventType(named: name)
    }

    /// The refusal of a type that the catalogue has not, with the near miss.
    public static func unknownType(_ name: String) -> EventRefusal { standard.unknownType(name) }

    /// Checks an event before it is recorded.
    public static func validate(
        type: String, schemaVersion: Int, data: Data
    ) throws(EventRefusal) {
        try standard.validate(type: type, schemaVersion: schemaVersion, data: data)
    }

    /// Folds one event into an activity.
    public static func fold(
        _ recorded: RecordedEvent, into snapshot: Snapshot?, under book: PolicyBook = .builtIn
    ) throws(FoldError) -> FoldedChange {
        try standard.fold(recorded, into: snapshot, under: book)
    }

    /// What a person sees of the state.
    public static func presentation(
        kind name: String, attributes: Data, contentState: Data
    ) throws(FoldError) -> Presentation {
        try standard.presentation(
            kind: name, attributes: attributes, contentState: contentState)
    }

    /// What a phone is alerted with when a push makes the card appear.
    public static func startAlert(
        of snapshot: Snapshot, under policy: Policy
    ) throws(FoldError) -> Alert {
        try standard.startAlert(of: snapshot, under: policy)
    }

    /// What a person sees of the snapshot.
    public static func presentation(of snapshot: Snapshot) throws(FoldError) -> Presentation {
        try standard.presentation(of: snapshot)
    }

    /// Where the activity stands in time.
    public static func lifetime(of snapshot: Snapshot) throws(FoldError) -> Lifetime {
        try standard.lifetime(of: snapshot)
    }

    /// What the clock brings about next; nil when nothing is left to come.
    public static func nextDue(_ snapshot: Snapshot) throws(FoldError) -> DueEvent? {
        try standard.nextDue(snapshot)
    }
}
