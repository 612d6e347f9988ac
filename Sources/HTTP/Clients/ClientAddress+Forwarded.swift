extension ClientAddress {
    /// The client whose request `peer`, a proxy to be trusted, has passed on.
    ///
    /// Each proxy adds whom it got the request from at the end, and what stands before that is what
    /// the client says: so it is read from the end, up to the first address that is no proxy of
    /// ours. Where that is unknown the request is the proxy's own.
    static func forwarded(
        _ headers: Headers, by peer: ClientAddress, trusted: [AddressRange]
    ) -> ClientAddress {
        let plain = headers.values(of: "x-forwarded-for")
        let standard = headers.values(of: "forwarded")
        // A proxy writes one of them. The other would be the client's.
        guard plain.isEmpty != standard.isEmpty else { return peer }
        let names =
            plain.isEmpty
            ? standard.flatMap(elements).map(sender) : plain.flatMap(elements).map { Optional($0) }
        for name in names.reversed() {
            guard let name, let address = ClientAddress(name) else { return peer }
            if !trusted.contains(where: { $0.contains(address) }) { return address }
        }
        return peer
    }

    /// Whether the last proxy says that it was asked by TLS: what stands before is what the client
    /// says.
    static func isForwardedSecurely(_ headers: Headers) -> Bool {
        if let plain = headers.values(of: "x-forwarded-proto").last.flatMap({
            elements(of: $0).last
        }) {
            return plain.lowercased() == "https"
        }
        guard let last = headers.values(of: "forwarded").last.flatMap({ elements(of: $0).last })
        else { return false }
        return last.split(separator: ";").map { trimmed($0).lowercased() }.contains {
            $0 == "proto=https" || $0 == "proto=\"https\""
        }
    }

    private static func elements(of field: String) -> [Substring] {
        field.split(separator: ",").map(trimmed)
    }

    /// The `for` of an element of `Forwarded` (RFC 7239).
    private static func sender(_ element: Substring) -> Substring? {
        for pair in element.split(separator: ";").map(trimmed) {
            guard pair.lowercased().hasPrefix("for=") else { continue }
            let value = pair.dropFirst("for=".count)
            return value.hasPrefix("\"") && value.hasSuffix("\"") && value.count > 1
                ? value.dropFirst().dropLast() : value
        }
        return nil
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}
