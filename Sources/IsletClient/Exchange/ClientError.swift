import Foundation

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
        case .unreachable, .noTicket: true
        case .refused(let problem): Self.isTemporary(status: problem.status)
        case .unreadable(let status, _): Self.isTemporary(status: status)
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

    /// True when it says nothing about what was asked. Something between the two has answered, or
    /// the tenant is moving to another server. Both are over some time.
    var isNoAnswer: Bool {
        switch self {
        case .unreadable: true
        case .refused(let problem): [307, 421].contains(problem.status)
        case .unreachable, .noTicket, .unsendable, .cancelled: false
        }
    }

    /// True when the same is refused as long as nothing changes.
    var isFinal: Bool { !isTemporary && !isNoAnswer && self != .cancelled }

    /// True when the app's own backend refuses it, as far as a status says so.
    var isRefusalByStatus: Bool {
        guard case .unreadable(let status, _) = self else { return false }
        // 421 and 425 say that it may go well elsewhere or later.
        return (400..<500).contains(status) && ![421, 425].contains(status)
            && !Self.isTemporary(status: status)
    }

    /// True when the server may have done what was asked, although it does not say so.
    var mayBeDone: Bool {
        switch self {
        case .unreachable, .unreadable, .cancelled: true
        case .refused(let problem): problem.status == 408 || problem.status >= 500
        case .noTicket, .unsendable: false
        }
    }

    /// As much of an error of the app's own as belongs in a log: what it says itself may be
    /// anything.
    static func reason(_ error: any Error) -> String {
        switch error {
        case let error as ClientError: error.problem?.rawValue ?? "\(error)"
        case let error as URLError: "URLError \(error.code.rawValue)"
        default: "\(type(of: error))"
        }
    }

    private static func isTemporary(status: Int) -> Bool {
        [408, 429, 500, 502, 503, 504].contains(status)
    }

    /// The problem's name; nil for what is no problem document.
    public var problem: Problem.Name? {
        guard case .refused(let problem) = self else { return nil }
        return problem.name
    }
}
