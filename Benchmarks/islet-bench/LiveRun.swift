import EventLoop
import Foundation

/// Posts events at a steady rate, whatever becomes of them, and follows the stream of changes.
///
/// Both ends are one process with one clock, and one stream tells of every event: reading each
/// activity again with `?wait=` would be as many requests more.
final class LiveRun {
    private struct Figures: Encodable {
        var events: Int
        /// From sending an event to its acknowledgement.
        var acknowledgedMillis: [Double]
        /// From sending it to the message that tells of its version or a later one, likewise.
        var visibleMillis: [Double]
        /// How late events were sent, against their times.
        var lateMillis: [Double]
        /// Of this process, for one event.
        var cpuMicros: Double
    }

    private struct Sent {
        var version: Int
        var index: Int
    }

    private static let connectionCount = 8
    private static let ordersUnderWay = 500
    /// Caches, connections and prepared statements are not what is measured.
    private static let warmUpSeconds = 2
    private static let patienceSeconds = 10

    private let loop: EventLoop
    private let rate: Int
    private let count: Int
    private let skipped: Int
    private var stories: OrderStories
    private var connections: [PostingConnection] = []
    private var follower: StreamFollower?
    private var begin = ContinuousClock.now
    private var sent = 0
    private var unseen: [String: [Sent]] = [:]
    private var sentAt: [ContinuousClock.Instant] = []
    private var acknowledgedAt: [ContinuousClock.Instant?] = []
    private var seenAt: [ContinuousClock.Instant?] = []
    private var late: [Double] = []
    private var open = 0
    private var onEnd: (() -> Void)?

    private init(_ loop: EventLoop, rate: Int, seconds: Int) {
        self.loop = loop
        self.rate = rate
        skipped = rate * Self.warmUpSeconds
        count = skipped + rate * seconds
        stories = OrderStories(
            label: String(Int(Date().timeIntervalSince1970), radix: 36),
            underWay: Self.ordersUnderWay)
        acknowledgedAt = Array(repeating: nil, count: count)
        seenAt = acknowledgedAt
    }

    /// Reads a key from standard input, posts, and prints the outcome.
    static func run(port: Int, rate: Int, seconds: Int) async throws {
        guard let key = readLine() else { IsletBench.fail("no key on standard input") }
        let loop = EventLoop(name: "live")
        let before = ProcessUsage.cpuSeconds
        nonisolated(unsafe) var outcome: Figures?
        await withCheckedContinuation { continuation in
            loop.run {
                let run = LiveRun(loop, rate: rate, seconds: seconds)
                run.onEnd = {
                    outcome = run.outcome
                    continuation.resume()
                }
                run.connect(port: port, key: key)
            }
        }
        guard var outcome else { IsletBench.fail("nothing was measured") }
        outcome.cpuMicros = (ProcessUsage.cpuSeconds - before) / Double(outcome.events) * 1e6
        try IsletBench.print(outcome)
    }

    private func connect(port: Int, key: String) {
        for index in 0...Self.connectionCount {
            loop.connect(host: "127.0.0.1", port: port, timeout: .seconds(5)) { result in
                guard case .success(let socket) = result else { IsletBench.fail("cannot connect") }
                guard index == Self.connectionCount else {
                    self.connections.append(PostingConnection(socket, key: key))
                    return self.start()
                }
                self.follower = StreamFollower(socket, key: key) {
                    self.open += 1
                    self.start()
                } onVersion: {
                    self.saw($0, $1)
                }
            }
        }
    }

    private func start() {
        guard connections.count == Self.connectionCount, open == 1 else { return }
        open = 0
        begin = .now
        tick()
    }

    /// Sends what is due by now. An event that waits for nobody's answer is what makes the rate
    /// steady.
    private func tick() {
        let now = ContinuousClock.now
        let due = min(count, 1 + Int((now - begin) / .seconds(1) * Double(rate)))
        while sent < due { send(at: now) }
        if sent < count {
            loop.schedule(after: .milliseconds(1)) { self.tick() }
        } else {
            loop.schedule(after: .seconds(Self.patienceSeconds)) {
                IsletBench.fail("\(self.open) events were not seen in time")
            }
        }
    }

    private func send(at now: ContinuousClock.Instant) {
        let report = stories.report()
        let index = sent
        sent += 1
        open += 1
        unseen[report.order, default: []].append(Sent(version: report.version, index: index))
        sentAt.append(now)
        let dueAt = begin + .seconds(1) * (Double(index) / Double(rate))
        late.append((now - dueAt) / .milliseconds(1))
        connections[index % Self.connectionCount].post(report.json) {
            self.acknowledgedAt[index] = .now
            self.complete(index)
        }
    }

    private func saw(_ order: String, _ version: Int) {
        guard let waiting = unseen[order] else { return }
        let now = ContinuousClock.now
        for event in waiting where event.version <= version {
            seenAt[event.index] = now
            complete(event.index)
        }
        let rest = waiting.filter { $0.version > version }
        unseen[order] = rest.isEmpty ? nil : rest
    }

    private func complete(_ index: Int) {
        guard acknowledgedAt[index] != nil, seenAt[index] != nil else { return }
        open -= 1
        if open == 0, sent == count {
            onEnd?()
            onEnd = nil
        }
    }

    private var outcome: Figures {
        var outcome = Figures(
            events: count, acknowledgedMillis: [], visibleMillis: [],
            lateMillis: Array(late.dropFirst(skipped)), cpuMicros: 0)
        for index in skipped..<count {
            guard let acknowledged = acknowledgedAt[index], let seen = seenAt[index] else {
                IsletBench.fail("event \(index) was not seen")
            }
            outcome.acknowledgedMillis.append((acknowledged - sentAt[index]) / .milliseconds(1))
            outcome.visibleMillis.append((seen - sentAt[index]) / .milliseconds(1))
        }
        return outcome
    }
}
