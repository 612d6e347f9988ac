import Domain
import JSON
import Projections

/// A policy as it is shown: what holds, what it would be by itself, and what may be put.
struct PolicyPage {
    let kind: any ActivityKind.Type
    let policy: Policy
    let stored: StoredPolicy?

    var json: JSON {
        var page: JSON = ["kind": .string(kind.name), "version": .integer(policy.version)]
        if let stored {
            page["fromPosition"] = .integer(stored.fromPosition)
            page["putAt"] = .string(stored.putAt.rfc3339)
            page["document"] = .encoded(stored.document)
        }
        page["thresholds"] = .object(kind.allThresholds.map(threshold))
        page["rules"] = .object(kind.rules.map(rule))
        page["texts"] = texts
        page["words"] = .string(policy.words.rawValue)
        return page
    }

    private func number(_ value: Double) -> JSON { .encoded(WireCoder.encode(value)) }

    private func threshold(_ threshold: Threshold) -> JSON.Member {
        .init(
            name: threshold.name,
            value: [
                "value": number(policy[threshold]), "standard": number(threshold.standard),
                "minimum": number(threshold.range.lowerBound),
                "maximum": number(threshold.range.upperBound), "why": .string(threshold.why),
            ])
    }

    private func rule(_ rule: Rule) -> JSON.Member {
        .init(
            name: rule.name,
            value: [
                "value": .string(policy.significance(of: rule).rawValue),
                "standard": .string(rule.standard.rawValue), "hasWords": .bool(rule.hasWords),
                "why": .string(rule.why),
            ])
    }

    private var texts: JSON {
        .object(
            kind.texts.sorted { $0.key.rawValue < $1.key.rawValue }.map { language, texts in
                .init(
                    name: language.rawValue,
                    value: .object(
                        texts.sorted { $0.key < $1.key }.map { key, template in
                            .init(name: key, value: json(template))
                        }))
            })
    }

    private func json(_ template: Template) -> JSON {
        switch template {
        case .plain(let form): .string(form.text)
        case .plural(let by, let forms):
            .object(
                [.init(name: "by", value: .string(by))]
                    + forms.sorted { $0.key.rawValue < $1.key.rawValue }.map {
                        .init(name: $0.key.rawValue, value: .string($0.value.text))
                    })
        }
    }
}
