import APNs
import APNsClient
import EventLoop
import Foundation
import HTTP

/// Posts events at a steady rate, whatever becomes of them, and is the APNs that their pushes come
/// to: both ends are one process on one thread, and so have one clock.
///
/// Every activity has one phone. It begins with an order, which is not measured, and each of its
/// further events names a driver, by whose number the push says which event it is of. An activity
/// has one every few seconds, so that none waits for the next second of `aps.timestamp`.
final class ArrivalRun {
    private struct Figures: Encodable {
        var events: Int
        /// From sending an event to its acknowledgement.
        var acknowledgedMillis: [Double]
        /// From sending it to the push that carries its state or a later one.
        var arrivedMillis: [Double]
        /// How late events were sent, against their times.
        var lateMillis: [Double]
        /// Of a client alone, from the call to the answer, at the same rate.
        var pushedMillis: [Double]
    }

    /// Between two events of an activity.
    private static let spacingSeconds = 3
    private static let barePushes = 2_000
    private static let patienceSeconds = 60

    private let loop: EventLoop
    private let rate: Int
    private let connectionCount: Int
    private let label: String
    /// How many activities there are, and so how many events are not measured.
    private let activities: Int
    private let count: Int
    private var connections: [PostingConnection] = []
    private var begin = ContinuousClock.now
    private var sent = 0
    private var open = 0
    private var sentAt: [ContinuousClock.Instant] = []
    private var acknowledgedAt: [ContinuousClock.Instant?]
    private var arrivedAt: [ContinuousClock.Instant?]
    private var late: [Double] = []
    private var onEnd: (() -> Void)?

    private init(
        _ loop: EventLoop, rate: Int, seconds: Int, connections: Int, label: String
    ) {
        self.loop = loop
        self.rate = rate
        connectionCount = connections
        self.label = label
        activities = rate * Self.spacingSeconds
        count = activities + rate * seconds
        acknowledgedAt = Array(repeating: nil, count: count)
        arrivedAt = acknowledgedAt
    }

    /// Prints a `Target`. Then, for each line of standard input with a port, a key, a word that the
    /// names of its activities begin with, events a second, seconds and connections, makes a run
    /// and prints the outcome.
    static func serve() async throws {
        let loop = EventLoop(name: "arrivals")
        nonisolated(unsafe) var current: ArrivalRun?
        let (_, target) = try await SilentGateway.start(on: loop) { request in
            current?.arrived(request.body)
            return await SilentGateway.accept(request)
        }
        try IsletBench.print(target)
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            let numbers = words.dropFirst(3).compactMap { Int($0) }
            guard words.count == 6, let port = Int(words[0]), numbers.count == 3 else {
                IsletBench.fail("not a port, a key, a word, a rate, seconds and connections")
            }
            nonisolated(unsafe) var outcome: Figures?
            await withCheckedContinuation { continuation in
                loop.run {
                    let run = ArrivalRun(
                        loop, rate: numbers[0], seconds: numbers[1], connections: numbers[2],
                        label: words[2])
                    current = run
                    run.onEnd = {
                        outcome = run.outcome
                        continuation.resume()
                    }
                    run.connect(port: port, key: words[1])
                }
            }
            outcome?.pushedMillis = try await barePushes(to: target, rate: numbers[0])
            try IsletBench.print(outcome)
        }
    }

    private static func barePushes(to target: Target, rate: Int) async throws -> [Double] {
        let loop = EventLoop(name: "push")
        let client = try target.client(on: loop)
        let request = target.request
        let begin = ContinuousClock.now
        let millis = await withTaskGroup(of: Double.self) { group in
            for index in 0..<barePushes {
                group.addTask(executorPreference: loop) {
                    try? await Task.sleep(
                        until: begin + .seconds(1) * (Double(index) / Double(rate)))
                    let start = ContinuousClock.now
                    guard case .answered(let answer) = await client.send(request),
                        answer.status == 200
                    else { IsletBench.fail("a push was not accepted") }
                    return (ContinuousClock.now - start) / .milliseconds(1)
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        await client.close()
        return millis
    }

    private func connect(port: Int, key: String) {
        for _ in 0..<connectionCount {
            loop.connect(host: "127.0.0.1", port: port, timeout: .seconds(5)) { result in
                guard case .success(let socket) = result else { IsletBench.fail("cannot connect") }
                self.connections.append(PostingConnection(socket, key: key))
                guard self.connections.count == self.connectionCount else { return }
                self.begin = .now
                self.tick()
            }
        }
    }

    /// Sends what is due by now.
    private func tick() {
        let now = ContinuousClock.now
        let due = min(count, 1 + Int((now - begin) / .seconds(1) * Double(rate)))
        while sent < due { send(at: now) }
        if sent < count {
            loop.schedule(after: .milliseconds(1)) { self.tick() }
        } else {
            loop.schedule(after: .seconds(Self.patienceSeconds)) {
                guard self.onEnd != nil else { return }
                IsletBench.fail("\(self.open) events did not arrive in time")
            }
        }
    }

    private func send(at now: ContinuousClock.Instant) {
        let index = sent
        sent += 1
        open += 1
        sentAt.append(now)
        let dueAt = begin + .seconds(1) * (Double(index) / Double(rate))
        late.append((now - dueAt) / .milliseconds(1))
        connections[index % connectionCount].post(event(index)) {
            self.acknowledgedAt[index] = .now
            self.complete(index)
        }
    }

    private func event(_ index: Int) -> String {
        let (type, data) =
            index < activities
            ? (
                "OrderPlaced",
                #"{"orderNumber":"17","numberOfPizzas":2,"totalAmount":"$31.50","#
                    + #""promisedAt":"2099-05-01T12:40:00Z"}"#
            ) : ("DriverAssigned", #"{"driverName":"\#(index)"}"#)
        return """
            {"specversion":"1.0","id":"\(label)-\(index)","source":"/bench",\
            "subject":"\(label)-\(index % activities)","type":"PizzaDelivery.\(type)",\
            "time":"\(Date.now.formatted(.iso8601))","data":\(data)}
            """
    }

    /// A push came. It carries what came before as well.
    private func arrived(_ body: [UInt8]) {
        let text = WireText(bytes: body)
        guard let name = text.end(of: #""driverName":""#), let newest = text.number(at: name),
            newest < count
        else { return }
        let now = ContinuousClock.now
        var index = newest
        while index >= activities, arrivedAt[index] == nil {
            arrivedAt[index] = now
            complete(index)
            index -= activities
        }
    }

    private func complete(_ index: Int) {
        guard acknowledgedAt[index] != nil, index < activities || arrivedAt[index] != nil else {
            return
        }
        open -= 1
        if open == 0, sent == count {
            for connection in connections { connection.close() }
            onEnd?()
            onEnd = nil
        }
    }

    private var outcome: Figures {
        var outcome = Figures(
            events: count, acknowledgedMillis: [], arrivedMillis: [],
            lateMillis: Array(late.dropFirst(activities)), pushedMillis: [])
        for index in activities..<count {
            guard let acknowledged = acknowledgedAt[index], let arrived = arrivedAt[index] else {
                IsletBench.fail("event \(index) did not arrive")
            }
            outcome.acknowledgedMillis.append((acknowledged - sentAt[index]) / .milliseconds(1))
            outcome.arrivedMillis.append((arrived - sentAt[index]) / .milliseconds(1))
        }
        return outcome
    }
}
