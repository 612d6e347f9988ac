import Domain
import Foundation
import Testing

@testable import Projections

struct QuietHoursTests {
    /// Berlin changes its clocks by an hour, Lord Howe Island by half of one; Kathmandu is off by
    /// three quarters of an hour.
    @Test(arguments: [
        "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe",
    ])
    func `end at the first minute that is not quiet`(zone: String) throws {
        for (from, to) in [(22 * 60, 7 * 60), (1 * 60, 2 * 60 + 30), (13 * 60 + 5, 13 * 60 + 6)] {
            let hours = QuietHours(from: from, to: to, timeZone: zone, except: [])
            // Around all changes of clocks of a year, and elsewhere in great steps.
            for step in 0..<3_000 {
                let moment = Moment(unixSeconds: 1_767_225_600 + Int64(step) * 10_531)
                guard let end = hours.end(at: moment) else {
                    #expect(!hours.contains(moment))
                    continue
                }
                #expect(hours.contains(moment))
                #expect(end > moment && end.seconds(since: moment) <= 86_400)
                #expect(!hours.contains(end), "\(moment.rfc3339) \(end.rfc3339)")
            }
        }
    }

    /// On 2026-03-29 Berlin goes from 02:00 to 03:00, which is 01:00 in UTC. Lord Howe Island goes
    /// from 02:00 to 02:30 on 2026-10-04, which is 15:30 the day before.
    @Test(arguments: [
        ("Europe/Berlin", "02:30", "2026-03-28T22:00:00Z", "2026-03-29T01:00:00Z"),
        ("Europe/Berlin", "02:30", "2026-03-29T00:59:59Z", "2026-03-29T01:00:00Z"),
        ("Europe/Berlin", "02:00", "2026-03-28T22:00:00Z", "2026-03-29T01:00:00Z"),
        ("Europe/Berlin", "03:00", "2026-03-28T22:00:00Z", "2026-03-29T01:00:00Z"),
        ("Europe/Berlin", "03:30", "2026-03-28T22:00:00Z", "2026-03-29T01:30:00Z"),
        ("Europe/Berlin", "02:30", "2026-03-29T22:00:00Z", "2026-03-30T00:30:00Z"),
        ("Australia/Lord_Howe", "02:15", "2026-10-03T13:00:00Z", "2026-10-03T15:30:00Z"),
    ])
    func `an end that a change of clocks leaves out comes with the change`(
        zone: String, to: String, moment: String, end: String
    ) throws {
        let parts = to.split(separator: ":").compactMap { Int($0) }
        let hours = QuietHours(
            from: 22 * 60, to: parts[0] * 60 + parts[1], timeZone: zone, except: [])
        #expect(hours.end(at: try #require(Moment(rfc3339: moment))) == Moment(rfc3339: end))
    }

    @Test(arguments: [
        ("2026-01-15T21:30:00Z", "2026-01-16T06:00:00Z"),
        ("2026-01-16T05:59:59.5Z", "2026-01-16T06:00:00Z"),
        ("2026-03-28T23:00:00Z", "2026-03-29T05:00:00Z"),
        ("2026-10-24T21:00:00Z", "2026-10-25T06:00:00Z"),
    ])
    func `end when the clocks of the place say so`(moment: String, end: String) throws {
        let hours = QuietHours(
            from: 22 * 60, to: 7 * 60, timeZone: "Europe/Berlin", except: [])
        #expect(hours.end(at: try #require(Moment(rfc3339: moment))) == Moment(rfc3339: end))
    }

    /// Clocks that go back may lead out of the hours, or to before them.
    @Test(arguments: [
        ("Europe/Berlin", "02:30", "07:00", "2026-10-25T00:35:00Z", "2026-10-25T01:00:00Z"),
        ("Europe/Berlin", "02:30", "07:00", "2026-10-25T01:35:00Z", "2026-10-25T06:00:00Z"),
        ("Europe/Berlin", "02:30", "03:00", "2026-10-25T00:35:00Z", "2026-10-25T01:00:00Z"),
        ("Europe/Berlin", "22:00", "03:00", "2026-10-25T00:35:00Z", "2026-10-25T02:00:00Z"),
        ("Africa/Cairo", "23:45", "00:15", "2026-10-29T20:50:00Z", "2026-10-29T21:00:00Z"),
        ("Australia/Lord_Howe", "01:45", "02:15", "2026-04-04T14:50:00Z", "2026-04-04T15:00:00Z"),
    ])
    func `clocks that go back end them if they lead out of them`(
        zone: String, from: String, to: String, moment: String, end: String
    ) throws {
        let hours = QuietHours(
            from: Self.minute(from), to: Self.minute(to), timeZone: zone, except: [])
        #expect(hours.end(at: try #require(Moment(rfc3339: moment))) == Moment(rfc3339: end))
    }

