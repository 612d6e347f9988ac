public import HTTP

extension API {
    /// The problem document for what the HTTP server refuses by itself; its `rejection` hook.
    @Sendable public static func rejection(_ rejection: Rejection) -> Response {
        var document = ProblemDocument(problem(for: rejection.reason), rejection.detail)
        if document.problem.status == 503 {
            let seconds = APILimits.standard.retryAfterSeconds
            document.headers.append("retry-after", String(seconds))
        }
        return document.response
    }

    private static func problem(for reason: Rejection.Reason) -> Problem {
        switch reason {
        case .malformed: .malformedRequest
        case .headTimeout, .bodyTimeout: .requestTimeout
        case .targetTooLong: .targetTooLong
        case .headTooLarge: .headersTooLarge
        case .bodyTooLarge: .bodyTooLarge
        case .expectationUnknown: .unsupportedExpectation
        case .transferCodingUnknown: .unsupportedTransferEncoding
        case .versionUnknown: .unsupportedVersion
        case .tooManyConnections, .noRoomForBody: .overloaded
        }
    }
}
