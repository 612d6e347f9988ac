/// Why something was not done. No case carries a key, a ticket or a token.
public enum ClientError: Error, Hashable, Sendable {
    /// No answer came. Nobody knows whether it was done; doing it again is harmless.
    case unreachable(String)
    /// The server refused it and says why.
    case refused(Problem)
    /// The answer is not one of Islet's: a proxy's, for example.
    case unreadable(status: Int)
    /// The app's backend gave no ticket.
    case noTicket(String)
    /// What was to be sent has no JSON form.
    case unsendable(String)
    case cancelled
}

extension ClientError {
    /// True when the same may go well later, without a change.
    public var isTemporary: Bool {
        switch self {
        case .unreachable, .noTicket: true
        case .refused(let problem): Self.isTemporary(status: problem.status)
        case .unreadable(let status): Self.isTemporary(status: status)
        case .unsendable, .cancelled: false
        }
    }

    /// How long the server asks to wait.
    public var retryAfter: Duration? {
        guard case .refused(let problem) = self else { return nil }
        return problem.retryAfter
    }

    /// The problem's name; nil for what is no problem document.
    public var problem: Problem.Name? {
        guard case .refused(let problem) = self else { return nil }
        return problem.name
    }

    private static func isTemporary(status: Int) -> Bool {
        [408, 429, 500, 502, 503, 504].contains(status)
    }
}
