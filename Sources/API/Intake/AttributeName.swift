import Domain

/// Names of CloudEvents attributes: those that Islet reads, and what others may look like.
enum AttributeName {
    /// The attributes to which Islet gives a meaning.
    static let read: Set = [
        "specversion", "id", "source", "type", "subject", "time", "datacontenttype", "dataschema",
        "schemaversion", "expectedversion", "data", "data_base64",
    ]

    /// What the log adds to an event that it gives back. Taken and not kept, so that an event that
    /// was read from one log can be sent to another.
    static let addedByLog: Set = ["position", "version", "recordedat"]

    /// The end of a sentence that begins with the name; nil for one that an extension may have.
    /// - Precondition: it is none of the above.
    static func refusal(of name: String) -> String? {
        guard !name.isEmpty, name.utf8.count <= Limits.attributeNameBytesMax,
            name.utf8.allSatisfy(isLegal)
        else {
            return "is no attribute: names are lower-case letters and digits, "
                + "\(Limits.attributeNameBytesMax) at most" + suggestion(for: name)
        }
        guard isSuspicious(name.utf8), let meant = meant(by: name) else { return nil }
        return "looks like a slip of `\(meant)`; give the attribute another name if it is none"
    }

    static func isLegal(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// Whether it is worth looking closer: nobody else's attribute begins or ends like these.
    static func isSuspicious(_ name: some BidirectionalCollection<UInt8>) -> Bool {
        name.starts(with: "expect".utf8) || name.starts(with: "schema".utf8)
            || name.suffix(6).elementsEqual("ersion".utf8)
    }

    private static func suggestion(for name: String) -> String {
        guard name.utf8.count <= Limits.attributeNameBytesMax else { return "" }
        let legal = String(decoding: name.lowercased().utf8.filter(isLegal), as: UTF8.self)
        let meant = meant(by: name) ?? (legal.isEmpty ? nil : legal)
        return meant.map { "; perhaps `\($0)` is meant" } ?? ""
    }

    /// One of those whose loss goes unnoticed, unless the name is written otherwise and means
    /// exactly one that Islet reads.
    private static func meant(by name: String) -> String? {
        let letters = String(
            name.lowercased().unicodeScalars.filter { $0.properties.isAlphabetic })
        if let same = read.first(where: { $0 == letters }) { return same }
        return ["expectedversion", "schemaversion"].first {
            Similarity.distance(letters, $0) <= Limits.slipEditsMax
        }
    }
}
