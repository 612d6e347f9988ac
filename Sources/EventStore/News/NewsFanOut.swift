import Domain
import Postgres

/// One listening connection for the whole process, opened for the first stream.
actor NewsFanOut {
    nonisolated let pool: Pool
    nonisolated var unownedExecutor: UnownedSerialExecutor { pool.unownedExecutor }

    private var listener: NotificationListener?
    private var isListening = false
    private var streams: [UInt64: AsyncStream<StoreNews>.Continuation] = [:]
    private var nextID: UInt64 = 0

    init(pool: Pool) { self.pool = pool }

    /// A stream that begins with `resumed` as soon as the process listens.
    nonisolated func stream() -> AsyncStream<StoreNews> {
        AsyncStream(bufferingPolicy: .bufferingNewest(Limits.newsBufferedMax)) { continuation in
            Task { await self.add(continuation) }
        }
    }

    private func add(_ continuation: AsyncStream<StoreNews>.Continuation) {
        nextID += 1
        let id = nextID
        streams[id] = continuation
        continuation.onTermination = { _ in
            Task { await self.remove(id) }
        }
        if isListening { continuation.yield(.resumed) }
        guard listener == nil else { return }
        let listener = NotificationListener(pool: pool, channels: [StoreNews.channel])
        self.listener = listener
        Task { await self.follow(listener) }
    }

    private func remove(_ id: UInt64) { streams[id] = nil }

    private func follow(_ listener: NotificationListener) async {
        for await signal in listener.signals {
            switch signal {
            case .listening:
                isListening = true
                tell(.resumed)
            case .away:
                isListening = false
                tell(.lost)
            case .notification(_, let payload):
                if let news = StoreNews(payload: payload) { tell(news) }
            }
        }
        for continuation in streams.values { continuation.finish() }
        streams = [:]
    }

    private func tell(_ news: StoreNews) {
        for continuation in streams.values {
            // Who is too slow to hear everything must know that; `lost` says as much.
            if case .dropped = continuation.yield(news), news != .lost {
                continuation.yield(.resumed)
            }
        }
    }
}

/// The payloads are written by `append_events()` and `announce_key_change()` too.
extension StoreNews {
    static let channel = "islet_news"

    /// Nil for what a newer program may say.
    init?(payload: String) {
        let words = payload.split(separator: " ")
        guard words.count == 2, let number = Int32(words[1]) else { return nil }
        let tenant = TenantID(rawValue: number)
        switch words[0] {
        case "appended": self = .appended(tenant)
        case "folded": self = .folded(tenant)
        case "phones": self = .phonesWaiting(tenant)
        case "keys": self = .keysChanged(tenant)
        default: return nil
        }
    }

    fileprivate var payload: String? {
        switch self {
        case .appended(let tenant): "appended \(tenant.rawValue)"
        case .folded(let tenant): "folded \(tenant.rawValue)"
        case .phonesWaiting(let tenant): "phones \(tenant.rawValue)"
        case .keysChanged(let tenant): "keys \(tenant.rawValue)"
        case .lost, .resumed: nil
        }
    }
}

extension Statement {
    /// Tells every node, once the transaction is committed.
    /// - Precondition: `lost` and `resumed` are only ever found out locally.
    static func notify(_ news: StoreNews) -> Statement {
        guard let payload = news.payload else { preconditionFailure("\(news) is not announced") }
        return Statement(
            "SELECT pg_notify($1, $2)", [.text(StoreNews.channel), .text(payload)])
    }
}
