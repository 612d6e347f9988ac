import Domain
import JSON

struct AudienceBody {
    private let body: JSON
    private var faults: [ProblemDocument.Fault] = []

    init(_ body: JSON) { self.body = body }

    mutating func wish() throws(ProblemDocument) -> (topics: [AudienceTopic], notBefore: Moment?) {
        let (topics, topicFaults) = TopicList.read(body["topics"], .invalidAudience)
        faults += topicFaults
        var notBefore: Moment?
        if let given = body["notBefore"] {
            notBefore = given.text.flatMap { Moment(rfc3339: $0) }
            if notBefore == nil {
                faults.append(
                    .init(
                        problem: .invalidAudience, pointer: "/notBefore",
                        detail: "`notBefore` must be a moment as RFC 3339 has it, with a zone."))
            }
        }
        faults += ProblemDocument.Fault.unknown(
            in: body, besides: ["topics", "notBefore"], .invalidAudience)
        guard faults.isEmpty, let topics else {
            throw ProblemDocument(faults, umbrella: .invalidAudience)
        }
        return (topics, notBefore)
    }
}

/// Topics of a phone or of an audience, as both are sent.
enum TopicList {
    /// - Returns: nil and at least one fault, or topics and none.
    static func read(
        _ value: JSON?, _ problem: Problem
    ) -> (topics: [AudienceTopic]?, faults: [ProblemDocument.Fault]) {
        func fault(_ pointer: String, _ detail: String) -> ProblemDocument.Fault {
            .init(problem: problem, pointer: pointer, detail: detail)
        }
        guard let value else { return (nil, [fault("/topics", "`topics` is missing.")]) }
        guard case .array(let elements) = value,
            (1...AudienceTopic.countMax).contains(elements.count)
        else {
            return (
                nil,
                [
                    fault(
                        "/topics",
                        "`topics` must be an array of 1 to \(AudienceTopic.countMax) topics.")
                ]
            )
        }
        var topics: [AudienceTopic] = []
        var faults: [ProblemDocument.Fault] = []
        for (index, element) in elements.enumerated() {
            if let topic = element.text.flatMap({ AudienceTopic(rawValue: $0) }) {
                topics.append(topic)
            } else {
                faults.append(
                    fault(
                        "/topics/\(index)",
                        "`topics/\(index)` must be a `name:value` of at most "
                            + "\(AudienceTopic.bytesMax) bytes, with a name of letters, digits, "
                            + "`-`, `_` and `.`, and a value without control characters."))
            }
        }
        return faults.isEmpty ? (topics, []) : (nil, faults)
    }
}
