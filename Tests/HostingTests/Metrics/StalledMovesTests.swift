import API
import Domain
import EventStore
import Testing

@testable import Hosting

struct `The metric of moves that stand still` {
    @Test func `tells a tenant that works in no cell from others, and leaves out what goes on`() {
        func move(
            _ state: MovingTenant.State, isOpen: Bool = false, isUnderWay: Bool = false
        ) -> MovingTenant {
            MovingTenant(
                id: TenantID(rawValue: 7), name: "shop", state: state, cell: "eu2", isOpen: isOpen,
                isUnderWay: isUnderWay)
        }
        let metric = NodeMetrics.stalled([
            move(.leaving), move(.leaving, isUnderWay: true), move(.gone), move(.gone),
            move(.gone, isOpen: true), move(.arriving, isUnderWay: true),
        ])
        let counts = metric.samples.map { "\($0.labels.map(\.value)) \($0.value)" }
        #expect(
            counts == [
                #"["leaving"] 1.0"#, #"["left"] 2.0"#, #"["opened"] 1.0"#, #"["arriving"] 0.0"#,
            ])
    }
}
