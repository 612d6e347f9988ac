import Delivery
import Domain
import Encodings
import EventLoop
import EventStore
import Terminal
import WebClient

/// Gathers spans and sends them to a collector. What is done is never kept waiting for it: spans
/// for which there is no room are dropped and counted.
final class Tracer: Sendable {
    enum Bounds {
        /// Spans that wait to be sent.
        static let spansMax = 8_192
        /// Spans of one request.
        static let batchMax = 512
        static let pauseSeconds = 1.0
        static let deadlineSeconds = 10.0
        static let attemptsMax = 3
        /// Events whose trace is remembered, for what is sent of them.
        static let rememberedMax = 16_384
        /// What was sent of events that another node has folded, and how much of it is looked up at
        /// a time.
        static let unresolvedMax = 1_024
        static let lookUpsMax = 64
        /// Events that one push or message may be linked to.
        static let linksMax = 16
        /// Different answers that are kept of one page of pushes.
        static let answersMax = 8
    }

    struct Counts: Sendable {
        var sent = 0
        var dropped = 0
        var failed = 0
    }

    struct Place: Hashable {
        var tenant: TenantID
        var position: Int64
    }

    private struct State {
        var spans: [Span] = []
        var counts = Counts()
        /// With nil for those that are not traced.
        var known: [Place: EventTrace?] = [:]
        var order: [Place] = []
        var oldest = 0
        var unresolved: [SenderMeasure.Answers] = []
    }

    let options: TraceOptions
    private let node: String
    private let client: WebClient
    private let state = Lock(State())

    /// Nil without an endpoint.
    static func make(
        _ arguments: Arguments, node: String
    ) throws(CommandFailure) -> Tracer? {
        guard let options = try TraceOptions.of(arguments) else { return nil }
        let client = WebClient(
            loop: EventLoop(name: "traces"), options: .init(allowsPrivate: true))
        return Tracer(options, node: node, client)
    }

    init(_ options: TraceOptions, node: String, _ client: WebClient) {
        self.options = options
        self.node = node
        self.client = client
    }

    var counts: Counts { state.withLock { $0.counts } }

    func trace(of event: NewEvent, _ tenant: TenantID) -> EventTrace? {
        EventTrace(event, of: tenant, ratio: options.ratio)
    }

    func note(_ spans: [Span]) {
        guard !spans.isEmpty else { return }
        state.withLock { state in
            let room = max(0, Bounds.spansMax - state.spans.count)
            state.spans += spans.prefix(room)
            state.counts.dropped += max(0, spans.count - room)
        }
    }

    /// What will be asked of what is sent.
    func remember(_ trace: EventTrace?, _ place: Place) {
        state.withLock { state in
            guard state.known.updateValue(trace, forKey: place) == nil else { return }
            if state.order.count < Bounds.rememberedMax { return state.order.append(place) }
            state.known.removeValue(forKey: state.order[state.oldest])
            state.order[state.oldest] = place
            state.oldest = (state.oldest + 1) % Bounds.rememberedMax
        }
    }

    // MARK: What is sent

    /// On the senders' threads.
    func note(_ measure: SenderMeasure) {
        guard case .answered(let answers) = measure, !answers.positions.isEmpty else { return }
        let places = Self.places(of: answers)
        let isKnown = state.withLock { state in
            let isKnown = places.allSatisfy { state.known[$0] != nil }
            if isKnown { return true }
            if state.unresolved.count < Bounds.unresolvedMax {
                state.unresolved.append(answers)
            } else {
                state.counts.dropped += 1
            }
            return false
        }
        if isKnown { note(spans(of: answers)) }
    }

    private static func places(of answers: SenderMeasure.Answers) -> [Place] {
        answers.positions.suffix(Bounds.linksMax).map {
            Place(tenant: answers.tenant, position: $0)
        }
    }

