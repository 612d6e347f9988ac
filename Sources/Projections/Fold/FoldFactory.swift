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

/// Makes the folds of one kind where that is known at compile time, so that the compiler writes
/// them out for it: generic code looks up what it works on, and takes twice as long.
public struct FoldFactory: Sendable {
    let makeStateFold: @Sendable (FoldStart) throws(FoldError) -> StateFold
    let makeAssessingFold:
        @Sendable (FoldStart, _ isTranslated: Bool) throws(FoldError) -> AssessingFold
}

extension ActivityKind {
    /// What makes the kind's folds, written out by the compiler.
    public static func foldFactory(_ kinds: [ByteKey: any ActivityKind.Type]) -> FoldFactory {
        let schemas = KindSchemas<Self>(kinds)
        return FoldFactory(
            makeStateFold: { (start) throws(FoldError) in
                StateFold(try TypedStateFold(start, schemas))
            },
            makeAssessingFold: { (start, isTranslated) throws(FoldError) in
                AssessingFold(
                    TypedAssessingFold(
                        try TypedStateFold(start, schemas), isTranslated: isTranslated))
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

/// What several closures work on.
final class Shared<Value> {
    // One closure after the other touches it, none while another does: what checks that at run
    // time would take a fiftieth of a fold.
    @exclusivity(unchecked) var value: Value

    init(_ value: Value) { self.value = value }
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
