/// Where the value of an option comes from. What comes later beats what comes before.
public enum SettingOrigin: Hashable, Comparable, Sendable {
    /// The program, or nothing at all.
    case standard
    case file(line: Int)
    case variable(String)
    case flag

    private var rank: Int {
        switch self {
        case .standard: 0
        case .file: 1
        case .variable: 2
        case .flag: 3
        }
    }

    public static func < (left: SettingOrigin, right: SettingOrigin) -> Bool {
        left.rank < right.rank
    }

    /// For people.
    public var text: String {
        switch self {
        case .standard: "default"
        case .file(let line): "file, line \(line)"
        case .variable(let name): name
        case .flag: "flag"
        }
    }
}
