public import Foundation
import JSON

/// A world to begin with and what goes wrong in it and when, from a JSON file.
public struct Scenario: Sendable {
    private var seed: UInt64?
    private var rules = PhoneRules()
    private var broadcast = BroadcastRules()
    private var phones: [PhoneRequest] = []
    private var faults: [Fault] = []

    /// - Throws: what is wrong with it, the first thing only.
    public init(json: Data) throws(FieldProblem) {
        guard json.count <= Limits.scenarioBytesMax else {
            throw FieldProblem(sentence: "it has more than \(Limits.scenarioBytesMax) bytes")
        }
        guard let value = try? JSONDecoder().decode(JSON.self, from: json) else {
            throw FieldProblem(sentence: "it is not JSON")
        }
        try read(NamedFields(value))
    }

    /// Before the simulator is started.
    public func apply(to configuration: inout SimulatorConfiguration) {
        configuration.seed = seed ?? configuration.seed
        configuration.rules = rules
        configuration.broadcast = broadcast
    }

    /// Adds the phones; from now on the faults' time counts.
    public func begin(on simulator: Simulator) throws(FieldProblem) {
        for (index, phone) in phones.enumerated() {
            do throws(ControlProblem) { _ = try phone.add(to: simulator) } catch {
                throw FieldProblem(sentence: "phones[\(index)]: \(error.detail)")
            }
        }
        for (index, fault) in faults.enumerated() {
            do throws(SimulatorError) { try simulator.cause(fault) } catch {
                let detail = ControlProblem(error).detail
                throw FieldProblem(sentence: "faults[\(index)]: \(detail)")
            }
        }
    }

    private mutating func read(_ fields: NamedFields) throws(FieldProblem) {
        var fields = fields
        seed = try fields.integer("seed", in: 0...Int.max).map(UInt64.init)
        if var inner = try fields.object("rules") { try readRules(&inner) }
        for (index, value) in try fields.list("phones").enumerated() {
            phones.append(try PhoneRequest(value, at: "phones[\(index)]"))
        }
        for fault in try fields.objects("faults") { faults.append(try Fault(fault)) }
        try fields.finish(known: "seed, rules, phones and faults")
    }

    private mutating func readRules(_ fields: inout NamedFields) throws(FieldProblem) {
        rules.activitiesMax =
            try fields.integer("activities", in: 1...1000) ?? rules.activitiesMax
        rules.startsMax = try fields.integer("starts", in: 0...1_000_000) ?? rules.startsMax
        rules.startWindowSeconds =
            try fields.number("startWindowSeconds", in: 1...86_400) ?? rules.startWindowSeconds
        rules.updates = try Self.pace("updates", &fields, else: rules.updates)
        rules.frequentUpdates = try Self.pace(
            "frequentUpdates", &fields, else: rules.frequentUpdates)
        broadcast.channelsMax =
            try fields.integer("channels", in: 0...Limits.channelsMax) ?? broadcast.channelsMax
        broadcast.intervalSecondsMin = try fields.number("broadcastSeconds", in: 0...3600)
        try fields.finish(
            known: "activities, starts, startWindowSeconds, updates, frequentUpdates, channels and "
                + "broadcastSeconds")
    }

    /// `null` for any number of updates.
    private static func pace(
        _ name: String, _ fields: inout NamedFields, else standard: PhoneRules.Pace?
    ) throws(FieldProblem) -> PhoneRules.Pace? {
        guard fields.has(name) else { return standard }
        if fields.value(name) == .null { return nil }
        guard var inner = try fields.object(name),
            let count = try inner.number("count", in: 1...1_000_000)
        else { throw fields.problem(name, "needs a count, or to be null") }
        let refillSeconds = try inner.number("refillSeconds", in: 0.001...86_400) ?? 3600 / count
        try inner.finish(known: "count and refillSeconds")
        return PhoneRules.Pace(count: count, refillSeconds: refillSeconds)
    }
}
