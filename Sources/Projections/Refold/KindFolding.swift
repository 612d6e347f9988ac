import Domain
import Foundation

/// The folds of one kind, made where that is known at compile time, so that the compiler writes
/// them out for it: generic code looks up what it works on, and takes twice as long.
public struct KindFolding: Sendable {
    /// Folds a report.
    let fold:
        @Sendable (
            _ recorded: RecordedEvent, _ into: Snapshot?, _ under: Policy
        ) throws(FoldError) -> FoldedChange
    /// Folds an event of the clock.
    let tick:
        @Sendable (
            _ recorded: RecordedEvent, _ schema: EventSchema<ActivityClock.Event>,
            _ into: Snapshot, _ under: Policy
        ) throws(FoldError) -> FoldedChange
    /// A refold from an activity's first event on.
    let begin:
        @Sendable (
            _ first: EventInPlace, _ under: PolicyBook
        ) throws(FoldError) -> RefoldedActivity
    /// A course from an activity's first event on.
    let set:
        @Sendable (
            _ first: EventInPlace, _ under: PolicyBook, _ trying: PolicyBook?,
            _ isTranslated: Bool
        ) throws(FoldError) -> (course: CourseOfActivity, first: CourseChanges)
    /// A refold that goes on from a snapshot.
    let resume: @Sendable (_ snapshot: Snapshot) throws(FoldError) -> RefoldedActivity
}

extension ActivityKind {
    /// The kind's folds, written out by the compiler.
    public static func folding(kindNames: [String: String]) -> KindFolding {
        let refolding = TypedRefolding(Self.self, kindNames: kindNames)
        return KindFolding(
            fold: { (recorded, snapshot, policy) throws(FoldError) in
                try ActivityCatalog.fold(Self.self, recorded, into: snapshot, under: policy)
            },
            tick: { (recorded, schema, snapshot, policy) throws(FoldError) in
                try ActivityCatalog.tick(
                    Self.self, recorded, schema, into: snapshot, under: policy)
            },
            begin: { (first, book) throws(FoldError) in
                RefoldedActivity(try refolding.begin(first, under: book))
            },
            set: { (first, book, tried, isTranslated) throws(FoldError) in
                var course = TypedCourse(first, refolding, isTranslated: isTranslated)
                let changes = try course.fold(first, under: book, trying: tried, isTerse: false)
                guard let changes else { preconditionFailure("a first event is shown") }
                return (CourseOfActivity(course), changes)
            },
            resume: { (snapshot) throws(FoldError) in
                RefoldedActivity(try TypedRefold(snapshot, refolding))
            })
    }
}

/// One activity's refold, whatever its kind.
struct RefoldedActivity {
    let fold: (_ event: EventInPlace, _ under: PolicyBook) throws(FoldError) -> Void
    let snapshot: () -> Snapshot

    init<Kind: ActivityKind>(_ refold: TypedRefold<Kind>) {
        let kept = Kept(refold)
        fold = { (event, book) throws(FoldError) in try kept.value.fold(event, under: book) }
        snapshot = { kept.value.snapshot() }
    }
}

/// One activity's course, whatever its kind.
struct CourseOfActivity {
    let fold:
        (
            _ event: EventInPlace, _ under: PolicyBook, _ trying: PolicyBook?, _ isTerse: Bool
        ) throws(FoldError) -> CourseChanges?
    let contentState: () -> Data
    let snapshot: () -> Snapshot

    init<Kind: ActivityKind>(_ course: TypedCourse<Kind>) {
        let kept = Kept(course)
        fold = { (event, book, tried, isTerse) throws(FoldError) in
            try kept.value.fold(event, under: book, trying: tried, isTerse: isTerse)
        }
        contentState = { kept.value.contentState }
        snapshot = { kept.value.snapshot() }
    }
}

/// What several closures work on.
private final class Kept<Value> {
    // One closure after the other touches it, none while another does: what checks that at run
    // time would take a fiftieth of a fold.
    @exclusivity(unchecked) var value: Value

    init(_ value: Value) { self.value = value }
}
