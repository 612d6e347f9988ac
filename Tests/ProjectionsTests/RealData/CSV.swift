import Foundation

/// Rows of a file of comma-separated values by the names in its first line. Values may be quoted.
enum CSV {
    static func rows(_ text: String) -> [[String: String]] {
        let records = records(text)
        guard let names = records.first else { return [] }
        return records.dropFirst().map { values in
            Dictionary(zip(names, values)) { first, _ in first }
        }
    }

    private static func records(_ text: String) -> [[String]] {
        var records: [[String]] = []
        var record: [String] = []
        var value = ""
        var isQuoted = false
        for character in text {
            switch character {
            case "\"": isQuoted.toggle()
            case "," where !isQuoted:
                record.append(value)
                value = ""
            case "\n" where !isQuoted, "\r\n" where !isQuoted:
                records.append(record + [value])
                record = []
                value = ""
            default: value.append(character)
            }
        }
        if !record.isEmpty || !value.isEmpty { records.append(record + [value]) }
        return records
    }
}
