import API
import AppKeys
import DatabaseAccess
import EventLoop
public import Terminal

/// The settings of `islet serve`, where each of them comes from, and whether they fit together.
public enum ServerSettings {
    /// One setting as it stands.
    public struct Row: Encodable, Sendable {
        public var name: String
        /// Nil for one that is not set and has no default; a secret is never shown.
        public var value: String?
        public var origin: String
        public var isSecret: Bool
        public var isReloadable: Bool
    }

    public static func rows(_ arguments: Arguments) -> [Row] {
        all.map { spec in
            let texts = arguments.texts(spec.name)
            let text = texts.isEmpty ? nil : texts.joined(separator: ", ")
            // An address with a user is no setting's value, but it may have been given.
            let isHidden = spec.isSecret || text?.contains(/:\/\/[^\/]*@/) == true
            return Row(
                name: spec.name, value: isHidden ? text.map { _ in "(hidden)" } : text,
                origin: arguments.origin(spec.name).text, isSecret: spec.isSecret,
                isReloadable: spec.isReloadable)
        }
    }

    /// What would keep a server from starting, as far as it shows before anything is opened.
    public static func complaints(_ arguments: Arguments) -> [String] {
        // Untyped: the compiler cannot take such closures with the type of what they throw.
        let checks: [() throws -> Void] = [
            { _ = try NodeName.of(arguments) },
            { _ = try FrontDoor.limits(arguments) },
            { _ = try FrontDoor.proxies(arguments) },
            { _ = try FrontDoor.cors(arguments) },
            { _ = try FrontDoor.socketMode(arguments) },
            {
                _ = try FrontDoor.metricsIdentity(
                    arguments, try ServedCertificate.make(arguments))
            },
            { try FrontDoor.refuseUnusableSockets(arguments) },
            { try FrontDoor.refuseSharedAddress(arguments) },
            { _ = try DatabaseAddress.of(arguments) },
            { _ = try APNsSetup.make(arguments, loop: EventLoop(name: "check")) },
            { _ = try WebhookOptions(arguments) },
            { _ = try TraceOptions.of(arguments) },
        ]
        return checks.compactMap { check in
            do {
                try check()
                return nil
            } catch { return (error as? CommandFailure)?.text ?? "\(error)" }
        }
    }

    /// The page docs/reference/configuration.md.
    public static var page: String {
        let rows = all.map { spec in
            let standard = spec.defaultText.map { "`\($0)`" } ?? ""
            let values = spec.values ?? ""
            let help = spec.help.replacing("|", with: "\\|") + (spec.repeats ? " May repeat." : "")
            return "| `\(spec.name)` | `\(spec.variable)` | \(standard) | \(values) | "
                + "\(spec.isReloadable ? "yes" : "") | \(help) |"
        }
        return introduction + rows.joined(separator: "\n") + "\n"
    }

    private static let all = Server.options.filter { $0.name != ConfigFile.option.name }

    private static let introduction = """
        # Configuration

        Written by `make docs`.

        `islet serve` takes each setting from the first of these that has it:

        1. the command line: `--port 9000`
        2. the environment: `ISLET_PORT=9000`; of a setting that may repeat, with commas
        3. the file that `--config FILE` or `ISLET_CONFIG` names: `port = 9000`
        4. the default

        A file has one `name = value` on a line, with the names below. A value reaches to the end of
        the line, without quotes. A line that begins with `#` is a comment. A setting that may
        repeat has a line for each value. On the command line a setting such as `--metrics-tls`
        needs no value; in the environment and in a file it is `1`, `true`, `0` or `false`. Names
        that there are not, values that do not fit, and settings that contradict each other keep the
        server from starting, and the message names the line.

        ```
        # /etc/islet/islet.conf
        database-url-file = /etc/islet/database
        database-visitor = islet_visitor
        host = 10.0.0.11
        trusted-proxy = 10.0.0.0/8
        master-key-file = /etc/islet/master.key
        metrics-port = 9090
        ```

        ```sh
        islet config check --config /etc/islet/islet.conf
        islet config show --origins --config /etc/islet/islet.conf
        islet serve --config /etc/islet/islet.conf
        ```

        Other commands, such as `islet doctor`, take the file too, for the settings that they have.
        SIGHUP reads the file again. Settings that are marked below, or the content of the files
        that they name, then count at once. The log names others that have changed: they count after
        a restart. Put secrets into files of their own (`database-url-file`, `master-key-file`,
        `apns-key-file`, `tls-key`).

        | setting | variable | default | values | reloadable | meaning |
        |---|---|---|---|---|---|

        """
}
