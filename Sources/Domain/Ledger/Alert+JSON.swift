public import JSON

/// What is written of every alert.
extension Alert: CanonicalValue {
    public func write(to writer: inout CanonicalWriter) {
        writer.object { members in
            members.member("body", body)
            members.member("keys", encoding: keys)
            members.member("sound", sound)
            members.member("title", title)
            if !translations.isEmpty {
                members.member(
                    "translations", naming: translations.map { ($0.key.rawValue, $0.value) })
            }
        }
    }
}

extension Alert.Text: CanonicalValue {
    public func write(to writer: inout CanonicalWriter) {
        writer.object {
            $0.member("body", body)
            $0.member("title", title)
        }
    }
}

extension AlertContext: CanonicalValue {
    public func write(to writer: inout CanonicalWriter) {
        writer.object { members in
            members.member("amends", encoding: amendments.isEmpty ? nil : amendments)
            members.member("carried", encoding: carried.isEmpty ? nil : carried)
            members.member("degree", encoding: degree)
            if !dropped.isEmpty { members.member("dropped", array: dropped) }
            members.member("isCorrection", isCorrection)
            members.member("revision", encoding: changedValue)
            members.member("silence", silence)
            members.member("subject", subject)
            members.member("weight", weight)
            members.member("withdraws", array: withdrawnSubjects)
        }
    }
}

extension Silence: CanonicalValue {}
