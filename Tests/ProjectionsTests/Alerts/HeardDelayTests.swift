import DeliveryRules
import Domain
import Foundation
import Projections
import Testing

/// Of a delay that grows and falls back, people hear what they have not heard, and nothing twice.
struct HeardDelayTests {
    /// A kind of which one event promises a time and another moves it.
    struct Kind: Sendable, CustomTestStringConvertible {
        let name: String
        let order: String
        let orderData: String
        /// The threshold for what is worth a word.
        let step: String
        /// What is said of so many minutes.
        let words: @Sendable (Int) -> String

        var testDescription: String { name }
    }

    private static let kinds = [
        Kind(
            name: "PizzaDelivery", order: "OrderPlaced",
            orderData: """
                {"orderNumber":"7","numberOfPizzas":2,"totalAmount":"€9",
                "promisedAt":"\(Story.time(200))"}
                """, step: "delayStepSeconds"
        ) { "Order 7 comes about \($0) minutes later than promised." },
        Kind(
            name: "CoffeeDelivery", order: "OrderReceived",
            orderData: #"{"coffeeName":"Flat White","estimatedAt":"\#(Story.time(200))"}"#,
            step: "delayAlertSeconds"
        ) { "Flat White comes \($0) minutes later." },
    ]

    /// An activity whose expected arrival moves.
    private struct Course {
        let kind: Kind
        var ledger: Ledger

        init(_ kind: Kind, quietFrom: String? = nil) throws {
            try self.init(kind, [(1, PolicyDocument(quietHours: quietFrom.map(Self.quiet)))])
        }

        /// - Parameter policies: each with the position from which it is in force; the order has 1.
        init(_ kind: Kind, _ policies: [(from: Int64, document: PolicyDocument)]) throws {
            self.kind = kind
            var book = PolicyBook()
            for (index, policy) in policies.enumerated() {
                book.add(
                    try ActivityCatalog.standard.policy(
                        ofKind: kind.name, policy.document, version: index + 1),
                    ofKind: kind.name, fromPosition: policy.from)
            }
            ledger = Ledger(book)
            try record(kind.order, kind.orderData, at: 0, recordedAt: 0)
        }

        static func quiet(from time: String) -> PolicyDocument.Hours {
            PolicyDocument.Hours(from: time, to: "21:00", timeZone: "UTC")
        }

        /// - Returns: what people are alerted of.
        @discardableResult
        mutating func expect(
            delayMinutes: Double, at minute: Double, recordedAt: Double? = nil
        ) throws -> String? {
            try record(
                "EstimateRevised", #"{"estimatedAt":"\#(Story.time(200 + delayMinutes))"}"#,
                at: minute, recordedAt: recordedAt ?? minute)
            return ledger.decisions.last?.alert?.body
        }

        private mutating func record(
            _ type: String, _ data: String, at minute: Double, recordedAt: Double
        ) throws {
            try ledger.record(
                NewEvent(
                    id: "\(ledger.events.count)", source: "test", type: "\(kind.name).\(type)",
                    activityID: ActivityID(rawValue: "a"),
                    occurredAt: Story.start.adding(seconds: minute * 60), data: Data(data.utf8)),
                at: Story.start.adding(seconds: recordedAt * 60))
        }

        /// What the end of quiet hours tells.
        mutating func morning() throws -> [String] {
            let count = ledger.decisions.count
            try ledger.wait(until: Story.start.adding(seconds: 3 * 3600))
            return ledger.decisions.dropFirst(count).flatMap { $0.allAlerts.map(\.alert.body) }
        }

        /// The text of the one push that carries out the newest of the decisions.
        func said(ofNewest count: Int) throws -> String? {
            struct Body: Decodable {
                struct Aps: Decodable { var alert: [String: String]? }
                var aps: Aps
            }
            let plan = PushPlan.make(
                snapshot: try #require(ledger.snapshots.last),
                pending: ledger.decisions.filter(\.verdict.pushes).suffix(count),
                lastCompleted: nil, timestamp: Story.start.unixSeconds)
            let message = try #require(plan.message())
            return try JSONDecoder().decode(Body.self, from: Data(message.body))
                .aps.alert?["body"]
        }
    }

    @Test(arguments: kinds)
    func `one that came and went in the night is said when it comes back`(kind: Kind) throws {
        var course = try Course(kind, quietFrom: "18:00")
        for (minute, delay) in [25.0, 0, 25].enumerated() {
            #expect(try course.expect(delayMinutes: delay, at: Double(minute + 1)) == nil)
        }
        #expect(course.ledger.decisions[1].alertContext?.silence == .quietHours)
        #expect(course.ledger.decisions[2].alertContext?.dropped == [2])
        #expect(course.ledger.decisions[3].alertContext?.silence == .quietHours)
        #expect(try course.morning() == [kind.words(25)])
    }

    @Test(arguments: kinds)
    func `one that came and went in the night is said when it comes back by day`(
        kind: Kind
    ) throws {
        var course = try Course(kind, quietFrom: "18:00")
        try course.expect(delayMinutes: 25, at: 1)
        try course.expect(delayMinutes: 0, at: 2)
        #expect(try course.morning().isEmpty)
        #expect(try course.expect(delayMinutes: 25, at: 181) == kind.words(25))
        #expect(try course.expect(delayMinutes: 0, at: 182) == nil)
        #expect(try course.expect(delayMinutes: 25, at: 183) == nil)
    }

