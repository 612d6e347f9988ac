import ActivityKit
import IsletActivities
import SwiftUI
import WidgetKit

/// The card of an order.
///
/// What it draws comes from the state alone. It cannot ask a server or keep anything: the state has
/// all of it, in 4 KB together with the rest of the push, and Islet keeps far below that.
struct PizzaCard: Widget {
    var body: some WidgetConfiguration {
        ActivityConfiguration(for: PizzaDeliveryAttributes.self) { context in
            PizzaLockScreen(
                attributes: context.attributes, state: context.state, isStale: context.isStale)
        } dynamicIsland: { context in
            DynamicIsland {
                DynamicIslandExpandedRegion(.leading) {
                    Image(systemName: context.state.symbol)
                }
                DynamicIslandExpandedRegion(.trailing) {
                    Arrival(state: context.state)
                }
                DynamicIslandExpandedRegion(.bottom) {
                    Text(context.state.headline).font(.headline)
                }
            } compactLeading: {
                Image(systemName: context.state.symbol)
            } compactTrailing: {
                Arrival(state: context.state)
            } minimal: {
                // Beside another app's card there is room for a circle, and no more.
                Image(systemName: context.state.symbol)
            }
        }
    }
}

struct PizzaLockScreen: View {
    let attributes: PizzaDeliveryAttributes
    let state: PizzaDeliveryAttributes.ContentState
    let isStale: Bool

    var body: some View {
        VStack(alignment: .leading, spacing: 6) {
            HStack {
                Text("Order \(attributes.orderNumber)").font(.headline)
                Spacer()
                Arrival(state: state)
            }
            Text(state.headline)
            if let stage = state.stage, !stage.isEnding, state.hasEstimate {
                // It moves by itself: no push is sent for a minute that has passed.
                ProgressView(timerInterval: state.deliveryTimer, countsDown: false)
            }
            if let note = state.note {
                Text(note).font(.caption).foregroundStyle(.secondary).lineLimit(2)
            }
            if isStale {
                // Nothing was heard for longer than Islet promised. Say so and do not guess: the
                // order may have arrived long ago.
                Text("Waiting for news").font(.caption).foregroundStyle(.orange)
            }
        }
        .padding()
    }
}

/// How long it takes, counted by the phone.
struct Arrival: View {
    let state: PizzaDeliveryAttributes.ContentState

    var body: some View {
        if state.stage?.isEnding == true || !state.hasEstimate {
            Text("–")
        } else {
            // A timer takes all the width that there is unless its frame is limited.
            Text(timerInterval: state.deliveryTimer, countsDown: true, showsHours: false)
                .font(.headline.monospacedDigit())
                .multilineTextAlignment(.trailing)
                .frame(maxWidth: 60)
        }
    }
}

extension PizzaDeliveryAttributes.ContentState {
    /// Both bounds are equal while nobody has said when it comes.
    var hasEstimate: Bool { deliveryTimer.lowerBound < deliveryTimer.upperBound }

    var headline: String {
        switch stage {
        case nil, .placed: "Order placed"
        case .accepted: "Accepted"
        case .preparing: "In the oven"
        case .ready: "Ready"
        case .onTheWay: "\(driverName) is on the way"
        case .arriving: "\(driverName) is at the door"
        case .cancelled: "Cancelled"
        case .failed: "Could not be delivered"
        case .delivered: "Delivered"
        }
    }

    var symbol: String {
        switch stage {
        case nil, .placed, .accepted, .preparing, .ready: "takeoutbag.and.cup.and.straw"
        case .onTheWay, .arriving: "scooter"
        case .delivered: "checkmark.circle"
        case .cancelled, .failed: "xmark.circle"
        }
    }
}
