import CCurl

/// Where a URL leads to, as libcurl reads it: another reader may find another host in it.
struct Target {
    /// In lower case and ASCII; an IPv6 address is in brackets.
    let host: String
    let port: String

    /// - Returns: nil when it is no URL of HTTP.
    init?(_ url: String) {
        guard let parsed = curl_url() else { return nil }
        defer { curl_url_cleanup(parsed) }
        guard curl_url_set(parsed, CURLUPART_URL, url, 0) == CURLUE_OK,
            let scheme = Self.part(CURLUPART_SCHEME, of: parsed)?.lowercased(),
            scheme == "https" || scheme == "http",
            let host = Self.part(CURLUPART_HOST, of: parsed),
            let port = Self.part(CURLUPART_PORT, of: parsed)
        else { return nil }
        self.host = host.lowercased()
        self.port = port
    }

    private static func part(_ part: CURLUPart, of url: OpaquePointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        let flags = UInt32(CURLU_DEFAULT_PORT | CURLU_PUNYCODE)
        guard curl_url_get(url, part, &text, flags) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }

    /// What to tell libcurl of the name, so that it need not look it up itself. The plus says that
    /// it forgets them again.
    func entries(_ addresses: [String]) -> [String] {
        let digits = addresses.map { $0.contains(":") ? "[\($0)]" : $0 }.joined(separator: ",")
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        return ["\(name)", "\(name)."].map { "+\($0):\(port):\(digits)" }
    }
}

extension WebRequest {
    /// The host that a request to the URL would ask, in lower case and ASCII; an IPv6 address is in
    /// brackets.
    /// - Returns: nil for a URL that fails with `invalidURL`.
    public static func host(of url: String) -> String? { Target(url)?.host }
}
