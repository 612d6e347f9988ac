/// A session that answers, and yet is of no more use.
///
/// Whether a session takes writes is settled when it begins: one that began while the database was
/// read-only refuses them for ever, also when the database takes them again.
extension Connection {
    /// Whether it ended because it was of no more use.
    var wasUnfit: Bool { if case .server = closedBecause { true } else { false } }

    func judge(_ fault: ServerFault) {
        if SQLState.showsUnfitSession(fault.sqlState), !isReadOnly { unfitBecause = fault }
    }

    /// Ends it once nothing is under way any more: what was sent has its own answer, and what was
    /// not is refused for the same reason.
    func endIfUnfit() {
        guard let fault = unfitBecause, sent.isEmpty else { return }
        unfitBecause = nil
        let age = ContinuousClock.now - openedAt
        if age >= .seconds(Limits.unfitSessionSecondsMin) { end(.server(fault)) }
    }
}
