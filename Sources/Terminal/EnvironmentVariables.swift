/// The variables that begin with `ISLET_`: each should be one that the program knows, for a slip in
/// its name would leave a setting out without a word.
enum EnvironmentVariables {
    /// - Parameter known: all that mean something to some command.
    /// - Returns: what is wrong with the first that is unknown, and what was probably meant.
    static func complaint(
        about environment: [String: String], known: Set<String>
    ) -> String? {
        let unknown = environment.filter { name, text in
            name.hasPrefix(prefix) && !known.contains(name) && !isServiceLink(name, text)
        }
        guard let name = unknown.keys.min() else { return nil }
        // What all begin with says nothing of how near two of them are.
        let question = Suggestion.question(
            about: String(name.dropFirst(prefix.count)),
            among: known.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) },
            written: { prefix + $0 })
        return "no option is called like the environment variable \(name)"
            + (question.isEmpty ? "; unset it" : question)
    }

    private static let prefix = "ISLET_"

    /// Kubernetes gives every pod such variables for a service that is called `islet`: they say
    /// nothing to the program.
    static func isServiceLink(_ name: String, _ text: String) -> Bool {
        name.contains(/_SERVICE_(?:HOST|PORT(?:_\w+)?)$/) || name.contains(/_PORT_\d+_(?:TCP|UDP)/)
            || name.hasSuffix("_PORT") && text.contains(/^(?:tcp|udp|sctp):\/\//)
    }
}
