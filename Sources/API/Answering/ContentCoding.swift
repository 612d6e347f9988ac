import HTTP

/// Which codings of bodies are spoken (RFC 9110, 8.4).
enum ContentCoding {
    /// In which the body of a request may come.
    static let accepted = "gzip, identity"

    /// The body is as it is.
    static func isIdentity(_ request: Request) -> Bool {
        request.headers["content-encoding"].map { $0.isEmpty || $0.lowercased() == "identity" }
            ?? true
    }

    static func isGzip(_ request: Request) -> Bool {
        guard let coding = request.headers["content-encoding"]?.lowercased() else { return false }
        return coding == "gzip" || coding == "x-gzip"
    }

    /// A list of codings, each perhaps with a weight; what is named goes before `*`.
    static func isGzipWanted(by request: Request) -> Bool {
        var others = false
        for field in request.headers.values(of: "accept-encoding") {
            for entry in field.lowercased().split(separator: ",") {
                let parts = entry.split(separator: ";").map {
                    $0.filter { $0 != " " && $0 != "\t" }
                }
                let isRefused = parts.dropFirst().contains { part in
                    part.hasPrefix("q=") && Double(part.dropFirst(2)) == 0
                }
                switch parts.first {
                case "gzip", "x-gzip": return !isRefused
                case "*": others = !isRefused
                default: break
                }
            }
        }
        return others
    }
}
