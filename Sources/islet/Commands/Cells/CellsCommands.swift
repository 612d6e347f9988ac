import DatabaseAccess
import EventStore
import Terminal

extension Command {
    static let cellsSet = Command(
        path: ["cells", "set"],
        summary: "Name this database's cell, or say where another cell is reached.",
        discussion: """
            A cell is a database with nodes of its own; each tenant belongs to one. New keys and
            tickets begin with the name of their cell, so that a proxy can tell where they belong.
            A cell's number keeps its ids apart from those of others: the database that has tenants
            already is number 1, and each other one gets its number before it has any.
            """,
        operands: [
            Operand(name: "NAME", help: "the cell: 1 to 16 of a-z and 0-9, beginning with a letter")
        ],
        options: [
            OptionSpec("here", .flag, "It is the name of this database's own cell."),
            OptionSpec(
                "number", .integer(1...64), "Of this cell: one that no other cell has."),
            OptionSpec(
                "url", .text(placeholder: "URL"),
                "Where the cell's API is reached, such as https://eu2.example.com: requests for "
                    + "tenants that have moved there are redirected to it."),
            OptionSpec.json,
        ] + Database.options,
        examples: [
            "islet cells set eu1 --here --number 1", "islet cells set eu2 --here --number 2",
            "islet cells set eu2 --url https://eu2.example.com",
        ]
    ) { (arguments) async throws(CommandFailure) in
        let name = arguments.operand("NAME")
        if let complaint = Cell.complaint(about: name) { throw .usage(complaint) }
        let number = arguments.integer("number")
        guard number == nil || arguments.flag("here") else {
            throw .usage("--number is of this database's own cell: give --here as well")
        }
        let url = try baseURL(arguments.text("url"))
        guard arguments.flag("here") || url != nil else {
            throw .usage("give --here or --url: what is to be set")
        }
        let cell = Cell(name: name, number: number, url: url, isHere: arguments.flag("here"))
        try await Database.with(arguments) { store async throws(EventStoreError) in
            try await store.tenants.setCell(cell)
        }
        Console.done(
            arguments, cell,
            cell.isHere ? "This is the cell \(name)." : "The cell \(name) is at \(url ?? "").")
    }

    static let cellsList = Command(
        path: ["cells", "list"],
        summary: "List the cells that are known here.",
        discussion: "The one of this database has a mark, and its number if it has one.",
        options: [OptionSpec.json] + Database.options,
        examples: ["islet cells list", "islet cells list --json"]
    ) { (arguments) async throws(CommandFailure) in
        let cells = try await Database.with(arguments, .readOnly) {
            store async throws(EventStoreError) in try await store.tenants.cells()
        }
        Console.answer(
            arguments, cells,
            Table.text(
                ["NAME", "HERE", "NUMBER", "URL"],
                cells.map {
                    [
                        $0.name, $0.isHere ? "yes" : "", $0.number.map { "\($0)" } ?? "",
                        $0.url ?? "",
                    ]
                }))
    }

    /// Without a path: that of the request follows it.
    private static func baseURL(_ text: String?) throws(CommandFailure) -> String? {
        guard var url = text else { return nil }
        while url.hasSuffix("/") { url.removeLast() }
        let host = url.split(separator: "://", maxSplits: 1).last ?? ""
        guard url.hasPrefix("https://") || url.hasPrefix("http://"), !host.isEmpty,
            url.utf8.count <= 500,
            url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }), !host.contains("@"),
            !host.contains(where: "?#/".contains)
        else {
            throw .usage(
                "--url must be an address such as https://eu2.example.com, without a path")
        }
        return url
    }
}
