/// Something that needs a hand.
public struct Finding: Hashable, Sendable, Encodable {
    /// What was found.
    public var what: String
    /// What it means for those who use Islet.
    public var meaning: String
    /// What mends it, with the command.
    public var remedy: String

    public init(what: String, meaning: String, remedy: String) {
        self.what = what
        self.meaning = meaning
        self.remedy = remedy
    }
}

extension String {
    /// One word of a command, whatever is in it.
    var inShell: String { "'\(replacing("'", with: #"'\''"#))'" }
}
