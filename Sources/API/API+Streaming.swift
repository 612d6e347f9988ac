public import HTTP

extension API {
    /// Which requests want their body as it comes; the HTTP server's `streamsBody` hook.
    @Sendable public static func streamsBody(_ request: Request) -> Bool {
        guard request.method == "POST", let type = request.headers["content-type"],
            // Nearly all events come like this, and are to cost nothing here.
            !type.hasPrefix("application/json"), !type.hasPrefix("application/cloudevents")
        else { return false }
        return request.path == EventRoutes.intakePath && ContentCoding.isIdentity(request)
            && (try? CloudEventFormat(of: request)) == .lines
    }
}
