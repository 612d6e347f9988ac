public import Domain
import Foundation

/// What a fold begins with.
public enum FoldStart {
    /// An activity before its first event, which is then folded as every other.
    case first(BorrowedEvent)
    /// Goes on where a snapshot was written.
    case stored(Snapshot)

    /// - Parameter snapshot: nil for an activity before its first event.
    public init(_ snapshot: Snapshot?, before event: BorrowedEvent) {
        self = snapshot.map(FoldStart.stored) ?? .first(event)
    }
}

/// Makes the folds of one kind.
///
/// Generic code looks up at run time what it works on, and takes twice as long, unless the compiler
/// writes it out for a kind. It does so for `foldFactory`, a requirement of `ActivityKind`, and for
/// the typed folds and the closures that are made there. So `StateFold` and `AssessingFold` call
/// those closures: through a protocol they would get the code that is for all kinds.
public struct FoldFactory: Sendable {
    /// The kind's name.
    let kind: String
    /// What the kind is judged by as long as a tenant says nothing.
    let builtInPolicy: Policy
    let makeStateFold: @Sendable (FoldStart) throws(FoldError) -> StateFold.Calls
    let makeAssessingFold:
        @Sendable (FoldStart, _ isTranslated: Bool) throws(FoldError) -> AssessingFold.Calls
}

extension ActivityKind {
    /// What makes the kind's folds, written out by the compiler.
    public static func foldFactory(_ kinds: [ByteKey: any ActivityKind.Type]) -> FoldFactory {
        let schemas = KindSchemas<Self>(kinds)
        return FoldFactory(
            kind: name, builtInPolicy: schemas.builtInPolicy,
            makeStateFold: { (start) throws(FoldError) in
                try TypedStateFold(start, schemas).calls
            },
            makeAssessingFold: { (start, isTranslated) throws(FoldError) in
                TypedAssessingFold(
                    try TypedStateFold(start, schemas), isTranslated: isTranslated
                ).calls
            })
    }
}

extension ActivityCatalog {
    /// What makes the folds of the activity's kind.
    func foldFactory(_ start: FoldStart) throws(FoldError) -> FoldFactory {
        let (name, asked): (String?, String) =
            switch start {
            case .first(let event): (kind(ofEventType: event.typeName)?.name, event.typeName)
            case .stored(let snapshot): (snapshot.kind, snapshot.kind)
            }
        guard let factory = name.flatMap({ foldFactories[ByteKey($0)] }) else {
            throw .unknownKind(asked)
        }
        return factory
    }
}

/// A kind with its schemas where they are quickly found.
final class KindSchemas<Kind: ActivityKind>: Sendable {
    private enum Schema: Sendable {
        case kind(EventSchema<Kind.Event>)
        case clock(EventSchema<ActivityClock.Event>)
    }

    enum Event {
        case report(Kind.Event)
        case clock(ActivityClock.Event)
    }

    private let schemas: TypeTable<Schema>
    /// Made once: each event of a tenant who has said nothing is judged by it.
    let builtInPolicy = Kind.builtInPolicy
    /// By every type of event that sources may report.
    private let kinds: [ByteKey: any ActivityKind.Type]

    init(_ kinds: [ByteKey: any ActivityKind.Type]) {
        self.kinds = kinds
        schemas = TypeTable(
            Kind.schemas.map { ($0.type, .kind($0)) }
                + ActivityClock.schemas.map { ($0.type, .clock($0)) })
    }

    func event(_ event: BorrowedEvent) throws(FoldError) -> Event {
        switch schemas[event.type] {
        case .kind(let schema)?: return .report(try schema.event(event))
        case .clock(let schema)?: return .clock(try schema.event(event))
        case nil:
            let type = event.typeName
            guard let other = kinds[ByteKey(type)] else { throw .unknownKind(type) }
            throw .kindMismatch(expected: Kind.name, found: other.name)
        }
    }
}

extension EventSchema {
    /// An event of its type.
    fileprivate func event(_ event: BorrowedEvent) throws(FoldError) -> Event {
        do throws(EventRefusal) {
            return try self.event(schemaVersion: event.schemaVersion, data: event.data)
        } catch { throw .refused(error) }
    }
}
