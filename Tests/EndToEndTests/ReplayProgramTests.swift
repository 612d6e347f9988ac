import Domain
import EventLoop
import EventStore
import Foundation
import Pipeline
import Postgres
import StoreTestSupport
import TestSupport
import Testing

/// The replay commands as a person runs them, with what goes wrong.
@Suite(.timeLimit(.minutes(5)))
struct `The replay program` {
    /// To restore a backup over rows that are only hidden would destroy what came since.
    @Test func `calls nothing lost that row-level security hides, and says who knows why`()
        async throws
    {
        let shop = try await Shop.make()
        _ = try await shop.database.pool.query("DROP POLICY tenant_wall ON event")
        try await ScratchDirectory.with { directory in
            let export = ["events", "export", "--to", directory.file("export")]
            for words in [["replay", "verify"], export] {
                let result = try await IsletProgram.run(words + shop.store, in: directory)
                #expect(result.code == 1, "\(result.output)\(result.errors)")
                #expect(result.errors.contains("islet doctor says of which tables"), "\(words)")
                #expect(!(result.output + result.errors).contains("restore them"))
            }
            _ = try await shop.database.pool.query("SELECT raise_tenant_walls()::text")
            let whole = try await shop.run(["verify"], in: directory)
            #expect(whole.code == 0, "\(whole.output)\(whole.errors)")
        }
    }

