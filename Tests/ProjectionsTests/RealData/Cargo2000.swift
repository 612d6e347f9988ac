import Domain
import Foundation
import Testing

/// Air freight as deliveries of the pizza kind: up to three parcels come in, and one goes out.
///
/// The set has durations in minutes, planned and actual, each since the milestone before.
enum Cargo2000 {
    struct Milestone {
        var step: Step
        var plannedMinutes: Double
        var actualMinutes: Double
    }

    enum Step {
        case checkedIn, departed, arrived, delivered
    }

    struct Shipment {
        var number: Int
        /// They run side by side; the outbound leg starts when the last of them is delivered.
        var inbound: [[Milestone]]
        var outbound: [Milestone]

        var plannedMinutes: Double {
            (inbound.map { $0.sum(\.plannedMinutes) }.max() ?? 0) + outbound.sum(\.plannedMinutes)
        }
        var actualMinutes: Double {
            (inbound.map { $0.sum(\.actualMinutes) }.max() ?? 0) + outbound.sum(\.actualMinutes)
        }
    }

    static func shipments() throws -> [Shipment] {
        let file = try SharedData.file("deliveries/cargo2000/shipments.csv")
        return try CSV.rows(String(contentsOf: file, encoding: .utf8)).map { row in
            let legs = try ["i1", "i2", "i3", "o"].map { try leg($0, row) }
            return Shipment(
                number: try number("nr", row), inbound: legs.dropLast().filter { !$0.isEmpty },
                outbound: legs[3])
        }
    }

    private static func leg(_ leg: String, _ row: [String: String]) throws -> [Milestone] {
        guard try number("\(leg)_legid", row) != 0 else { return [] }
        func milestone(_ name: String, _ step: Step) throws -> Milestone {
            Milestone(
                step: step, plannedMinutes: Double(try number("\(leg)_\(name)_p", row)),
                actualMinutes: Double(try number("\(leg)_\(name)_e", row)))
        }
        var milestones = [try milestone("rcs", .checkedIn)]
        for hop in 1...(try number("\(leg)_hops", row)) {
            milestones.append(try milestone("dep_\(hop)", .departed))
            milestones.append(try milestone("rcf_\(hop)", .arrived))
        }
        return milestones + [try milestone("dlv", .delivered)]
    }

    private static func number(_ name: String, _ row: [String: String]) throws -> Int {
        try #require(row[name].flatMap { Int($0) }, "\(name)")
    }
}

extension Cargo2000.Shipment {
    /// The shipment as a merchant would have reported it, with a new estimate at each milestone.
    /// - Parameter secondsPerMinute: less than 60 for a shipment of hours instead of days.
    func events(from beginning: Moment, secondsPerMinute: Double = 60) -> [NewEvent] {
        var script = FeedScript("PizzaDelivery", "cargo-\(number)", from: beginning)
        let time = { (minutes: Double) in
            beginning.adding(seconds: minutes * secondsPerMinute).rfc3339
        }
        script.add(
            "OrderPlaced", 0,
            [
                "orderNumber": "\(number)", "numberOfPizzas": inbound.count,
                "totalAmount": "prepaid", "promisedAt": time(plannedMinutes),
            ])
        var reports: [(minutes: Double, type: String, data: [String: Any?])] = []
        var ready = 0.0
        for leg in inbound {
            var now = 0.0
            for milestone in leg {
                now += milestone.actualMinutes
                switch milestone.step {
                case .checkedIn: reports.append((now, "OrderAccepted", [:]))
                case .departed, .arrived: reports.append((now, "PreparationStarted", [:]))
                case .delivered: break
                }
            }
            ready = max(ready, now)
        }
        reports.append((ready, "OrderReady", [:]))
        var now = ready
        var left = outbound.sum(\.plannedMinutes)
        for milestone in outbound {
            now += milestone.actualMinutes
            left -= milestone.plannedMinutes
            reports.append((now, "EstimateRevised", ["estimatedAt": time(now + left)]))
            switch milestone.step {
            case .checkedIn: reports.append((now, "DriverAssigned", ["driverName": "Carrier"]))
            case .departed: reports.append((now, "OrderPickedUp", [:]))
            case .arrived: break
            case .delivered: reports.append((now, "OrderDelivered", [:]))
            }
        }
        for (_, report) in reports.enumerated().sorted(by: {
            ($0.element.minutes, $0.offset) < ($1.element.minutes, $1.offset)
        }) {
            script.add(report.type, report.minutes * secondsPerMinute, report.data)
        }
        return script.events
    }
}

extension [Cargo2000.Milestone] {
    func sum(_ member: KeyPath<Cargo2000.Milestone, Double>) -> Double {
        reduce(0) { $0 + $1[keyPath: member] }
    }
}