    /// One for each different answer, with how many phones got it. The newest event that is traced
    /// is the parent, the others are linked.
    private func spans(of answers: SenderMeasure.Answers) -> [Span] {
        let places = Self.places(of: answers)
        let known = state.withLock { state in
            places.compactMap { place in (state.known[place] ?? nil).map { (place, $0) } }
        }
        guard let (place, trace) = known.last else { return [] }
        func decision(_ place: Place, _ trace: EventTrace) -> String {
            trace.spanID(.decide, place.tenant, place.position)
        }
        let links = known.dropLast().map { (traceID: $1.traceID, spanID: decision($0, $1)) }
        return SentAnswer.counted(in: answers.results).prefix(Bounds.answersMax).map { answer in
            Span(
                trace: trace, name: answer.name, kind: .client,
                spanID: Hexadecimal.encode(UInt64.random(in: 1...UInt64.max)),
                parentID: decision(place, trace), beganAt: answers.sentAt,
                endedAt: answers.answeredAt,
                attributes: Self.attributes(answers.tenant, answers.activityID)
                    + answer.attributes,
                links: links, failure: answer.failure)
        }
    }

    static func attributes(
        _ tenant: TenantID, _ activity: ActivityID
    ) -> [(name: String, value: Span.Value)] {
        [
            ("islet.tenant", .number(Int64(tenant.rawValue))),
            ("islet.activity", .text(activity.rawValue)),
        ]
    }

    /// Finds out about events that another node has folded.
    private func resolve(_ store: EventStore) async {
        let waiting = state.withLock { state in
            let waiting = state.unresolved.prefix(Bounds.lookUpsMax)
            state.unresolved.removeFirst(waiting.count)
            return waiting
        }
        for answers in waiting {
            for place in Self.places(of: answers) {
                guard state.withLock({ $0.known[place] == nil }) else { continue }
                let events = try? await store.log.read(place.tenant, place.position - 1, 1)
                remember(events?.first.flatMap { trace(of: $0.event, place.tenant) }, place)
            }
            note(spans(of: answers))
        }
    }

    // MARK: Sending

    /// Sends until the task is cancelled, and then what is left for once.
    func run(_ store: EventStore, log: Log) async {
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(Bounds.pauseSeconds))
            await resolve(store)
            await flush(log)
        }
        await Task.detached { await self.flush(log, isLast: true) }.value
    }

    func close() async { await client.close() }

    private func flush(_ log: Log, isLast: Bool = false) async {
        while true {
            let batch = state.withLock { state in
                let batch = Array(state.spans.prefix(Bounds.batchMax))
                state.spans.removeFirst(batch.count)
                return batch
            }
            guard !batch.isEmpty, await send(batch, log, isLast: isLast), !Task.isCancelled else {
                return
            }
        }
    }

    /// - Returns: false when the collector does not take spans now.
    private func send(_ batch: [Span], _ log: Log, isLast: Bool) async -> Bool {
        let request = WebRequest(
            url: options.url,
            headers: [("Content-Type", "application/json")] + options.headers,
            body: Span.body(batch, node: node, version: Version.current),
            deadlineSeconds: isLast ? 2 : Bounds.deadlineSeconds, share: "traces")
        var why = ""
        for attempt in 1...(isLast ? 1 : Bounds.attemptsMax) {
            switch await client.send(request).answer {
            case .answered(let status, _) where (200..<300).contains(status):
                state.withLock { $0.counts.sent += batch.count }
                return true
            case .answered(let status, _):
                why = "status \(status)"
                guard [429, 502, 503, 504].contains(status) else { return fail(batch, why, log) }
            case .failed(let failure): why = failure.rawValue
            }
            if attempt == Bounds.attemptsMax || isLast { break }
            try? await Task.sleep(for: .seconds(attempt))
            if Task.isCancelled { break }
        }
        return fail(batch, why, log)
    }

    private func fail(_ batch: [Span], _ why: String, _ log: Log) -> Bool {
        state.withLock { $0.counts.failed += batch.count }
        log.rarely(
            .warning, "the collector of --otlp-endpoint does not take traces; they are lost",
            ["why": why], key: "traces \(why)")
        return false
    }
}
