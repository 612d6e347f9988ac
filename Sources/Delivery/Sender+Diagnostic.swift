import APNs
public import EventStore

extension Sender {
    /// What operators should know; never has a token.
    public enum Diagnostic: Hashable, Sendable {
        case store(EventStoreError)
        /// APNs refuses the provider token or key: nothing will be delivered until someone acts.
        case credentialsRefused(reason: String)
        /// APNs says that tokens do not belong to this environment or app.
        case tokensUnfit(count: Int, reason: String)
        /// No answer from APNs.
        case unanswered(count: Int, reason: String)
        /// APNs answers that it cannot take pushes just now. They are tried again.
        case notTaken(count: Int, reason: String)
        /// The newest state of an activity does not fit into a push. So many phones were sent the
        /// one before it, or nothing when there is none.
        case stateTooLarge(bytes: Int, phones: Int)
        case channel(ChannelDiagnostic)
        /// Activities that another node had claimed and not finished, as it died or stands still.
        case tookOver(count: Int, from: String)
    }
}

extension Sender.Diagnostic {
    /// What an operator should know of these answers. What is deferred is reported once for its
    /// app.
    static func troubles(of results: [PushResult]) -> [Sender.Diagnostic] {
        let failed = results.filter { $0.verdict != .accepted }
        func those(_ areMeant: (PushResult) -> Bool) -> (count: Int, reason: String)? {
            let found = failed.filter(areMeant)
            return found.last.map { (found.count, $0.failure) }
        }
        let refused = those { $0.verdict == .credentialsRefused }
        let unfit = those { $0.verdict == .tokenUnfit }
        let unanswered = those { if case .notAnswered = $0 { true } else { false } }
        let notTaken = those { $0.verdict == .retryLater }
        let troubles: [Sender.Diagnostic?] = [
            refused.map { .credentialsRefused(reason: $0.reason) },
            unfit.map { .tokensUnfit(count: $0.count, reason: $0.reason) },
            unanswered.map { .unanswered(count: $0.count, reason: $0.reason) },
            notTaken.map { .notTaken(count: $0.count, reason: $0.reason) },
        ]
        return troubles.compactMap(\.self)
    }
}
