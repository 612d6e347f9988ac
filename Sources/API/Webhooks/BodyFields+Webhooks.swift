import Domain
import JSON
import Projections

struct WebhookWish {
    var url: String
    var kinds: [String]
    var phases: [Phase]
    var isEnabled: Bool
}

extension BodyFields {
    mutating func webhookWish(_ setup: WebhookSetup) throws(ProblemDocument) -> WebhookWish {
        let url = url(setup)
        let kinds = list("kinds", "must be a list of kinds that /v1/policies lists") {
            ActivityCatalog.standard.kind(named: $0) == nil ? nil : $0
        }
        let phases = list("phases", "must be a list of `scheduled`, `live` and `ended`") {
            Phase(rawValue: $0)
        }
        let isEnabled = flag("enabled") ?? true
        refuseOthers(than: ["url", "kinds", "phases", "enabled"])
        guard errors.isEmpty, let url else { throw document }
        return WebhookWish(url: url, kinds: kinds, phases: phases, isEnabled: isEnabled)
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
}
