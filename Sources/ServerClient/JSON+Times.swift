public import Domain
public import JSON

extension JSON {
    /// Every string that is an RFC 3339 time is replaced, at any depth.
    public func movingTimes(by move: (Moment) -> Moment) -> JSON {
        switch self {
        case .string(let text): .string(Moment(rfc3339: text).map { move($0).rfc3339 } ?? text)
        case .array(let elements): .array(elements.map { $0.movingTimes(by: move) })
        case .object(let members):
            .object(
                members.map { Member(name: $0.name, value: $0.value.movingTimes(by: move)) })
        case .null, .bool, .number, .encoded: self
        }
    }
}
