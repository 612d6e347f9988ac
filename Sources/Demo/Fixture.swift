import JSON
import ServerClient
import Domain
import Foundation
import Terminal

struct Fixture: Sendable {
    struct Report: Sendable {
        var seconds: Double
        var activity: String
        var type: String
        fileprivate var event: JSON

        var cloudEvent: Data { Data(event.canonicalBytes) }
    }

    private var reports: [Report]
    /// Unix time of the first report, in seconds.
    private var beginning: Moment

    /// - Parameter name: of a file in the program's `Fixtures` folder, without `.ndjson`.
    /// - Throws: `.failed` naming the line that cannot be read.
    static func load(_ name: String) throws(CommandFailure) -> Fixture {
        guard
            let url = Bundle.module.url(
                forResource: name, withExtension: "ndjson", subdirectory: "Fixtures"),
            let text = try? String(contentsOf: url, encoding: .utf8)
        else { throw .failed("the fixture \(name) is missing beside the program") }
        var reports: [Report] = []
        var beginning: Moment?
        for (number, line) in text.split(separator: "\n").enumerated() {
            guard let event = try? JSONParser.parse(Array(line.utf8)),
                let subject = event["subject"]?.text, let type = event["type"]?.text,
                let time = event["time"]?.text.flatMap({ Moment(rfc3339: $0) })
            else { throw .failed("line \(number + 1) of the fixture \(name) is no event") }
            let first = beginning ?? time
            beginning = first
            // A late report is made after the one before it, whatever time it tells of.
            let seconds = max(time.seconds(since: first), reports.last?.seconds ?? 0)
            reports.append(
                Report(seconds: seconds, activity: subject, type: type, event: event))
        }
        return Fixture(reports: reports, beginning: beginning ?? Moment(unixSeconds: 0))
    }

    /// Reports of several stories side by side, all beginning together. A match happens as quickly
    /// as it is played; everything else keeps its own times, for which its policy was made.
    static func sideBySide(
        _ fixtures: [Fixture], begin start: Moment, speed: Double
    ) -> [Report] {
        let all = fixtures.flatMap { fixture in
            var clock = MatchClock(speed: speed)
            return fixture.reports.flatMap { report in
                let pace = report.type.hasPrefix("Match.") ? speed : 1
                let event = report.event.movingTimes { time in
                    start.adding(seconds: time.seconds(since: fixture.beginning) / pace)
                }
                let reading = clock.reading(
                    before: event, report.type, atSeconds: report.seconds,
                    start.adding(seconds: report.seconds / pace))
                return [reading, event].compactMap(\.self).map { event in
                    Report(
                        seconds: report.seconds, activity: report.activity,
                        type: event["type"]?.text ?? report.type, event: event)
                }
            }
        }
        return all.sorted { $0.seconds < $1.seconds }
    }
}
