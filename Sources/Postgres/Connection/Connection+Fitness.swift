/// A session that answers, and yet is of no more use.
///
/// Whether a session takes writes is settled when it begins: one that began while the database was
/// read-only refuses them for ever, also when the database takes them again. And a pooler may begin
/// to share sessions at any time: what was prepared in one is then looked for in another.
extension Connection {
    /// Whether it ended because it was of no more use.
    var wasUnfit: Bool { if case .server = closedBecause { true } else { false } }

    func judge(_ serverError: ServerError) {
        if SQLState.showsUnfitSession(serverError.sqlState, isReadOnly: isReadOnly) {
            unfitBecause = serverError
        }
    }

    /// Ends it once nothing is under way any more: what was sent has its own answer, and what was
    /// not is refused for the same reason.
    func endIfUnfit() {
        guard let serverError = unfitBecause, sent.isEmpty else { return }
        unfitBecause = nil
        let age = ContinuousClock.now - openedAt
        if age >= .seconds(Limits.unfitSessionSecondsMin) { end(.server(serverError)) }
    }
}

extension PostgresError {
    /// Of one that ended a session: what was lost with it. The next one has to show that it is not
    /// shared.
    var lossDetail: String? {
        if case .connectionLost(let detail) = self { return detail }
        if self == .sharedSession { return Self.sharing }
        guard sqlState == SQLState.invalidStatementName else { return nil }
        return "\(Self.sharing): what was prepared in it is not there"
    }

    private static let sharing = "a pooler gives the session to several clients"
}
