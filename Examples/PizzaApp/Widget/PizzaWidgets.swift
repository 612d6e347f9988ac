import SwiftUI
import WidgetKit

@main
struct PizzaWidgets: WidgetBundle {
    var body: some Widget {
        PizzaCard()
        MatchCard()
    }
}
