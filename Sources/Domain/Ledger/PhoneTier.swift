/// What a phone's battery and Apple's budget allow it: set by the app's frequent-updates switch.
public enum PhoneTier: String, Codable, Sendable, CaseIterable {
    case standard, frequent
}
