import Hosting
import JSON
import Terminal

extension Command {
    static let configCheck = Command(
        path: ["config", "check"],
        summary: "Say whether islet serve would take these settings.",
        discussion: """
            Reads the command line, the environment and the file of --config as islet serve does,
            and the files that they name. It opens no connection and starts nothing: islet doctor
            looks at the database. The file has one setting on a line, such as port = 9000, with the
            names of the options below and without quotes. A line that begins with # is a comment. A
            setting that may be repeated has a line for each value. The command line beats the
            environment, and that beats the file.
            """,
        options: [OptionSpec.json] + Server.options,
        exitCodes: ["1 a server would not start with them", "2 a setting is wrong"],
        examples: ["islet config check --config /etc/islet/islet.conf"]
    ) { (arguments) async throws(CommandFailure) in
        let complaints = ServerSettings.complaints(arguments)
        let document: JSON = [
            "isFine": .bool(complaints.isEmpty),
            "complaints": .array(complaints.map(JSON.string)),
        ]
        Console.answer(
            arguments, document,
            complaints.isEmpty
                ? "A server would start with these settings."
                : complaints.map { "- \($0)" }.joined(separator: "\n"))
        if !complaints.isEmpty { throw .reported }
    }

    static let configShow = Command(
        path: ["config", "show"],
        summary: "Show what islet serve is set to, without secrets.",
        options: [
            OptionSpec(
                "origins", .flag,
                "Say where each value comes from, and show those by default too."),
            OptionSpec.json,
        ] + Server.options,
        examples: ["islet config show --origins --config /etc/islet/islet.conf"]
    ) { (arguments) async throws(CommandFailure) in
        let rows = ServerSettings.rows(arguments)
        let withOrigins = arguments.flag("origins")
        let shown = rows.filter { withOrigins || $0.origin != SettingOrigin.standard.text }
        Console.answer(
            arguments, ["settings": rows],
            shown.isEmpty
                ? "Everything is at its default; --origins shows it."
                : Table.text(
                    ["SETTING", "VALUE"] + (withOrigins ? ["FROM"] : []),
                    shown.map {
                        [$0.name, $0.value ?? "–"] + (withOrigins ? [$0.origin] : [])
                    }))
    }

    static let configTable = Command(
        path: ["config", "table"],
        summary: "Print every setting of islet serve as the page docs/reference/configuration.md.",
        examples: ["islet config table"]
    ) { (_) async throws(CommandFailure) in Console.write(ServerSettings.page) }
}
