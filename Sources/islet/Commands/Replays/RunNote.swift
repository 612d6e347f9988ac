import Archive
import Domain
import Foundation
import JSON
import ServerClient
import Terminal

/// How far a run of an export has come, kept in a file beside it, so that the same command goes on.
struct RunNote: Codable {
    var target: String
    /// The export's last chain value: another export may come under the same name.
    var chain: String
    var hasNewIDs: Bool
    var movesTimes: Bool
    /// What moved times are brought nearer by; nil where they stay.
    var factor: Double?
    /// True where the story's end is moved to now, and nil where its beginning is.
    var endsNow: Bool?
    var position: Int64
    /// What new ids begin with; the same for the whole run, so that nothing is reported twice.
    var mark: String
    /// How the story's times are moved; nil before its first event, and where they stay.
    var moves: StoryTimes?

    /// Of a run that begins.
    init(_ manifest: Manifest, _ plan: RunPlan) {
        target = plan.server.text
        chain = manifest.chain
        hasNewIDs = plan.hasNewIDs
        movesTimes = plan.movesTimes
        factor = plan.movesTimes ? plan.factor : nil
        endsNow = plan.endsNow ? true : nil
        position = manifest.selection.after
        mark = UUID().uuidString.lowercased().prefix(8) + "-"
    }

    /// - Returns: nil when no run was interrupted, or one to another server of which nothing was
    ///   recorded: its address may have been wrong.
    /// - Throws: when that was another one than the given, which has just begun.
    static func kept(in file: String, of run: RunNote) throws(CommandFailure) -> RunNote? {
        guard let data = FileManager.default.contents(atPath: file) else { return nil }
        guard let known = try? JSONDecoder().decode(RunNote.self, from: data),
            known.movesTimes == (known.factor != nil)
        else {
            throw .failed("\(file) is not what an earlier run has noted; remove it")
        }
        guard known.position >= run.position else {
            throw .failed("\(file) names a position before the export's first; remove it")
        }
        guard known.target == run.target else {
            if known.position == run.position { return nil }
            throw .failed(
                "\(file) is of a run to \(known.target); remove it to begin one to \(run.target)")
        }
        guard known.chain == run.chain else {
            throw .failed(
                "\(file) is of a run of another export under this name; remove it to begin with "
                    + "this one")
        }
        guard known.hasNewIDs == run.hasNewIDs, known.movesTimes == run.movesTimes else {
            throw .failed(
                "\(file) is of a run with \(known.options); give the same, or remove it to begin "
                    + "one with \(run.options)")
        }
        if let factor = known.factor, factor != run.factor || known.endsNow != run.endsNow {
            let speed = known.endsNow == true ? "max" : factor == 1 ? "real" : "\(factor)x"
            throw .failed(
                "\(file) is of a run at --speed \(speed), by which its times were moved; give the "
                    + "same, or remove it to begin another one")
        }
        return known
    }

    private var options: String {
        "--ids \(hasNewIDs ? "new" : "same") --times \(movesTimes ? "moved" : "same")"
    }

    func keep(in file: String) throws(CommandFailure) {
        do {
            try WireCoder.encode(self).write(to: URL(filePath: file), options: .atomic)
        } catch { throw .failed("\(file) cannot be written") }
    }
}

/// Where a story's times go when it is played again: its beginning, or its end, to when it is
/// played, and the others nearer to it by as much as it is played faster. Half an hour is half a
/// minute at sixty times the pace.
struct StoryTimes: Codable, Hashable {
    /// When the first event was recorded, or the last one.
    var then: Moment
    /// When it is played.
    var now: Moment
    /// How much faster.
    var factor: Double

    func moved(_ time: Moment) -> Moment {
        factor == 1
            ? time.adding(microseconds: now.microseconds - then.microseconds)
            : now.adding(seconds: time.seconds(since: then) / factor)
    }

    /// Until what was recorded at `time` belongs to be played; 0 when that is over.
    func secondsLeft(until time: Moment, at now: Moment) -> Double {
        max(0, moved(time).seconds(since: now))
    }
}
