import Domain
import Foundation
import ServerClient
import Terminal
import Testing

@testable import Archive
@testable import islet

/// A file for one test, with the API key of a run.
private func withKey(
    _ body: (_ file: String) throws -> Void
) throws {
    let file = NSTemporaryDirectory() + "islet-key-\(UUID().uuidString)"
    try SecretFile.write("verysecret\n", to: file)
    defer { try? FileManager.default.removeItem(atPath: file) }
    try body(file)
}

private func plan(_ line: String, key file: String) throws(CommandFailure) -> RunPlan {
    try RunPlan(
        CommandWords("replay run final.ndjson --key-file \(file) \(line)").arguments())
}

struct `The plan of a run` {
    @Test func `is at the real pace, with the same ids and moved times`() throws {
        try withKey { file in
            let plan = try plan("--to http://127.0.0.1:8080/", key: file)
            #expect(plan.server.text == "http://127.0.0.1:8080")
            #expect(plan.key == "verysecret")
            #expect(plan.speed == 1)
            #expect(!plan.hasNewIDs)
            #expect(plan.movesTimes)
        }
    }

    @Test func `may be otherwise in all of it`() throws {
        try withKey { file in
            let plan = try plan(
                "--to https://islet.example.com --speed 60x --ids new --times same", key: file)
            #expect(plan.speed == 60)
            #expect(plan.hasNewIDs)
            #expect(!plan.movesTimes)
        }
    }

    @Test(arguments: [
        "0", "0x", "-1x", "1000001x", "0.0009x", "nanx", "slow", "infx", "0x10", "0x10x",
    ])
    func `has a pace that somebody can mean`(speed: String) {
        #expect(
            throws: CommandFailure.usage(
                "--speed must be max, real, or a factor such as 60x, from 0.001x to 1000000x")
        ) { try RunPlan.speed(speed) }
    }

    @Test func `compresses no times where the pace is the server's`() throws {
        try withKey { file in
            let plan = try plan("--to http://h --speed max", key: file)
            #expect(plan.speed == nil && plan.factor == 1 && plan.endsNow)
        }
        try withKey { file in
            let plan = try plan("--to http://h --speed 60x", key: file)
            #expect(plan.factor == 60 && !plan.endsNow)
        }
    }

    @Test(
        arguments: [
            "ftp://127.0.0.1", "127.0.0.1:8080", "http://", "http://127.0.0.1/v1",
            "http://127.0.0.1?a", "http://me@127.0.0.1",
        ])
    func `has a server, without a path`(url: String) async {
        let refusal = await CommandWords("replay run a.ndjson --to \(url)").refusal()
        #expect(refusal?.exitCode == 2)
        #expect(refusal?.text.hasPrefix("--to must be a URL such as http://") == true)
        #expect(refusal?.text.hasSuffix("without a path") == true)
    }
}

struct `The note of a run` {
    private let manifest = Manifest(
        tenant: "sports", selection: Selection(after: 40), through: 90)

    /// - Returns: what a second run says of the note that a first one has left.
    private func second(
        _ line: String, after first: String, change: (inout RunNote) -> Void = { _ in }
    ) throws -> Result<RunNote?, CommandFailure> {
        let file = NSTemporaryDirectory() + "islet-note-\(UUID().uuidString).run"
        defer { try? FileManager.default.removeItem(atPath: file) }
        var result: Result<RunNote?, CommandFailure> = .success(nil)
        try withKey { key in
            var note = RunNote(manifest, try plan(first, key: key))
            change(&note)
            try note.keep(in: file)
            let begun = RunNote(manifest, try plan(line, key: key))
            do throws(CommandFailure) {
                result = .success(try RunNote.kept(in: file, of: begun))
            } catch {
                result = .failure(error)
                #expect(error.exitCode == 1)
                #expect(error.text.hasPrefix(file))
                #expect(error.text.contains("remove it"))
            }
        }
        return result
    }

    private func text(_ result: Result<RunNote?, CommandFailure>) -> String {
        if case .failure(let failure) = result { failure.text } else { "" }
    }

    @Test func `begins before the export's first event, with ids of its own`() throws {
        try withKey { key in
            let plan = try plan("--to http://h --ids new", key: key)
            let (one, other) = (RunNote(manifest, plan), RunNote(manifest, plan))
            #expect(one.position == 40)
            #expect(one.mark != other.mark)
            #expect(one.moves == nil)
        }
    }

    @Test func `has the same command go on where it stopped, with the same ids`() throws {
        let moves = StoryTimes(
            then: Moment(unixSeconds: 0), now: Moment(unixSeconds: 1_000), factor: 60)
        let result = try second("--to http://h", after: "--to http://h") { note in
            note.position = 71
            note.mark = "0123abcd-"
            note.moves = moves
        }
        let known = try result.get()
        #expect(known?.position == 71)
        #expect(known?.mark == "0123abcd-")
        #expect(known?.moves == moves)
    }

