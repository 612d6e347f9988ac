public import Foundation

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
        do { self = try JSONDecoder().decode(Self.self, from: json) } catch {
            throw FieldProblem(sentence: Card.explain(error))
        }
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
}

extension Scenario: Decodable {
    private enum Field: String, CodingKey, CaseIterable { case seed, rules, phones, faults }

    private enum Rule: String, CodingKey, CaseIterable {
        case activities, starts, startWindowSeconds, updates, frequentUpdates, channels
        case broadcastSeconds
    }

    private enum Measure: String, CodingKey, CaseIterable { case count, refillSeconds }

    /// As `POST /phones`, but no member may be unknown.
    private struct Phone: Decodable {
        var request: PhoneRequest

        init(from decoder: any Decoder) throws {
            _ = try decoder.fields(PhoneRequest.CodingKeys.self)
            do { request = try PhoneRequest(from: decoder) } catch {
                throw FieldProblem(sentence: Card.explain(error))
            }
        }
    }

    public init(from decoder: any Decoder) throws {
        let fields = try decoder.fields(Field.self)
        if fields.contains(.seed) { seed = UInt64(try fields.number(.seed, in: 0...Int.max)) }
        phones = try fields.value(.phones, "a list", else: [Phone]()).map(\.request)
        faults = try fields.value(.faults, "a list", else: [])
        guard fields.contains(.rules) else { return }
        try readRules(fields.superDecoder(forKey: .rules).fields(Rule.self))
    }

    private mutating func readRules(_ fields: KeyedDecodingContainer<Rule>) throws {
        rules.activitiesMax = try fields.number(
            .activities, in: 1...1000, else: rules.activitiesMax)
        rules.startsMax = try fields.number(.starts, in: 0...1_000_000, else: rules.startsMax)
        rules.startWindowSeconds = try fields.number(
            .startWindowSeconds, in: 1...86_400, else: rules.startWindowSeconds)
        rules.updates = try Self.pace(.updates, fields, else: rules.updates)
        rules.frequentUpdates = try Self.pace(.frequentUpdates, fields, else: rules.frequentUpdates)
        broadcast.channelsMax = try fields.number(
            .channels, in: 0...Limits.channelsMax, else: broadcast.channelsMax)
        if fields.contains(.broadcastSeconds) {
            broadcast.intervalSecondsMin = try fields.number(.broadcastSeconds, in: 0...3600)
        }
    }

    /// `null` for any number of updates.
    private static func pace(
        _ name: Rule, _ fields: KeyedDecodingContainer<Rule>, else standard: PhoneRules.Pace?
    ) throws -> PhoneRules.Pace? {
        guard fields.contains(name) else { return standard }
        if try fields.decodeNil(forKey: name) { return nil }
        let inner = try fields.superDecoder(forKey: name).fields(Measure.self)
        let count: Double = try inner.number(.count, in: 1...1_000_000)
        return PhoneRules.Pace(
            count: count,
            refillSeconds: try inner.number(
                .refillSeconds, in: 0.001...86_400, else: 3600 / count))
    }
}