    private static func minute(_ time: String) -> Int {
        time.split(separator: ":").compactMap { Int($0) }.reduce(0) { $0 * 60 + $1 }
    }

    /// Where clocks change by an hour, by half of one and by two, at midnight and a minute after
    /// it, for a month, once for good, and over a whole day.
    @Test(arguments: [
        "Europe/Berlin", "America/New_York", "America/St_Johns", "Australia/Lord_Howe",
        "Africa/Cairo", "Africa/Casablanca", "Antarctica/Troll", "Europe/Moscow", "Pacific/Apia",
    ])
    func `are quiet until their end and not at it, around every change of clocks`(
        zone: String
    ) throws {
        let changes = Self.changes(in: try #require(TimeZone(identifier: zone)))
        #expect(!changes.isEmpty)
        var wrong: [String] = []
        for change in changes {
            let (old, new) = (change.minuteBefore, change.minute)
            let windows: [(Int, Int)] = [
                (old - 30, old + 30), (old - 30, old + 240), (old - 300, old), (old + 1, old),
                (new - 15, new + 15), (new + 15, new + 45),
            ]
            for (from, to) in windows {
                let hours = QuietHours(
                    from: (from + 1440) % 1440, to: (to + 1440) % 1440, timeZone: zone, except: [])
                for minutes in [-100, -45, -20, -1, 1, 20, 45] as [Int64] {
                    let moment = Moment(unixSeconds: change.at + minutes * 60)
                    if let problem = Self.problem(of: hours, at: moment) {
                        wrong.append("\(hours.from) to \(hours.to): \(problem)")
                    }
                }
            }
        }
        #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(3))")
    }

    /// What is wrong with the end, looking at every minute before it.
    private static func problem(of hours: QuietHours, at moment: Moment) -> String? {
        let end = hours.end(at: moment)
        guard hours.contains(moment) else {
            return end == nil ? nil : "\(moment.rfc3339) is not quiet, and has an end"
        }
        guard let end, end > moment else { return "\(moment.rfc3339) has no end after it" }
        if hours.contains(end) { return "\(end.rfc3339) is quiet, and the end" }
        var between = [end.adding(seconds: -1)]
        for minute in 0..<Int64(end.seconds(since: moment) / 60) {
            between.append(Moment(unixSeconds: moment.unixSeconds + minute * 60))
        }
        return between.first { !hours.contains($0) }
            .map { "\($0.rfc3339) is not quiet, and before the end of \(moment.rfc3339)" }
    }

    /// Of clocks, with the minute of the day that they were at and the one that they go to.
    private struct Change {
        let at: Int64
        let minuteBefore: Int
        let minute: Int
    }

    /// Those of a few years.
    private static func changes(in zone: TimeZone) -> [Change] {
        func offset(_ second: Int64) -> Int64 {
            Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second))))
        }
        func minute(_ second: Int64, _ offset: Int64) -> Int {
            Int((second + offset) % 86_400 / 60)
        }
        var changes: [Change] = []
        for year in [2011, 2014, 2025, 2026, 2027] {
            let start = Moment(rfc3339: "\(year)-01-01T00:00:00Z")?.unixSeconds ?? 0
            for day in stride(from: start, to: start + 365 * 86_400, by: 86_400) {
                let before = offset(day)
                guard offset(day + 86_400) != before else { continue }
                for second in stride(from: day + 60, through: day + 86_400, by: 60)
                where offset(second) != before {
                    changes.append(
                        Change(
                            at: second, minuteBefore: minute(second, before),
                            minute: minute(second, offset(second))))
                    break
                }
            }
        }
        return changes
    }
}
