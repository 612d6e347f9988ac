import HTTP

extension EventRoutes {
    /// Answers a sender that asks, before it delivers events, whether it may (HTTP 1.1 Web Hooks
    /// for Event Delivery, 4: abuse protection).
    ///
    /// Anybody who asks may try: each delivery needs a key, so nothing is given away by saying yes,
    /// and a broker's host is not known beforehand.
    static func shakeHands(
        _ request: Request, requestsPerSecond: Int, _ response: inout Response
    ) throws(ProblemDocument) {
        guard let origin = request.headers["webhook-request-origin"] else { return }
        guard isHostName(origin) else {
            throw ProblemDocument(
                .malformedRequest,
                "`WebHook-Request-Origin` must be a host name of at most "
                    + "\(Limits.hostNameBytesMax) characters.")
        }
        response.status = 200
        response.headers.append("webhook-allowed-origin", origin)
        let perMinute = requestsPerSecond * 60
        let wanted = request.headers["webhook-request-rate"].flatMap { Int($0) }
        let allowed = wanted.map { $0 > 0 ? min($0, perMinute) : perMinute } ?? perMinute
        response.headers.append("webhook-allowed-rate", String(allowed))
    }

    private static func isHostName(_ text: String) -> Bool {
        (1...Limits.hostNameBytesMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                AttributeName.isLegal(byte)
                    || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                    || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
            }
    }
}
