import IsletActivities
import SwiftUI

@main
struct PizzaApp: App {
    private let cards = Cards(
        backend: Backend(url: Addresses.backend), islet: Addresses.islet)

    /// Here and not in a view's `task`: when iOS launches the app in the background there may be no
    /// view.
    init() {
        let cards = cards
        Task { await cards.run() }
    }

    var body: some Scene {
        WindowGroup {
            OrderView(cards: cards)
        }
    }
}

struct OrderView: View {
    let cards: Cards
    @State private var complaint: String?
    @Environment(\.scenePhase) private var scenePhase

    var body: some View {
        List {
            Button("Order two pizzas") { start { try await cards.order() } }
            Button("Follow the final") {
                start { try await cards.follow(OrderView.final, "final-2026") }
            }
            Button("Sign out") { start { await cards.signOut() } }
            if let complaint {
                Text(complaint).foregroundStyle(.secondary)
            }
        }
        .task(id: scenePhase) {
            // In a task of its own, which goes on when the app is in front for a moment only.
            if scenePhase == .active { start { await cards.catchUp() } }
        }
    }

    private static let final = MatchAttributes(
        sport: "football", competition: "Final", homeTeam: "Argentina", awayTeam: "France",
        homeCode: "ARG", awayCode: "FRA")

    private func start(_ action: @escaping @MainActor () async throws -> Void) {
        Task {
            do { try await action() } catch { complaint = "That did not work: \(error)" }
        }
    }
}
