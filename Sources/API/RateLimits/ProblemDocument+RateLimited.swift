import HTTP

/// The answer to a caller that asks too often, with the time to come again.
extension ProblemDocument {
    static func tooManyRequests(
        _ allowance: Allowance, waitMicroseconds: Int64
    ) -> ProblemDocument {
        .rateLimited(
            "The tenant may send \(allowance.requests.perSecond) requests a second to this node.",
            waitMicroseconds: waitMicroseconds)
    }

    static func tooManyBytes(
        _ allowance: Allowance, waitMicroseconds: Int64
    ) -> ProblemDocument {
        .rateLimited(
            "The tenant may send \(allowance.bytes.perSecond) bytes of bodies a second to this "
                + "node.",
            waitMicroseconds: waitMicroseconds)
    }

    static func rateLimited(_ detail: String, waitMicroseconds: Int64) -> ProblemDocument {
        let seconds = (waitMicroseconds + 999_999) / 1_000_000
        return ProblemDocument(.rateLimited, detail, headers: ["retry-after": String(seconds)])
    }
}