    @Test(arguments: [
        ("--times same --speed real", "--times same --speed max"),
        ("--times same --speed max", "--times same --speed 60x"),
    ])
    func `may go on at another speed where no time is moved otherwise`(
        line: String, first: String
    ) throws {
        let result = try second("--to http://h \(line)", after: "--to http://h \(first)")
        #expect(try result.get()?.position == 40)
    }

    @Test func `is refused where it does not say what moved times were brought nearer by`() throws {
        let result = try second("--to http://h", after: "--to http://h") { $0.factor = nil }
        #expect(text(result).contains("is not what an earlier run has noted"))
    }

    @Test func `is none where no run was interrupted`() throws {
        try withKey { key in
            let begun = RunNote(manifest, try plan("--to http://h", key: key))
            #expect(try RunNote.kept(in: "/nowhere.run", of: begun) == nil)
        }
    }

    @Test func `of another run is refused, with what to do`() throws {
        let target = try second("--to http://other", after: "--to http://h") { $0.position = 41 }
        #expect(text(target).contains("a run to http://h;"))
        #expect(text(target).hasSuffix("to begin one to http://other"))
        let ids = try second("--to http://h --ids new", after: "--to http://h")
        #expect(text(ids).contains("a run with --ids same --times moved;"))
        #expect(text(ids).hasSuffix("to begin one with --ids new --times moved"))
        let speed = try second("--to http://h --speed max", after: "--to http://h --speed 60x")
        #expect(text(speed).contains("a run at --speed 60.0x, by which its times were moved"))
        let faster = try second("--to http://h --speed max", after: "--to http://h")
        #expect(text(faster).contains("a run at --speed real, by which its times were moved"))
        let slower = try second("--to http://h", after: "--to http://h --speed max")
        #expect(text(slower).contains("a run at --speed max, by which its times were moved"))
        let export = try second("--to http://h", after: "--to http://h") { $0.chain = "other" }
        #expect(text(export).contains("of another export under this name"))
        let early = try second("--to http://h", after: "--to http://h") { $0.position = 39 }
        #expect(text(early).contains("before the export's first"))
    }

    @Test func `names no server while nothing is recorded: its address may have been wrong`()
        throws
    {
        #expect(try second("--to http://other", after: "--to http://h").get() == nil)
        #expect(try second("--to http://h", after: "--to http://h").get()?.position == 40)
    }

    @Test func `that is none is left alone`() throws {
        let file = NSTemporaryDirectory() + "islet-note-\(UUID().uuidString).run"
        try Data("notes of mine".utf8).write(to: URL(filePath: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        try withKey { key in
            let begun = RunNote(manifest, try plan("--to http://h", key: key))
            #expect(
                throws: CommandFailure.failed(
                    "\(file) is not what an earlier run has noted; remove it")
            ) { _ = try RunNote.kept(in: file, of: begun) }
        }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "notes of mine")
    }
}

struct `The times of a story` {
    private let then = Moment(unixSeconds: 1_000)
    private let now = Moment(unixSeconds: 1_800_000_000)

    @Test func `are moved to when it is played, and no microsecond is lost`() {
        let times = StoryTimes(then: then, now: now, factor: 1)
        let odd = then.adding(microseconds: 1_234_567)
        #expect(times.moved(then) == now)
        #expect(times.moved(odd) == now.adding(microseconds: 1_234_567))
    }

    @Test func `come nearer by as much as it is played faster`() {
        let times = StoryTimes(then: then, now: now, factor: 60)
        #expect(times.moved(then.adding(seconds: 1_800)) == now.adding(seconds: 30))
        #expect(times.moved(then.adding(seconds: -600)) == now.adding(seconds: -10))
    }

    @Test func `say how long the next event is to be waited for after an interruption`() {
        let times = StoryTimes(then: then, now: now, factor: 60)
        let next = then.adding(seconds: 1_800)
        #expect(times.secondsLeft(until: next, at: now.adding(seconds: 10)) == 20)
        #expect(times.secondsLeft(until: next, at: now.adding(seconds: 31)) == 0)
    }
}

struct `The end of a run` {
    @Test func `says how many events went where, and how their ids begin`() {
        #expect(
            RunDocument(events: 12, target: "http://h", idPrefix: nil).text
                == "Reported 12 events to http://h.")
        #expect(
            RunDocument(events: 12, target: "http://h", idPrefix: "0123abcd-").text.hasSuffix(
                "; the ids of activities and events begin with 0123abcd-."))
    }
}
