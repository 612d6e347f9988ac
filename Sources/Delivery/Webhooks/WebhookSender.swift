public import DeliveryRules
public import Domain
public import EventStore

/// Sends webhooks what their tenants' activities came to. Each follows the ledger by itself, beside
/// the fan-outs to phones, so that a slow one keeps nobody waiting.
public struct WebhookSender: Sendable {
    /// What operators should know; never has a URL or a secret.
    public enum Diagnostic: Hashable, Sendable {
        case store(EventStoreError)
        /// Nothing arrived of this page, and something did in the one before.
        case failing(webhook: String, reason: String)
        case recovered(webhook: String)
        case stopped(webhook: String, Webhook.Stop, reason: String)
        case givenUp(webhook: String, count: Int, reason: String)
        /// No master key here opens its secret.
        case sealed(webhook: String)
    }

    let store: EventStore
    let transport: WebhookTransport
    let rules: WebhookRules
    let clock: SenderClock
    let makeLease: @Sendable () -> String
    let chance: @Sendable () -> Double
    let measure: @Sendable (SenderMeasure) -> Void
    let report: @Sendable (Diagnostic) -> Void
    let sealed: SealedWebhooks

    /// - Parameters:
    ///   - now: in tests and virtual time. By default the database's clock counts.
    ///   - makeLease: a name that nobody has had before.
    ///   - chance: from 0 to 1.
    ///   - measure: learns what is sent.
    public init(
        store: EventStore, transport: WebhookTransport, rules: WebhookRules = WebhookRules(),
        now: (@Sendable () -> Moment)? = nil, makeLease: @escaping @Sendable () -> String,
        chance: @escaping @Sendable () -> Double,
        measure: @escaping @Sendable (SenderMeasure) -> Void = { _ in },
        report: @escaping @Sendable (Diagnostic) -> Void
    ) {
        self.store = store
        self.transport = transport
        self.rules = rules
        clock = SenderClock(virtual: now)
        sealed = SealedWebhooks(now: clock.since(Moment(microseconds: 0)))
        self.makeLease = makeLease
        self.chance = chance
        self.measure = measure
        self.report = report
    }

    /// Runs until its task is cancelled.
    public func run() async {
        let notifications = store.notifications(about: [.folded])
        let (wakeUps, waker) = Sender.makeWakeUps()
        await withDiscardingTaskGroup { group in
            group.addTask {
                for await _ in notifications { waker.yield() }
            }
            group.addTask {
                while !Task.isCancelled {
                    waker.yield()
                    try? await Task.sleep(for: .seconds(Limits.pollSeconds))
                }
                waker.finish()
            }
            for await _ in wakeUps {
                for lease in await take() { group.addTask { await carryOut(lease) } }
                // A busy log sends its news in pages, and not event by event.
                try? await Task.sleep(for: .milliseconds(Limits.webhookRestMillis))
            }
            group.cancelAll()
        }
    }

    /// Sends all that is due.
    /// - Returns: the number of webhooks that there was something to do for.
    @discardableResult
    public func drain() async -> Int {
        var count = 0
        while true {
            let leases = await take()
            guard !leases.isEmpty else { return count }
            count += leases.count
            await withDiscardingTaskGroup { group in
                for lease in leases { group.addTask { await carryOut(lease) } }
            }
        }
    }

    private func take() async -> [WebhookLease] {
        guard !Task.isCancelled else { return [] }
        do throws(EventStoreError) {
            return try await store.webhooks.feed.take(
                Limits.webhooksTakenMax, makeLease(), clock.virtual?(), except: sealed.leftToOthers)
        } catch {
            if !Task.isCancelled { report(.store(error)) }
            return []
        }
    }

    private func carryOut(_ lease: WebhookLease) async {
        let watch = LeaseWatch()
        let keeping = Task { await watch.keep(lease, self) }
        var run = WebhookRun(sender: self, lease: lease, watch: watch)
        do throws(EventStoreError) { try await run.run() } catch {
            if !Task.isCancelled { report(.store(error)) }
        }
        keeping.cancel()
        // Without it the lease would end by itself, later.
        let (feed, last) = (store.webhooks.feed, run.lease)
        await Task { try? await feed.release(last) }.value
    }
}
