import Domain
import EventLoop
import Explaining
import Foundation
import Glibc
import Projections
import ServerClient
import Simulator
import Terminal

/// What a person watching the demo reads. Lines of one happening stay together.
final class DemoScreen: Sendable {
    private struct Story {
        var begin: Moment
        var speed: Double
        /// Activities whose times pass as they are played, so that their clocks are right.
        var played: Set<String>
    }

    private let story = Lock<Story?>(nil)
    private let paint = Paint(
        nil, isTerminal: isatty(1) == 1, environment: ProcessInfo.processInfo.environment)

    func beginStory(at begin: Moment, speed: Double, played: Set<String>) {
        story.withLock { $0 = Story(begin: begin, speed: speed, played: played) }
    }

    func step(_ text: String) { Console.print("== \(text)") }

    func warning(_ text: String) { Console.print("!! \(text)") }

    func sentence(_ text: String) { Console.print("         \(text)") }

    func reported(_ type: String, _ activity: String, atSeconds seconds: Double) {
        Console.print("\(stamp(seconds))  \(type)  \(activity)")
    }

    func decided(_ row: RemoteServer.Row, _ activity: String) {
        let known = Verdict(rawValue: row.verdict)
        let verdict = paint(known?.colour ?? .bold, known?.words ?? row.verdict)
        let change = "\(activity) v\(row.version)"
        Console.print("         \(change) \(verdict) by \(row.rule): \(row.reason)")
    }

    func observed(_ event: PhoneEvent) {
        guard DemoFans.isShown(event.phoneName), event.entry.outcome != .obtainedToken else {
            return
        }
        let head = "         \(event.phoneName)"
        if event.entry.outcome == .rotated {
            Console.print("\(head)    the card of \(event.entry.activity) has another push token")
            return
        }
        if event.phase == .dismissed, event.ignoredReason != nil {
            Console.print("\(head)    a last push for \(event.entry.activity) finds no card")
            return
        }
        if let reason = event.ignoredReason {
            Console.print("\(head) ignores a push for \(event.entry.activity): \(reason)")
            return
        }
        if let alert = event.alert {
            Console.print("\(head) 🔔 \(paint(.bold, "\(alert.title) — \(alert.body)"))")
        }
        guard let presentation = event.presentation else {
            Console.print("\(head)    the card of \(event.entry.activity) is gone")
            return
        }
        Console.print("\(head)    shows \(card(presentation, of: event.entry.activity))")
        for warning in event.entry.warnings { Console.print("\(head) !! \(warning)") }
    }

    /// The Lock Screen in one line, with its clocks as they read in the story's time.
    func card(_ presentation: Presentation, of activity: ActivityID) -> String {
        let time = time(of: activity)
        return presentation.lockScreen.map { $0.reading(at: time) }
            .filter { !$0.isEmpty }.joined(separator: " · ")
    }

    private func time(of activity: ActivityID) -> Moment {
        let now = WallClock.now()
        guard let story = story.withLock({ $0 }), !story.played.contains(activity.rawValue)
        else { return now }
        return story.begin.adding(seconds: now.seconds(since: story.begin) * story.speed)
    }

    private func stamp(_ seconds: Double) -> String {
        let seconds = Int(seconds)
        return String(
            format: "%ld:%02ld:%02ld", seconds / 3600, seconds / 60 % 60, seconds % 60)
    }
}
