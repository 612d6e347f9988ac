import Domain
import Projections

/// An activity as it stood after one of its events, folded again from the first one on.
struct PastState {
    enum Point {
        case version(Int64)
        /// After the last event that was recorded then or before.
        case moment(Moment)

        func includes(_ event: RecordedEvent) -> Bool {
            switch self {
            case .version(let version): event.version <= version
            case .moment(let moment): event.recordedAt <= moment
            }
        }
    }

    private var fold: StateFold?
    /// The last event that was looked at: of the point, or where the stream ends.
    private(set) var last: RecordedEvent?
    private var blockage: String?
    /// Positions that somebody has decided to leave out.
    private let skipped: Set<Int64>

    init(skipped: Set<Int64>) { self.skipped = skipped }

    /// The snapshot that stood, with what kept it from moving on.
    var snapshotWithBlockage: Snapshot? {
        var blocked = fold?.snapshot()
        blocked?.blockage = blockage
        return blocked
    }

    /// As the projector does: an event of another kind or one that was skipped is left out, any
    /// other that cannot be folded is where the state stays.
    mutating func take(_ event: RecordedEvent, under book: PolicyBook = .builtIn) {
        last = event
        guard blockage == nil, !skipped.contains(event.position) else { return }
        do {
            if let fold {
                try fold.fold(event, under: book)
            } else {
                fold = try StateFold(event, under: book)
            }
        } catch {
            if case .kindMismatch = error { return }
            blockage = "the event of version \(event.version) cannot be folded"
        }
    }
}
