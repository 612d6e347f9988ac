import Domain
import EventLoop
import EventStore
import Postgres

/// Tells this node and the others what has happened. A process has one listening connection, opened
/// for the first subscriber.
actor NotificationHub {
    private struct Subscriber {
        var subjects: Set<StoreNotification.Subject>
        var continuation: AsyncStream<StoreNotification>.Continuation

        func hears(_ notification: StoreNotification, isOwn: Bool) -> Bool {
            guard case .happened(let subject, _) = notification else { return true }
            let isFoldedElsewhere = subject == .folded && !isOwn
            return subjects.contains(subject)
                || (isFoldedElsewhere && subjects.contains(.foldedElsewhere))
        }
    }

    nonisolated let pool: Pool
    nonisolated var unownedExecutor: UnownedSerialExecutor { pool.unownedExecutor }
    private let changes: ChangeBuffer

    /// The node's own name: Postgres sends a notification to everybody, its sender too.
    private let node = String(UInt64.random(in: .min ... .max), radix: 36)
    private var source: NotificationListener?
    private var isListening = false
    private var subscribers: [UInt64: Subscriber] = [:]
    private var nextID: UInt64 = 0
    /// What was sent to the other nodes just now; true when it has happened again since.
    private var announced: [StoreNotification: Bool] = [:]

    /// - Parameter changes: hears of what others do before those who then look there.
    init(pool: Pool, changes: ChangeBuffer) {
        self.pool = pool
        self.changes = changes
    }

    /// A stream that begins with `resumed` as soon as the process listens.
    nonisolated func stream(_ subjects: Set<StoreNotification.Subject>) -> AsyncStream<
        StoreNotification
    > {
        AsyncStream(bufferingPolicy: .bufferingNewest(Limits.notificationsBufferedMax)) {
            continuation in
            Task { await self.add(Subscriber(subjects: subjects, continuation: continuation)) }
        }
    }

    /// Tells this node's subscribers at once, and the other nodes without delaying anybody: their
    /// telling may fail, and they poll.
    /// - Precondition: what happened is committed.
    func announce(_ notification: StoreNotification) {
        tell(notification, isOwn: true)
        tellOthers(CollectionOfOne(notification))
    }

    /// As `announce`, but tells the other nodes only.
    func tellOthers(_ notifications: some Sequence<StoreNotification>) {
        let isFirst = announced.isEmpty
        var new: [StoreNotification] = []
        for notification in notifications {
            let isRepeated = announced[notification] != nil
            announced[notification] = isRepeated
            if !isRepeated { new.append(notification) }
        }
        guard !new.isEmpty else { return }
        if isFirst { tellOthersLater() }
        send(new)
    }

    private func send(_ notifications: [StoreNotification]) {
        let statement = Statement.announce(notifications, by: node)
        Task(executorPreference: pool.loop) { _ = try? await self.pool.batch([statement]) }
    }

    private func tellOthersLater() {
        let delay = Duration.milliseconds(Limits.announcementMillis)
        pool.loop.schedule(after: delay) { [weak self] in
            self?.assumeIsolated { $0.tellOthersAgain() }
        }
    }

    /// All there is to tell in one statement: each wakes every node, this one included.
    private func tellOthersAgain() {
        let toTell = announced.filter(\.value).keys
        announced = Dictionary(uniqueKeysWithValues: toTell.map { ($0, false) })
        guard !toTell.isEmpty else { return }
        send(Array(toTell))
        tellOthersLater()
    }

    private func add(_ subscriber: Subscriber) {
        nextID += 1
        let id = nextID
        subscribers[id] = subscriber
        subscriber.continuation.onTermination = { _ in
            Task { await self.remove(id) }
        }
        if isListening { subscriber.continuation.yield(.resumed) }
        guard source == nil else { return }
        let source = NotificationListener(pool: pool, channel: StoreNotification.channel)
        self.source = source
        Task(executorPreference: pool.loop) { await self.follow(source) }
    }

    private func remove(_ id: UInt64) { subscribers[id] = nil }

    private func follow(_ source: NotificationListener) async {
        for await signal in source.signals {
            switch signal {
            case .listening:
                isListening = true
                tell(.resumed)
            case .away:
                isListening = false
                tell(.lost)
            case .notification(let payload):
                if let heard = StoreNotification(payload: payload, heardBy: node) { tell(heard) }
            }
        }
        for subscriber in subscribers.values { subscriber.continuation.finish() }
        subscribers = [:]
    }

    /// Tells this node's subscribers.
    func tell(_ notification: StoreNotification, isOwn: Bool = false) {
        if !isOwn { changes.hear(notification) }
        for subscriber in subscribers.values where subscriber.hears(notification, isOwn: isOwn) {
            // A subscriber that is too slow to hear everything must know that; `lost` says as much.
            if case .dropped = subscriber.continuation.yield(notification), notification != .lost {
                subscriber.continuation.yield(.resumed)
            }
        }
    }
}
