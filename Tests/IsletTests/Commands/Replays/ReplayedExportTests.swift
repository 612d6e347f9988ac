import Domain
import Foundation
import Terminal
import Testing

@testable import islet

extension OrderExport {
    /// How a command ends other than well.
    fileprivate func refusal(_ words: String...) async -> CommandFailure? {
        await CommandWords(words).refusal()
    }

    /// Writes what this program's fold makes of the export.
    fileprivate func trace(_ name: String) async throws -> String {
        let failure = await refusal(
            "replay", "trace", "--from", place, "--to", file(name))
        #expect(failure == nil)
        return try text(name)
    }

    fileprivate func diff(_ first: String, _ second: String) async -> CommandFailure? {
        await refusal("replay", "diff", "--fold", file(first), "--fold", file(second))
    }
}

struct `An export that is replayed` {
    @Test func `is sound, and each of its activities can be shown`() async throws {
        try await OrderExport.with { export in
            let from = ["--from", export.place]
            for words in [
                ["verify"], ["verify", "--json"], ["show", "order-1"], ["show", "order-2"],
                ["show", "order-1", "--at", "2"], ["show", "order-1", "--json"],
                ["what-if", "--kind", "PizzaDelivery", "--threshold", "coalesceSeconds=30"],
            ] {
                let refusal = await CommandWords(["replay"] + words + from).refusal()
                #expect(refusal == nil, "\(words)")
            }
        }
    }

    @Test func `has no other activity, version or threshold`() async throws {
        try await OrderExport.with { export in
            let other = await export.refusal(
                "replay", "show", "order-3", "--from", export.place)
            #expect(other?.exitCode == 1)
            #expect(other?.text.hasPrefix("there is no activity 'order-3'") == true)
            #expect(other?.text.contains("order-1") == true)
            let late = await export.refusal(
                "replay", "show", "order-1", "--at", "4", "--from", export.place)
            #expect(late == .failed("'order-1' has no version 4; it has 1 to 3"))
            let slip = await export.refusal(
                "replay", "what-if", "--kind", "PizzaDelivery", "--threshold", "coalesceSecond=3",
                "--from", export.place)
            #expect(slip?.exitCode == 2)
        }
    }

    @Test func `is refused when somebody has changed a letter of it`() async throws {
        try await OrderExport.with { export in
            let text = try export.text("orders.ndjson")
            try export.write(text.replacing("order-1-2", with: "order-1-9"), "orders.ndjson")
            for words in [["verify"], ["show", "order-1"]] {
                let refusal = await CommandWords(
                    ["replay"] + words + ["--from", export.place]
                ).refusal()
                #expect(refusal?.exitCode == 1, "\(words)")
                #expect(refusal?.text.isEmpty == false, "\(words)")
            }
        }
    }
}

struct `Two folds of an export` {
    @Test func `are alike when one program made both`() async throws {
        try await OrderExport.with { export in
            let first = try await export.trace("first")
            #expect(try await export.trace("second") == first)
            // Of each event a line, and one that says who wrote them.
            #expect(first.split(separator: "\n").count == 1 + OrderExport.reported.count)
            let difference = await export.diff("first", "second")
            #expect(difference == nil)
        }
    }

    @Test func `differ where a state does, and end with code 3`() async throws {
        try await OrderExport.with { export in
            let first = try await export.trace("first")
            let state = /"state":"[^"]+"/
            try export.write(
                first.replacing(state, with: #""state":"0000000000000000""#), "second")
            let difference = await export.diff("first", "second")
            #expect(difference == .found)
        }
    }

    @Test func `are compared up to the end of the shorter one`() async throws {
        try await OrderExport.with { export in
            let lines = try await export.trace("first").split(separator: "\n")
            try export.write(lines.dropLast().joined(separator: "\n") + "\n", "second")
            for (one, other) in [("first", "second"), ("second", "first")] {
                let difference = await export.diff(one, other)
                #expect(difference == nil)
            }
        }
    }

    @Test func `are not compared when one is cut off, is none, or is missing`() async throws {
        try await OrderExport.with { export in
            let first = try await export.trace("first")
            try export.write(String(first.dropLast()), "cut")
            try export.write("nothing\n", "other")
            let reasons = [
                ("cut", "the last line of \(export.file("cut")) has no end"),
                ("other", "it is not what islet replay trace writes"),
                ("missing", "\(export.file("missing")) is neither a program nor a file"),
            ]
            for (name, reason) in reasons {
                let refusal = await export.diff("first", name)
                #expect(refusal?.exitCode == 1)
                #expect(refusal?.text.contains(reason) == true, "\(refusal as Any)")
            }
        }
    }
}
