import Domain
import Foundation
import Projections
import Testing

/// Real shipments drive the kind for deliveries.
@Suite(.needsSharedData)
struct SharedDeliveryTests {
    private typealias State = PizzaDeliveryAttributes.ContentState

    @Test func `air freight is delivered when it was, and customers hear of real delays`() throws {
        let shipments = try Cargo2000.shipments()
        #expect(shipments.count == 1500)
        #expect(shipments.count { $0.actualMinutes > $0.plannedMinutes } == 391)
        for shipment in shipments {
            let events = shipment.events(from: Story.start)
            let story = try Story(events)
            let shown = try story.shown(State.self)
            let deliveredAt = Story.start.adding(seconds: shipment.actualMinutes * 60)
            #expect(shown.stage == .delivered, "\(shipment.number)")
            #expect(shown.deliveryTimer.upperBound == deliveredAt.date, "\(shipment.number)")
            let told = story.changes.contains { $0.assessment.rule == "late" }
            let isLate = events.contains { event in
                guard event.type.hasSuffix("EstimateRevised"),
                    let data = try? JSONDecoder().decode([String: Moment].self, from: event.data),
                    let estimate = data["estimatedAt"]
                else { return false }
                let promised = Story.start.adding(seconds: shipment.plannedMinutes * 60)
                return estimate.seconds(since: promised) >= 600
            }
            #expect(told == isLate, "\(shipment.number)")
        }
    }

    @Test func `air freight ends the same late, twice and out of order`() throws {
        let kind = KindProbe(PizzaDeliveryKind.self)
        for shipment in try Cargo2000.shipments().prefix(150) {
            let events = shipment.events(from: Story.start)
            var feed = LateFeed(seed: UInt64(shipment.number))
            let late = try #require(try feed.story(of: events).snapshot)
            let inOrder = try #require(try Story(events).snapshot)
            #expect(try kind.facts(late) == kind.facts(inOrder), "\(shipment.number)")
            #expect(late.contentState == inOrder.contentState, "\(shipment.number)")
        }
    }

    /// Deliveries recorded before they took place and orders after their delivery are in the set.
    @Test func `shipments recorded long after they came are delivered on their day`() throws {
        let shipments = try HealthShipments.shipments()
        #expect(shipments.count == 1009)
        for shipment in shipments {
            var story = Story()
            var phases: [Phase] = []
            for (event, recordedAt) in shipment.events() {
                phases.append(try story.tell(event, recordedAt: recordedAt).snapshot.phase)
            }
            let shown = try story.shown(State.self)
            // A day that was still to come when it was reported is not believed.
            let delivered = try #require(
                shipment.items.map { min($0.deliveredAt, $0.recordedAt) }.max())
            #expect(shown.stage == .delivered, "\(shipment.name)")
            #expect(
                shown.deliveryTimer.upperBound
                    == max(delivered.date, shown.deliveryTimer.lowerBound), "\(shipment.name)")
            #expect(phases == [.live] + phases.dropFirst().map { _ in .ended })
            #expect(story.changes.count { $0.assessment.ending != nil } == 1)
        }
    }
}
