/// Why something was not done. No case carries a key, a ticket or a token.
public enum ClientError: Error, Hashable, Sendable {
    /// No answer came. Nobody knows whether it was done; doing it again is harmless.
    case unreachable(String)
    /// The server refused it and says why.
    case refused(Problem)
    /// The answer is not one of Islet's: a proxy's, for example, or a captive portal's.
    case unreadable(status: Int, retryAfter: Duration? = nil)
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
        // Whoever stands between is gone some time, whatever they answered.
        case .unreachable, .noTicket, .unreadable: true
        // Also while the tenant moves to another server, and clients are told its address.
        case .refused(let problem):
            [307, 408, 421, 429, 500, 502, 503, 504].contains(problem.status)
        case .unsendable, .cancelled: false
        }
    }

    /// How long the server asks to wait.
    public var retryAfter: Duration? {
        switch self {
        case .refused(let problem): problem.retryAfter
        case .unreadable(_, let pause): pause
        case .unreachable, .noTicket, .unsendable, .cancelled: nil
        }
    }

    /// The problem's name; nil for what is no problem document.
    public var problem: Problem.Name? {
        guard case .refused(let problem) = self else { return nil }
        return problem.name
    }
}
