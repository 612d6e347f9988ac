import APNs
import DeliveryRules
import Domain
import EventStore
import Projections

/// What all parts of a sender work with.
///
/// One object for all, since each of its references would be counted whenever it is passed on.
final class SenderContext: Sendable {
    let store: EventStore
    let transport: PushTransport
    let giveUpRules: GiveUpRules
    let clock: SenderClock
    /// Registrations that are read and recorded at once.
    let pagePhones: Int
    let makePushID: @Sendable () -> String
    let measure: @Sendable (SenderMeasure) -> Void
    let report: @Sendable (Sender.Diagnostic) -> Void
    private let bookCache = PolicyBookCache()

    init(
        _ store: EventStore, _ transport: PushTransport, _ rules: GiveUpRules, _ clock: SenderClock,
        pagePhones: Int, makePushID: @escaping @Sendable () -> String,
        measure: @escaping @Sendable (SenderMeasure) -> Void,
        report: @escaping @Sendable (Sender.Diagnostic) -> Void
    ) {
        self.store = store
        self.transport = transport
        giveUpRules = rules
        self.clock = clock
        self.pagePhones = pagePhones
        self.makePushID = makePushID
        self.measure = measure
        self.report = report
    }

    /// What a claim's activity is judged by. A newer program may have put what this one cannot
    /// read: what is built in stands then.
    func policy(of claim: DeliveryClaim) -> Policy {
        book(of: claim).policy(ofKind: claim.snapshot.kind, at: claim.snapshot.position)
    }

    /// Those of the newest policy: who is woken is no matter of what was reported last.
    func quietHours(of claim: DeliveryClaim) -> QuietHours? {
        book(of: claim).policy(ofKind: claim.snapshot.kind, at: .max).quietHours
    }

    private func book(of claim: DeliveryClaim) -> PolicyBook {
        (try? bookCache.book(of: claim.tenant, claim.policies)) ?? .builtIn
    }
}

extension SenderContext {
    /// Sends all of them, and reports what an operator should know of the answers.
    /// - Returns: the result of each, in the order of the pushes.
    func push(_ pushes: [Push]) async -> [PushResult] {
        let results = await transport.push(
            pushes.map { (app: $0.app, request: $0.request(id: makePushID())) })
        for trouble in Sender.Diagnostic.troubles(of: results) { report(trouble) }
        return results
    }
}

extension EventStoreError {
    /// This process has stood still for so long that others may have its claims: nothing more is
    /// sent under them.
    static let takenOver = EventStoreError.unavailable(
        detail: "this node stood still or lost its session: its claims are void")
}
