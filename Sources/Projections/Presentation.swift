public import Domain

/// What a person sees of one activity, as data: the dashboard draws it, the simulated phone and the
/// replay tool print it.
public struct Presentation: Hashable, Codable, Sendable {
    /// A clock that the phone runs by itself, so that time passing needs no push.
    public enum Clock: Hashable, Codable, Sendable {
        case countdown(to: Moment)
        case countUp(from: Moment)
    }

    /// A piece of text; with a clock, the clock's reading follows the text.
    public struct Line: Hashable, Codable, Sendable {
        /// What stands there.
        public var text: String
        /// A clock that the phone draws beside the text.
        public var clock: Clock?

        public init(_ text: String, clock: Clock? = nil) {
            self.text = text
            self.clock = clock
        }
    }

    /// The four regions of the expanded Dynamic Island.
    public struct Expanded: Hashable, Codable, Sendable {
        /// Beside the camera, on the left.
        public var leading: Line
        /// Beside the camera, on the right.
        public var trailing: Line
        /// Below the camera.
        public var center: Line
        /// Across the whole width.
        public var bottom: Line
    }

    /// Title first; at most four lines fit into the 160 points of the Lock Screen.
    public var lockScreen: [Line]
    /// Left in the compact Dynamic Island.
    public var compactLeading: Line
    /// Right in the compact Dynamic Island.
    public var compactTrailing: Line
    /// In the smallest Dynamic Island.
    public var minimal: Line
    /// In the expanded Dynamic Island.
    public var expanded: Expanded

    public init(
        lockScreen: [Line], compactLeading: Line, compactTrailing: Line, minimal: Line,
        expanded: Expanded
    ) {
        self.lockScreen = lockScreen
        self.compactLeading = compactLeading
        self.compactTrailing = compactTrailing
        self.minimal = minimal
        self.expanded = expanded
    }
}

extension Presentation {
    /// What the Lock Screen says where no clock runs. A countdown ends its line's sentence ("Done
    /// in"), which says nothing without it; a time that counts up stands beside one ("First half").
    public var lockScreenTexts: [String] {
        lockScreen.compactMap { line -> String? in
            if case .countdown? = line.clock { return nil }
            return line.text.isEmpty ? nil : line.text
        }
    }
}

extension Presentation.Line {
    /// The line as read at `now`, with its clock as `m:ss` or `h:mm:ss`.
    public func reading(at now: Moment) -> String {
        let seconds: Int
        switch clock {
        case .none: return text
        case .countdown(let end): seconds = max(0, Int(end.seconds(since: now).rounded(.up)))
        case .countUp(let start): seconds = max(0, Int(now.seconds(since: start)))
        }
        let pair = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
        let minutes = seconds / 60 % 60
        let reading =
            seconds >= 3600
            ? "\(seconds / 3600):\(pair(minutes)):\(pair(seconds % 60))"
            : "\(minutes):\(pair(seconds % 60))"
        return text.isEmpty ? reading : "\(text) \(reading)"
    }
}
