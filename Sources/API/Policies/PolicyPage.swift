import Domain
import JSON
import Projections

/// A policy as it is shown: what is in force, what it would be by itself, and what may be put.
struct PolicyPage: Sendable {
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
        page["keys"] = keys
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

    /// In each language what it has of its own: English stands in for the rest.
    private var texts: JSON {
        let (builtIn, own) = (kind.texts, policy.texts)
        let languages = Set(builtIn.keys).union(own.keys)
        return .object(
            languages.sorted { $0.rawValue < $1.rawValue }.map { language in
                let standards = builtIn[language] ?? [:]
                let values = standards.merging(own[language] ?? [:]) { $1 }
                return JSON.Member(
                    name: language.rawValue,
                    value: .object(
                        values.sorted { $0.key < $1.key }.map { key, template in
                            text(key, template, standard: standards[key])
                        }))
            })
    }

    private func text(
        _ key: String, _ template: Template, standard: Template?
    ) -> JSON.Member {
        .init(
            name: key,
            value: [
                "value": json(template), "standard": standard.map { json($0) } ?? .null,
            ])
    }

    private var keys: JSON {
        let standards = AppTexts(kind, under: .builtIn).names
        return .object(
            AppTexts(kind, under: policy).names.sorted { $0.key < $1.key }.map { key, name in
                JSON.Member(
                    name: key,
                    value: ["value": .string(name), "standard": .optional(standards[key])])
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
