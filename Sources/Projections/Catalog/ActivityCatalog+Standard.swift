public import Domain
public import Foundation

/// Every kind of activity that Islet knows. A new kind is one line here.
extension ActivityCatalog {
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
    public static var kinds: [any ActivityKind.Type] { standard.kinds }

    /// The newest of each kind, by name.
    public static var foldVersions: [String: Int] {
        Dictionary(uniqueKeysWithValues: kinds.map { ($0.name, $0.foldVersion) })
    }

    public static var eventTypes: [EventType] { standard.eventTypes }

    public static func kind(named name: String) -> (any ActivityKind.Type)? {
        standard.kind(named: name)
    }

    public static func kind(ofEventType type: String) -> (any ActivityKind.Type)? {
        standard.kind(ofEventType: type)
    }

    public static func eventType(named name: String) -> EventType? {
        standard.eventType(named: name)
    }

    public static func unknownType(_ name: String) -> EventRefusal { standard.unknownType(name) }

    public static func validate(
        type: String, schemaVersion: Int, data: Data
    ) throws(EventRefusal) {
        try standard.validate(type: type, schemaVersion: schemaVersion, data: data)
    }

    public static func fold(
        _ recorded: RecordedEvent, into snapshot: Snapshot?, under book: PolicyBook = .builtIn
    ) throws(FoldError) -> FoldedChange {
        try standard.fold(recorded, into: snapshot, under: book)
    }

    public static func presentation(
        kind name: String, attributes: Data, contentState: Data
    ) throws(FoldError) -> Presentation {
        try standard.presentation(
            kind: name, attributes: attributes, contentState: contentState)
    }

    public static func startAlert(
        of snapshot: Snapshot, under policy: Policy
    ) throws(FoldError) -> Alert {
        try standard.startAlert(of: snapshot, under: policy)
    }

    public static func presentation(of snapshot: Snapshot) throws(FoldError) -> Presentation {
        try standard.presentation(of: snapshot)
    }

    public static func lifetime(of snapshot: Snapshot) throws(FoldError) -> Lifetime {
        try standard.lifetime(of: snapshot)
    }

    public static func nextDue(_ snapshot: Snapshot) throws(FoldError) -> DueEvent? {
        try standard.nextDue(snapshot)
    }
}
