import Domain
import JSON

extension BodyFields {
    mutating func audience() throws(ProblemDocument) -> (
        topics: [AudienceTopic], notBefore: Moment?
    ) {
        let topics = topics()
        let notBefore = moment("notBefore")
        refuseOthers(than: ["topics", "notBefore"])
        guard errors.isEmpty, let topics else { throw document }
        return (topics, notBefore)
    }

    /// Topics of a phone or of an audience, as both are sent.
    /// - Returns: nil and at least one more error, or topics and none.
    mutating func topics() -> [AudienceTopic]? {
        guard case .array(let elements)? = body["topics"],
            (1...AudienceTopic.countMax).contains(elements.count)
        else {
            refuse("topics", "must be an array of 1 to \(AudienceTopic.countMax) topics")
            return nil
        }
        var topics: [AudienceTopic] = []
        for (index, element) in elements.enumerated() {
            if let topic = element.text.flatMap({ AudienceTopic(rawValue: $0) }) {
                topics.append(topic)
            } else {
                errors.append(
                    .init(
                        problem: problem, pointer: "/topics/\(index)",
                        detail: "`topics/\(index)` must be a `name:value` of at most "
                            + "\(AudienceTopic.bytesMax) bytes, with a name of letters, digits, "
                            + "`-`, `_` and `.`, and a value without control characters."))
            }
        }
        return topics.count == elements.count ? topics : nil
    }
}
