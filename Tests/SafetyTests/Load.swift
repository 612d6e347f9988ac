import EventLoop
import Foundation
import FoundationNetworking
import TestSupport

/// Merchants that report events without pause and repeat every request until it is acknowledged.
final class Load: Sendable {
    /// What the server acknowledged.
    struct Place: Hashable, Decodable {
        var position: Int64
        var version: Int64
    }

    struct State {
        var acknowledged: [String: Place] = [:]
        /// Every id that was ever sent.
        var sent: Set<String> = []
        /// Answers that no server may give here.
        var violations: [String] = []
        var unavailable = 0
        var retryAfterMissing = 0
        var isStopping = false
    }

    static let source = "/kitchen/5"

    private let state = Lock(State())
    private let url: URL
    private let key: String
    private let session: URLSession
    private let noteBytes: Int
    private let isMixed: Bool

    /// - Parameters:
    ///   - noteBytes: filler in each event, to fill a disk with.
    ///   - isMixed: also events that cannot be folded.
    init(base: URL, key: String, noteBytes: Int = 0, isMixed: Bool = false) {
        url = base.appending(path: "v1/events")
        self.key = key
        self.noteBytes = noteBytes
        self.isMixed = isMixed
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 30
        configuration.httpMaximumConnectionsPerHost = 32
        session = URLSession(configuration: configuration)
    }

    var snapshot: State { state.withLock { $0 } }
    var acknowledgedCount: Int { state.withLock { $0.acknowledged.count } }

    func stop() { state.withLock { $0.isStopping = true } }

    /// Reports until `stop`, and returns when the last request is acknowledged.
    func run(writers: Int, seed: UInt64) async {
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<writers {
                group.addTask { await self.write(writer, seed &+ UInt64(writer)) }
            }
        }
    }

    private func write(_ writer: Int, _ seed: UInt64) async {
        var chance = SeededGenerator(seed: seed)
        var number = 0
        while !state.withLock({ $0.isStopping }) {
            let ids = (0..<Int.random(in: 1...5, using: &chance)).map { index in
                "\(writer)-\(number + index)"
            }
            number += ids.count
            let events = ids.map { event($0, &chance) }
            guard let body = try? JSONSerialization.data(withJSONObject: events) else { return }
            state.withLock { $0.sent.formUnion(ids) }
            while await !post(body, ids) {
                // The server is away. Not a synchronisation: only not to burn the processor.
                try? await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    private func event(_ id: String, _ chance: inout SeededGenerator) -> [String: Any] {
        // Postgres would compress anything regular.
        let note = (0..<noteBytes / 16).map { _ in
            String(chance.next() | 1 << 63, radix: 16)
        }
        let (subject, type, data) = happening(id, &chance)
        return [
            "specversion": "1.0", "id": id, "source": Self.source, "type": type,
            "subject": subject, "time": ISO8601DateFormatter().string(from: Date()),
            "data": data.merging(["note": note.joined()]) { first, _ in first },
        ]
    }

    private func happening(
        _ id: String, _ chance: inout SeededGenerator
    ) -> (subject: String, type: String, data: [String: Any]) {
        let order = "order-\(Int.random(in: 0..<8, using: &chance))"
        let driver = ["driverName": "Driver \(id)"]
        guard isMixed else { return (order, "PizzaDelivery.DriverAssigned", driver) }
        switch Int.random(in: 0..<10, using: &chance) {
        case 0..<4: return (order, "PizzaDelivery.DriverAssigned", driver)
        case 4: return (order, "PizzaDelivery.DriverReassigned", driver)
        case 5..<8:
            let meters = Int.random(in: 0..<9_000, using: &chance)
            return (order, "PizzaDelivery.DriverLocated", ["distanceMeters": meters])
        // Whichever is recorded first says what the activity is; the others are parked.
        case 8: return ("mixed-\(order)", "PizzaDelivery.DriverAssigned", driver)
        default: return ("mixed-\(order)", "CoffeeDelivery.OrderReceived", ["coffeeName": id])
        }
    }

    /// - Returns: false when the same request is to be sent again.
    private func post(_ body: Data, _ ids: [String]) async -> Bool {
        struct Answer: Decodable {
            struct Row: Decodable {
                var id: String
                var position: Int64
                var version: Int64
            }
            var events: [Row]
        }
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = body
        request.setValue("Bearer \(key)", forHTTPHeaderField: "Authorization")
        request.setValue(
            "application/cloudevents-batch+json", forHTTPHeaderField: "Content-Type")
        guard let (data, response) = try? await session.data(for: request),
            let answer = response as? HTTPURLResponse
        else { return false }
        switch answer.statusCode {
        case 200, 201:
            guard let rows = try? JSONDecoder().decode(Answer.self, from: data).events else {
                return violate("an answer that cannot be read")
            }
            guard rows.map(\.id) == ids else { return violate("an answer to something else") }
            acknowledge(rows.map { ($0.id, Place(position: $0.position, version: $0.version)) })
            return true
        case 503:
            state.withLock { state in
                state.unavailable += 1
                if Int(answer.value(forHTTPHeaderField: "Retry-After") ?? "") == nil {
                    state.retryAfterMissing += 1
                }
            }
            return false
        default:
            return violate("\(answer.statusCode): \(String(decoding: data, as: UTF8.self))")
        }
    }

    private func acknowledge(_ places: [(String, Place)]) {
        state.withLock { state in
            for (id, place) in places { state.acknowledged[id] = place }
        }
    }

    private func violate(_ text: String) -> Bool {
        state.withLock { $0.violations.append(text) }
        return true
    }

    /// Returns when this many more events are acknowledged.
    /// - Returns: false when that takes longer than a minute.
    func waitForMore(_ count: Int) async -> Bool {
        let goal = acknowledgedCount + count
        for _ in 0..<6_000 {
            if acknowledgedCount >= goal { return true }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return false
    }
}
