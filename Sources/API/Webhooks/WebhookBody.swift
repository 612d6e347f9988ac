import Domain
import JSON
import Projections

struct WebhookWish {
    var url: String
    var kinds: [String]
    var phases: [Phase]
    var isEnabled: Bool
}

struct WebhookBody {
    private let body: JSON
    private var faults: [ProblemDocument.Fault] = []

    init(_ body: JSON) { self.body = body }

    mutating func wish(_ setup: WebhookSetup) throws(ProblemDocument) -> WebhookWish {
        let url = url(setup)
        let kinds = list("kinds", "must be a list of kinds that /v1/policies lists") {
            ActivityCatalog.standard.kind(named: $0) == nil ? nil : $0
        }
        let phases = list("phases", "must be a list of `scheduled`, `live` and `ended`") {
            Phase(rawValue: $0)
        }
        var isEnabled = true
        switch body["enabled"] {
        case nil: break
        case .bool(let flag)?: isEnabled = flag
        case _?: refuse("enabled", "must be true or false")
        }
        refuseOthers(than: ["url", "kinds", "phases", "enabled"])
        guard faults.isEmpty, let url else {
            throw ProblemDocument(faults, umbrella: .invalidWebhook)
        }
        return WebhookWish(url: url, kinds: kinds, phases: phases, isEnabled: isEnabled)
    }

    /// Seconds for which the secret before goes on signing.
    mutating func overlap() throws(ProblemDocument) -> Double {
        refuseOthers(than: ["overlapSeconds"])
        guard faults.isEmpty else { throw ProblemDocument(faults, umbrella: .invalidWebhook) }
        guard let given = body["overlapSeconds"] else { return Limits.secretOverlapSecondsDefault }
        guard let seconds = given.wholeNumber.map({ Int($0) }),
            (0...Limits.secretOverlapSecondsMax).contains(seconds)
        else {
            refuse(
                "overlapSeconds",
                "must be a whole number from 0 to \(Limits.secretOverlapSecondsMax)")
            throw ProblemDocument(faults, umbrella: .invalidWebhook)
        }
        return Double(seconds)
    }

    private mutating func url(_ setup: WebhookSetup) -> String? {
        guard let url = body["url"]?.text else {
            refuse("url", "must be a string")
            return nil
        }
        if let complaint = setup.complaint(url) {
            refuse("url", complaint)
            return nil
        }
        return url
    }

    private mutating func list<Value: Hashable>(
        _ name: String, _ detail: String, _ read: (String) -> Value?
    ) -> [Value] {
        guard let given = body[name] else { return [] }
        guard case .array(let elements) = given else {
            refuse(name, detail)
            return []
        }
        let values = elements.map { $0.text.flatMap(read) }
        if values.contains(where: { $0 == nil }) { refuse(name, detail) }
        var found: [Value] = []
        for case let value? in values where !found.contains(value) { found.append(value) }
        return found
    }

    private mutating func refuseOthers(than names: [String]) {
        faults += ProblemDocument.Fault.unknown(in: body, besides: names, .invalidWebhook)
    }

    private mutating func refuse(_ name: String, _ detail: String) {
        faults.append(
            .init(
                problem: .invalidWebhook, pointer: "/\(name)",
                detail: body[name] == nil ? "`\(name)` is missing." : "`\(name)` \(detail)."))
    }
}