    @Test func `cannot write, since its session may not`() async throws {
        let shop = try await Shop.make()
        let pool = Pool(
            PoolConfiguration(
                connection: ConnectionConfiguration(url: shop.database.url, isReadOnly: true)),
            loop: TestDatabase.loop)
        let error = await #expect(throws: PostgresError.self) {
            try await pool.query("DELETE FROM snapshot")
        }
        #expect(error?.sqlState == "25006")
        await pool.close()
    }

    @Test func `shows, explains, verifies and tries policies`() async throws {
        let shop = try await Shop.make()
        try await ScratchDirectory.with { directory in
            let shown = try await shop.run(["show", "order-1", "--phones"], in: directory)
            #expect(shown.code == 0, "\(shown.errors)")
            #expect(shown.output.contains("driverName: \"Your driver\" → \"Ada Lovelace\""))
            #expect(shown.output.contains("no phone was ever registered"))
            #expect(!shown.output.contains("\u{1B}["))
            let painted = try await shop.run(
                ["show", "order-1", "--at", "2", "--color", "always"], in: directory)
            #expect(painted.output.contains("\u{1B}[32m\"Ada Lovelace\"\u{1B}[0m"))
            #expect(!painted.output.contains("OrderDelivered"))
            let why = try await shop.run(["why", "order-1", "--version", "5"], in: directory)
            #expect(why.output.contains("It was decided to end the activity: “"), "\(why.errors)")
            let verified = try await shop.run(["verify"], in: directory)
            #expect(verified.code == 0)
            #expect(verified.output.contains("5 events of 1 activity, 5 decisions counted"))
            let again = try await shop.run(["verify", "--decisions"], in: directory)
            #expect(again.code == 0)
            #expect(again.output.contains("5 events of 1 activity, 5 decisions made again"))
            let policy = directory.file("policy.json")
            try Data(#"{"PizzaDelivery":{"rules":{"delivered":"ambient"}}}"#.utf8)
                .write(to: URL(filePath: policy))
            let tried = try await shop.run(
                ["what-if", "--policy", policy, "--alerts-removed-max", "0"], in: directory)
            #expect(tried.code == 3, "\(tried.errors)\(tried.output)")
            #expect(tried.errors.contains("1 alert removed, more than allowed"))
        }
    }

    @Test func `shows what was decided then, and what the log gives today`() async throws {
        let shop = try await Shop.make()
        try await shop.database.alter(
            """
            UPDATE decision SET verdict = 'hold', rule = 'history', reason = 'It was history.',
                alert = NULL WHERE version = 2
            """)
        try await ScratchDirectory.with { directory in
            let shown = try await shop.run(["show", "order-1"], in: directory)
            #expect(shown.output.contains("decided  not sent by history"), "\(shown.output)")
            #expect(shown.output.contains("today    the log gives “alert” by driverAssigned “"))
            #expect(shown.output.ranges(of: "today  ").count == 1)
            #expect(shown.output.contains("1 not sent"))
            let document = try await shop.run(["show", "order-1", "--json"], in: directory)
            let json = try JSONSerialization.jsonObject(with: Data(document.output.utf8))
            let entries = (json as? [String: Any])?["entries"] as? [[String: Any]]
            let decision = entries?[1]["decision"] as? [String: Any]
            let today = entries?[1]["today"] as? [String: Any]
            #expect(decision?["rule"] as? String == "history")
            #expect(today?["rule"] as? String == "driverAssigned")
            #expect(entries?[0]["today"] == nil)
        }
    }

    @Test func `shows an order of which an event is parked`() async throws {
        let shop = try await Shop.make()
        try await shop.report("Match.PeriodStarted", "{}")
        try await shop.report("PizzaDelivery.DriverAssigned", #"{"driverName":7}"#)
        try await shop.report("PizzaDelivery.OrderDelivered", "{}")
        try await ScratchDirectory.with { directory in
            let shown = try await shop.run(["show", "order-1"], in: directory)
            #expect(shown.code == 0, "\(shown.errors)")
            #expect(shown.output.contains("PARKED   the activity is a PizzaDelivery"))
            #expect(shown.output.contains("PARKED   /data/driverName: must be a string"))
            #expect(shown.output.contains("; parked from here on"))
            #expect(shown.output.contains("8 events") && shown.output.contains("3 parked"))
            #expect(!shown.output.contains("EventRefusal"))
            let at = try await shop.run(["show", "order-1", "--at", "2"], in: directory)
            #expect(at.output.contains("“Driver assigned: "), "\(at.errors)")
            let why = try await shop.run(["why", "order-1"], in: directory)
            #expect(why.output.contains("It was decided to end the activity: “"))
            let json = try await shop.run(["show", "order-1", "--json"], in: directory)
            #expect(json.output.contains(#""parked" : "the activity is a PizzaDelivery"#))
        }
    }

    @Test func `names what was probably meant`() async throws {
        let shop = try await Shop.make(3)
        try await ScratchDirectory.with { directory in
            let result = try await shop.run(["show", "ordre-2"], in: directory)
            #expect(result.code == 1)
            #expect(result.errors.contains("there is no activity 'ordre-2'; did you mean order-"))
            #expect(result.output.isEmpty)
        }
    }

    @Test func `ends quietly with 141 when nobody reads on`() async throws {
        let shop = try await Shop.make()
        try await ScratchDirectory.with { directory in
            let command =
                "'\(IsletProgram.path)' replay show order-1 --database-url '\(shop.database.url)'"
            let program = try await IsletProgram.start(
                program: ["bash", "-c", "\(command) | head -c 1; echo ${PIPESTATUS[0]}"],
                in: directory)
            let result = await program.result()
            // It may have written everything before the pipe is closed.
            #expect(result.output.hasSuffix("141\n") || result.output.hasSuffix("0\n"))
            #expect(result.errors.isEmpty, "\(result.errors)")
        }
    }

    @Test func `ends with 130 on Ctrl-C, in the middle of following`() async throws {
        let shop = try await Shop.make()
        try await ScratchDirectory.with { directory in
            let program = try await IsletProgram.start(
                ["replay", "show", "order-1", "--follow"] + shop.store, in: directory)
            try await waitUntil("the timeline is shown") { program.output.contains("1 end") }
            try await shop.report("PizzaDelivery.DriverLocated", #"{"distanceMeters":100}"#)
            try await waitUntil("what comes is shown") { program.output.contains("v6") }
            await program.child.send(signal: SIGINT)
            let result = await program.result()
            #expect(result.code == 130)
            #expect(result.errors.contains("interrupted; nothing was changed"))
        }
    }

    @Test func `refuses a database of an older schema and says what to do`() async throws {
        let shop = try await Shop.make()
        _ = try await shop.database.pool.query(
            "DELETE FROM islet_migration WHERE number = (SELECT max(number) FROM islet_migration)")
        try await ScratchDirectory.with { directory in
            let result = try await shop.run(["verify"], in: directory)
            #expect(result.code == 1)
            #expect(result.errors.contains("islet migrate"), "\(result.errors)")
        }
    }

    @Test func `compares folds of programs and of files`() async throws {
        let shop = try await Shop.make(2)
        try await ScratchDirectory.with { directory in
            let file = directory.file("folds.ndjson")
            let written = try await shop.run(["trace", "--to", file], in: directory)
            #expect(written.code == 0, "\(written.errors)")
            let equal = try await shop.run(
                ["diff", "--fold", file, "--fold", IsletProgram.path], in: directory)
            #expect(equal.code == 0, "\(equal.errors)")
            #expect(equal.output.contains("10 events"))
            let text = try String(contentsOfFile: file, encoding: .utf8)
            try text.replacing("arriving", with: "onTheWay")
                .write(toFile: file, atomically: true, encoding: .utf8)
            let other = try await shop.run(
                ["diff", "--fold", file, "--fold", "this"], in: directory)
            #expect(other.code == 3)
            #expect(other.output.contains("order-1 differs from v4"), "\(other.output)")
            #expect(other.output.contains("stage: \"onTheWay\" → \"arriving\""))
        }
    }

    @Test func `names nobody in a redacted export, and the same nobody the next time`()
        async throws
    {
        let shop = try await Shop.make(2)
        try await ScratchDirectory.with { directory in
            func export(_ name: String) async throws -> String {
                let exported = try await IsletProgram.run(
                    [
                        "events", "export", "--activity", "order-1", "--redact", "--to",
                        directory.file(name),
                    ]
                        + shop.store, in: directory)
                #expect(exported.code == 0, "\(exported.errors)")
                #expect(exported.output.contains("\(name).redact.key; do not pass that on"))
                return try String(contentsOfFile: directory.file(name), encoding: .utf8)
            }
            let first = try await export("later/order-1.ndjson")
            #expect(first.contains("\"driverName\":"))
            #expect(!first.contains("Lovelace") && !first.contains("order-1"))
            let manifest = try String(
                contentsOfFile: directory.file("later/order-1.ndjson.manifest.json"),
                encoding: .utf8)
            let named = try #require(manifest.firstMatch(of: /"activity" : "(p-[0-9a-f]{24})"/))
            let shown = try await IsletProgram.run(
                [
                    "replay", "show", String(named.1), "--from",
                    directory.file("later/order-1.ndjson"),
                ], in: directory)
            #expect(shown.code == 0, "\(shown.errors)")
            let key = directory.file("later/order-1.ndjson.redact.key")
            let mode = try FileManager.default.attributesOfItem(atPath: key)[.posixPermissions]
            #expect(mode as? Int == 0o600)
            try FileManager.default.removeItem(atPath: directory.file("later/order-1.ndjson"))
            #expect(try await export("later/order-1.ndjson") == first)
            #expect(try await export("other.ndjson") != first)
        }
    }

    @Test func `does not pass an old export off as a new one`() async throws {
        let shop = try await Shop.make()
        try await ScratchDirectory.with { directory in
            let file = directory.file("order-1.ndjson")
            func export(_ words: String...) async throws -> IsletProgram.Result {
                try await IsletProgram.run(words + ["--to", file] + shop.store, in: directory)
            }
            #expect(try await export("events", "export", "--activity", "order-1").code == 0)
            #expect(try await export("events", "export", "--activity", "order-1").code == 0)
            try await shop.report("PizzaDelivery.DriverLocated", "{}")
            let again = try await export("events", "export", "--activity", "order-1")
            #expect(again.code == 1 && again.output.isEmpty)
            #expect(again.errors.contains("is a finished export up to position 5"))
            #expect(again.errors.contains("with --after 5 it has"), "\(again.errors)")
        }
    }

    @Test func `refuses an export that was cut, changed or has a hole`() async throws {
        let shop = try await Shop.make(2)
        try await ScratchDirectory.with { directory in
            let export = directory.file("export")
            let exported = try await IsletProgram.run(
                ["events", "export", "--to", export] + shop.store, in: directory)
            #expect(exported.code == 0, "\(exported.errors)")
            let sound = try await IsletProgram.run(
                ["replay", "verify", "--from", export], in: directory)
            #expect(sound.code == 0, "\(sound.errors)")
            #expect(sound.output.contains("the log is sound"))
            let needless = try await IsletProgram.run(
                ["replay", "verify", "--decisions", "--from", export], in: directory)
            #expect(needless.code == 2)
            #expect(needless.errors.contains("leave out --decisions"), "\(needless.errors)")
            let segment = export + "/events-000001.ndjson"
            let text = try String(contentsOfFile: segment, encoding: .utf8)
            let lines = text.split(separator: "\n")
            for (broken, complaint) in [
                (String(text.dropLast(200)), "bytes, the manifest says"),
                (text.replacing("Lovelace", with: "Lovelier"), "SHA-256"),
                (
                    (lines.prefix(3) + lines.suffix(6)).joined(separator: "\n"),
                    "the manifest says"
                ),
            ] {
                try broken.write(toFile: segment, atomically: true, encoding: .utf8)
                let result = try await IsletProgram.run(
                    ["replay", "show", "order-1", "--from", export], in: directory)
                #expect(result.code == 1)
                #expect(result.errors.contains(complaint), "\(result.errors)")
            }
        }
    }

    @Test func `sends nothing of an event's to the terminal but text, and all of it to programs`()
        async throws
    {
        let shop = try await Shop.make()
        try await shop.report("\u{1B}]0;mine\u{7}\u{9B}2J", "{}")
        try await ScratchDirectory.with { directory in
            for words in [
                ["replay", "show", "order-1"], ["replay", "why", "order-1", "--version", "6"],
                ["projections", "parked"],
            ] {
                let result = try await IsletProgram.run(words + shop.store, in: directory)
                let controls = (result.output + result.errors).unicodeScalars.filter {
                    $0.properties.generalCategory == .control && $0 != "\n"
                }
                #expect(controls.isEmpty, "\(words)")
            }
            let json = try await shop.run(["show", "order-1", "--json"], in: directory)
            #expect(json.output.contains(#"\u001b]0;mine\u0007"# + "\u{9B}2J"), "\(json.errors)")
        }
    }

    @Test func `walks step by step on a screen of 80 by 24, and leaves the terminal as it was`()
        async throws
    {
        let shop = try await Shop.make()
        try await ScratchDirectory.with { directory in
            let terminal = Tmux(directory)
            let command =
                "'\(IsletProgram.path)' replay step order-1 --database-url '\(shop.database.url)'"
            try await terminal.start(
                command + "; echo ended $?; stty -a | grep -o ' .\\{0,1\\}icanon'")
            try await terminal.wait("v1  (1 of 5)")
            try await terminal.keys("n")
            try await terminal.wait("\"Your driver\" → \"Ada Lovelace\"")
            let screen = try await terminal.screen()
            #expect(screen.count <= 24)
            #expect(screen.allSatisfy { $0.count <= 80 })
            #expect(screen.last?.contains("f until a field changes") == true)
            try await terminal.keys("f", "stage", "Enter")
            try await terminal.wait("v3  (3 of 5)")
            try await terminal.keys("g", "5", "Enter")
            try await terminal.wait("v5  (5 of 5)")
            try await terminal.keys("n")
            try await terminal.wait("This is the last event.")
            try await terminal.resize(60, 20)
            try await terminal.wait("v5  (5 of 5)")
            try await terminal.keys("b")
            try await terminal.wait("v4  (4 of 5)")
            try await terminal.keys("q")
            try await terminal.wait("ended 0")
            try await terminal.wait(" icanon")
            await terminal.end()
        }
    }

    @Test func `says by its exit code that a walk was interrupted`() async throws {
        let shop = try await Shop.make()
        try await ScratchDirectory.with { directory in
            let terminal = Tmux(directory)
            try await terminal.start(
                "'\(IsletProgram.path)' replay step order-1 --database-url "
                    + "'\(shop.database.url)'; echo ended $?")
            try await terminal.wait("v1  (1 of 5)")
            try await terminal.keys("g", "C-c")
            try await terminal.wait("ended 130")
            await terminal.end()
        }
    }
}