    @Test(arguments: kinds)
    func `one that grew in the night and fell back is not told again`(kind: Kind) throws {
        var course = try Course(kind, quietFrom: "18:03")
        #expect(try course.expect(delayMinutes: 32, at: 1) == kind.words(32))
        try course.expect(delayMinutes: 92, at: 4)
        try course.expect(delayMinutes: 32, at: 5)
        #expect(course.ledger.decisions.last?.alertContext?.dropped == [3])
        #expect(try course.morning().isEmpty)
        var grown = try Course(kind, quietFrom: "18:03")
        try grown.expect(delayMinutes: 32, at: 1)
        for (minute, delay) in [92.0, 32, 92].enumerated() {
            try grown.expect(delayMinutes: delay, at: Double(minute + 4))
        }
        #expect(try grown.morning() == [kind.words(92)])
    }

    @Test(arguments: kinds)
    func `one that was said as less than it had been is said when it is as much again`(
        kind: Kind
    ) throws {
        var course = try Course(kind, quietFrom: "18:00")
        try course.expect(delayMinutes: 92, at: 1)
        try course.expect(delayMinutes: 32, at: 2)
        #expect(try course.morning() == [kind.words(32)])
        #expect(try course.expect(delayMinutes: 91, at: 181) == kind.words(91))
        #expect(try course.expect(delayMinutes: 92, at: 182) == nil)
    }

    @Test(arguments: kinds)
    func `one that was reported too late for anybody to hear is said by the next report`(
        kind: Kind
    ) throws {
        var course = try Course(kind)
        #expect(try course.expect(delayMinutes: 31, at: 1, recordedAt: 30) == nil)
        #expect(course.ledger.decisions.last?.alertContext?.silence == .late)
        // Old news again.
        #expect(try course.expect(delayMinutes: 32, at: 2, recordedAt: 31) == nil)
        #expect(try course.expect(delayMinutes: 33, at: 32) == kind.words(33))
        #expect(course.ledger.decisions.last?.verdict == .alert)
        #expect(try course.expect(delayMinutes: 34, at: 33) == nil)
    }

    @Test(arguments: kinds)
    func `one push says no more of it than is new to those who heard the pushes before`(
        kind: Kind
    ) throws {
        var course = try Course(kind)
        try course.expect(delayMinutes: 32, at: 1)
        try course.expect(delayMinutes: 92, at: 2)
        try course.expect(delayMinutes: 32, at: 3)
        #expect(try course.said(ofNewest: 2) == nil)
        #expect(try course.said(ofNewest: 3)?.hasPrefix(kind.words(32)) == true)
        try course.expect(delayMinutes: 92, at: 4)
        #expect(try course.said(ofNewest: 3) == kind.words(92))
        #expect(try course.said(ofNewest: 1) == nil)
    }

    @Test(arguments: kinds)
    func `one that came and went and is back before a push is said in that push`(
        kind: Kind
    ) throws {
        var course = try Course(kind)
        for (minute, delay) in [32.0, 0, 33].enumerated() {
            try course.expect(delayMinutes: delay, at: Double(minute + 1))
        }
        #expect(try course.said(ofNewest: 3) == kind.words(33))
        #expect(try course.said(ofNewest: 2) == nil)
    }

    /// What people are alerted of by each report. The second and the third are made in quiet hours,
    /// and those after them under another policy.
    private func told(
        _ kind: Kind, stepMinutes: (Double, Double), delays: [Double]
    ) throws -> [String?] {
        let former = [kind.step: stepMinutes.0 * 60]
        var course = try Course(
            kind,
            [
                (1, PolicyDocument(thresholds: former)),
                (
                    3,
                    PolicyDocument(thresholds: former, quietHours: Course.quiet(from: "18:00"))
                ),
                (5, PolicyDocument(thresholds: [kind.step: stepMinutes.1 * 60])),
            ])
        return try delays.enumerated().map { index, delay in
            try course.expect(delayMinutes: delay, at: Double(index + 1))
        }
    }

    @Test(arguments: kinds)
    func `one that was dropped in the night is said by larger steps if people heard of less`(
        kind: Kind
    ) throws {
        #expect(
            try told(kind, stepMinutes: (5, 20), delays: [21, 65, 21, 39, 63])
                == [kind.words(21), nil, nil, nil, kind.words(63)])
    }

    @Test(arguments: kinds)
    func `one that was dropped in the night is not told by smaller steps if people heard of more`(
        kind: Kind
    ) throws {
        #expect(
            try told(kind, stepMinutes: (10, 5), delays: [21, 65, 22, 16, 21, 25])
                == [kind.words(21), nil, nil, nil, nil, kind.words(25)])
    }

    @Test(arguments: kinds)
    func `one that larger steps have no word for is not told in words that are no longer true`(
        kind: Kind
    ) throws {
        #expect(
            try told(kind, stepMinutes: (5, 20), delays: [0, 15, 16, 7, 41])
                == [nil, nil, nil, nil, kind.words(41)])
    }

    @Test func `at the door nobody hears of it any more`() throws {
        let pizza = Self.kinds[0]
        var course = try Course(pizza, quietFrom: "18:00")
        try course.expect(delayMinutes: 25, at: 1)
        try course.ledger.record(
            NewEvent(
                id: "door", source: "test", type: "PizzaDelivery.DriverArriving",
                activityID: ActivityID(rawValue: "a"),
                occurredAt: Story.start.adding(seconds: 120), data: Data("{}".utf8)),
            at: Story.start.adding(seconds: 120))
        try course.expect(delayMinutes: 0, at: 3)
        try course.expect(delayMinutes: 25, at: 4)
        #expect(try course.morning() == ["Your driver is arriving."])
    }
}
