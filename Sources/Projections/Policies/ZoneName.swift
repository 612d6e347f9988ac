import Foundation

/// Names of the IANA time zone database. Foundation takes more than those: offsets, and
/// abbreviations of which some mean another place than people think (`BST` is Dhaka's time).
enum ZoneName {
    /// Why quiet hours cannot have a time zone, as what a sentence about it says; nil when they
    /// can.
    /// - Parameter isNew: yet to be put; what was put before keeps whatever Foundation takes.
    static func refusal(of name: String, isNew: Bool) -> String? {
        let known = TimeZone(identifier: name)
        if let known, isNew, let fixed = fixed(known, as: name) {
            return "must be a name of the IANA time zone database: this one is `\(fixed)` there, "
                + "and a place such as `Europe/Berlin` has summer time as well"
        }
        guard known == nil || (isNew && !isOfDatabase(name)) else { return nil }
        let example = similar(to: name) ?? "Europe/Berlin"
        return "must be a name of the IANA time zone database, such as `\(example)`"
    }

    /// Whether a name that Foundation takes is in the database of time zones.
    private static func isOfDatabase(_ name: String) -> Bool {
        if abbreviations.contains(name) || name.hasPrefix("SystemV/") { return false }
        let isOffset = name.hasPrefix("GMT") || name.hasPrefix("UTC")
        return !isOffset || ["GMT", "UTC", "GMT0", "GMT+0", "GMT-0"].contains(name)
    }

    /// The name of a fixed number of hours: in `Etc/GMT-2` the sign is the other way round.
    private static func fixed(_ zone: TimeZone, as name: String) -> String? {
        guard !isOfDatabase(name), zone.identifier.hasPrefix("GMT") else { return nil }
        let seconds = zone.secondsFromGMT(for: Date(timeIntervalSince1970: 0))
        let hours = seconds / 3600
        guard seconds % 3600 == 0, (-12...14).contains(hours) else { return nil }
        return hours == 0 ? "UTC" : "Etc/GMT\(hours > 0 ? "-" : "+")\(hours.magnitude)"
    }

    /// With the same letters in another case, or of the same place.
    private static func similar(to name: String) -> String? {
        guard name.utf8.count <= Limits.comparedNameBytesMax else { return nil }
        let wanted = name.lowercased()
        let known = TimeZone.knownTimeZoneIdentifiers
        return known.first { $0.lowercased() == wanted }
            ?? known.first { $0.lowercased().hasSuffix("/" + wanted) }
    }

    /// Source: ICU's short names, which are older Java's, without those that IANA has as well.
    private static let abbreviations: Set<String> = [
        "ACT", "AET", "AGT", "ART", "AST", "BET", "BST", "CAT", "CNT", "CST", "CTT", "EAT", "ECT",
        "IET", "IST", "JST", "MIT", "NET", "NST", "PLT", "PNT", "PRT", "PST", "SST", "VST",
    ]
}
