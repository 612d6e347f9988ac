public import Domain

/// A tenant on its way from one cell to another, as one of the two knows of it.
public struct MovingTenant: Hashable, Sendable {
    /// `leaving` and `gone` are of the cell that it comes from, `arriving` is of the other one.
    public enum State: String, CaseIterable, Sendable { case leaving, gone, arriving }

    public var id: TenantID
    /// Its own name: that of its row may say that it moves.
    public var name: String
    public var state: State
    /// Where it goes to, or comes from.
    public var cell: String
    /// Of one that is gone: whether this cell knows that it works in the other. Until then it may
    /// work in none.
    public var isOpen: Bool
    /// Whether a process moves it now. Otherwise the move stands still.
    public var isUnderWay: Bool
    /// Of one that is leaving: for some seconds nothing is sent for it, or also nothing written.
    public var isClosed: Bool

    public init(
        id: TenantID, name: String, state: State, cell: String, isOpen: Bool = false,
        isUnderWay: Bool, isClosed: Bool = false
    ) {
        self.id = id
        self.name = name
        self.state = state
        self.cell = cell
        self.isOpen = isOpen
        self.isUnderWay = isUnderWay
        self.isClosed = isClosed
    }
}
