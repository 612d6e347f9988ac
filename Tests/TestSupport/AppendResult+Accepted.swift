public import EventStore

extension AppendResult {
    /// Whether the event stands in the log, now or from before.
    public var isAccepted: Bool {
        switch self {
        case .recorded, .alreadyKnown: true
        case .contentConflict, .batchConflict, .versionConflict, .notRecorded: false
        }
    }

    /// Of an append that did not come to be: what was recorded with it is not there.
    /// - Parameter head: the log's position before it.
    public func withdrawn(after head: Int64) -> AppendResult {
        switch self {
        case .recorded: .notRecorded
        case .alreadyKnown(let position, _) where position > head: .notRecorded
        case .contentConflict(let position) where position > head: .batchConflict
        case .alreadyKnown, .contentConflict, .batchConflict, .versionConflict, .notRecorded: self
        }
    }
}
