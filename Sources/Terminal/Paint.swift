import Glibc
public import Domain

/// Colours for a terminal, and none for anything else.
public struct Paint: Sendable {
    public enum Colour: Int, CaseIterable, Sendable {
        case red = 31
        case green = 32
        case yellow = 33
        case cyan = 36
        case dim = 2
        case bold = 1
    }

    public static let option = OptionSpec(
        "color", .choice(["auto", "always", "never"]),
        "Colours: on a terminal that does not forbid them by NO_COLOR, always, or never.",
        default: "auto")

    public let isOn: Bool

    /// - Parameter choice: what the option says.
    public init(_ choice: String?, isTerminal: Bool, environment: [String: String]) {
        isOn =
            switch choice {
            case "always": true
            case "never": false
            default:
                isTerminal && (environment["NO_COLOR"] ?? "").isEmpty
                    && environment["TERM"] != "dumb"
            }
    }

    public func callAsFunction(_ colour: Colour, _ text: String) -> String {
        isOn && !text.isEmpty
            ? Self.control(colour.rawValue) + text + Self.control(Self.end) : text
    }

    /// All that it writes beside texts.
    static let controls = (Colour.allCases.map(\.rawValue) + [Self.end]).map { Self.control($0) }

    /// After which nothing has a colour.
    private static let end = 0

    private static func control(_ code: Int) -> String { "\u{1B}[\(code)m" }
}

extension Verdict {
    /// In which it stands on a terminal.
    public var colour: Paint.Colour {
        switch self {
        case .alert: .red
        case .timely: .yellow
        case .quiet: .cyan
        case .hold: .dim
        case .end: .green
        }
    }
}
