/// How far an export or import has come, for a progress bar.
public struct ArchiveProgress: Hashable, Sendable {
    public enum Step: Hashable, Sendable {
        /// Reading again what an interrupted run had finished, or what is to be imported.
        case checking
        case exporting
        case importing
    }

    public var step: Step
    /// Of `total`: bytes while checking, else events or positions.
    public var done: Int64
    public var total: Int64
}

/// Receives progress several times a second, at most as often as a batch is done.
public typealias ProgressReport = @Sendable (ArchiveProgress) -> Void
