public import Domain

/// What happened to a tenant in one minute.
public struct SeriesRow: Hashable, Sendable {
    public var tenant: TenantID
    /// The minute's beginning.
    public var minute: Moment
    public var counts: SeriesCounts

    public init(tenant: TenantID, minute: Moment, counts: SeriesCounts) {
        self.tenant = tenant
        self.minute = minute
        self.counts = counts
    }
}

/// Figures by name. All of them add up but the lag, of which the worst counts.
public struct SeriesCounts: Hashable, Sendable {
    public private(set) var amounts: [String: Int64]

    public init(_ amounts: [String: Int64] = [:]) { self.amounts = amounts }

    public static let events = "events"
    public static let alerts = "alerts"
    /// Activities that were begun.
    public static let begun = "begun"
    /// Activities that ended and were promised for a time.
    public static let measured = "measured"
    /// Of those, the ones that kept it.
    public static let onTime = "onTime"
    public static let lag = "lagMillis"
    public static let verdictPrefix = "verdict:"
    public static let answerPrefix = "answer:"
    static let latencyPrefix = "latency:"

    public subscript(name: String) -> Int64 { amounts[name] ?? 0 }

    public mutating func add(_ amount: Int64, _ name: String) {
        guard amount != 0 else { return }
        amounts[name] =
            name == Self.lag ? max(self[name], amount) : self[name] &+ amount
    }

    public mutating func add(_ other: SeriesCounts) {
        for (name, amount) in other.amounts { add(amount, name) }
    }

    /// Pushes that APNs accepted so long after their event was recorded.
    public mutating func add(_ pushes: Int64 = 1, latencySeconds: Double) {
        add(pushes, Self.latencyPrefix + String(LatencySteps.step(of: latencySeconds)))
    }

    /// Of those whose names begin with a prefix, by the rest of the name.
    public func family(_ prefix: String) -> [String: Int64] {
        var family: [String: Int64] = [:]
        for (name, amount) in amounts where name.hasPrefix(prefix) {
            family[String(name.dropFirst(prefix.count))] = amount
        }
        return family
    }

    /// What so many of the pushes took at most, in seconds; nil where none was accepted.
    public func latency(share: Double) -> Double? {
        let steps = family(Self.latencyPrefix).compactMap { name, count in
            Int(name).map { (step: $0, count: count) }
        }.sorted { $0.step < $1.step }
        let total = steps.reduce(0) { $0 + Double($1.count) }
        guard total > 0 else { return nil }
        var left = (total * share).rounded(.up)
        for (step, count) in steps {
            left -= Double(count)
            if left <= 0 { return LatencySteps.seconds(upTo: step) }
        }
        return steps.last.map { LatencySteps.seconds(upTo: $0.step) }
    }
}

/// Latencies are counted in steps, each a quarter longer than the one before: from 1 ms to some
/// hours in 72.
enum LatencySteps {
    private static let last = 71
    private static let first = 0.001
    private static let ratio = 1.25

    static func step(of seconds: Double) -> Int {
        var (step, bound) = (0, first)
        while bound < seconds, step < last { (step, bound) = (step + 1, bound * ratio) }
        return step
    }

    static func seconds(upTo step: Int) -> Double {
        (0..<max(0, min(step, last))).reduce(first) { bound, _ in bound * ratio }
    }
}
