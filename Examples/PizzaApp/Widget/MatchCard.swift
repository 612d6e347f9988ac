import ActivityKit
import Foundation
import IsletActivities
import SwiftUI
import WidgetKit

/// The card of a match.
///
/// ActivityKit ends every card after eight hours, and takes it off the Lock Screen four hours later
/// at the latest. A match with its shoot-out fits; of what lasts longer Islet can start a fresh
/// card before (`restartBeforeLimitSeconds` of a policy).
struct MatchCard: Widget {
    var body: some WidgetConfiguration {
        ActivityConfiguration(for: MatchAttributes.self) { context in
            MatchLockScreen(
                attributes: context.attributes, state: context.state, isStale: context.isStale)
        } dynamicIsland: { context in
            DynamicIsland {
                DynamicIslandExpandedRegion(.leading) {
                    Text(context.attributes.home(context.state)).font(.title)
                }
                DynamicIslandExpandedRegion(.trailing) {
                    Text(context.attributes.away(context.state)).font(.title)
                }
                DynamicIslandExpandedRegion(.center) {
                    MatchClock(state: context.state)
                }
                DynamicIslandExpandedRegion(.bottom) {
                    Text(context.state.lastEvent ?? context.attributes.competition)
                        .font(.caption).lineLimit(1)
                }
            } compactLeading: {
                Text(context.attributes.home(context.state))
            } compactTrailing: {
                Text(context.attributes.away(context.state))
            } minimal: {
                Text(context.state.score)
            }
        }
    }
}

struct MatchLockScreen: View {
    let attributes: MatchAttributes
    let state: MatchAttributes.ContentState
    let isStale: Bool

    var body: some View {
        VStack(spacing: 4) {
            Text(attributes.competition).font(.caption).foregroundStyle(.secondary)
            HStack {
                Text(attributes.homeTeam)
                Spacer()
                Text(state.score).font(.title)
                Spacer()
                Text(attributes.awayTeam)
            }
            MatchClock(state: state)
            if let home = state.shootoutHome, let away = state.shootoutAway {
                Text("\(home)–\(away) in the shoot-out").font(.caption)
            }
            if let event = state.lastEvent {
                Text(event).font(.caption).lineLimit(1)
            }
        }
        .padding()
        // Stale is not ended: the feed is silent, and the score may be old.
        .opacity(isStale ? 0.6 : 1)
    }
}

/// The clock of the match, which the phone counts by itself. Islet sends when it would have read
/// 0:00, so a push for each minute is never needed.
struct MatchClock: View {
    let state: MatchAttributes.ContentState

    var body: some View {
        if state.status == .playing, let clock = state.clock {
            Text(clock, style: .timer).font(.headline.monospacedDigit())
        } else {
            Text(state.standing)
        }
    }
}

extension MatchAttributes {
    /// Such as `ARG 3`.
    func home(_ state: ContentState) -> String {
        let code = homeCode ?? String(homeTeam.prefix(3))
        return state.calledOff == true ? code : "\(code) \(state.homeScore)"
    }

    /// Such as `3 FRA`.
    func away(_ state: ContentState) -> String {
        let code = awayCode ?? String(awayTeam.prefix(3))
        return state.calledOff == true ? code : "\(state.awayScore) \(code)"
    }
}

extension MatchAttributes.ContentState {
    /// A match that was called off has none.
    var score: String { calledOff == true ? "–" : "\(homeScore)–\(awayScore)" }

    /// What to say while the clock stands.
    var standing: String {
        switch status {
        case .scheduled: "Not started"
        case .playing: period?.title ?? ""
        case .interval: period?.intervalTitle ?? "Break"
        case .suspended: "Suspended"
        case .finished: "Full time"
        case .abandoned: calledOff == true ? "Called off" : "Abandoned"
        }
    }
}
