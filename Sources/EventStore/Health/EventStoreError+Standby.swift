extension EventStoreError {
    public static let standbyAwayDetail =
        "committed, but no synchronous standby has confirmed it in time"

    /// The primary commits and nobody confirms it.
    public var isStandbyAway: Bool { self == .outcomeUnknown(detail: Self.standbyAwayDetail) }
}
