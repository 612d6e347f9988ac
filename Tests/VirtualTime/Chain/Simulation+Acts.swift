extension Simulation {
    /// One thing that may happen.
    func act() {
        switch thread.below(100) {
        case 0..<38: thread.pick(shops).report()
        case 38..<56: startCard()
        case 56..<62: rotate()
        case 62..<65: dismiss()
        case 65..<70: toggleAway()
        case 70: if thread.chance(oneIn: 3) { removeApp() }
        case 71..<76: putStartToken(isRotated: false)
        case 76: putStartToken(isRotated: true)
        case 77..<81: thread.pick(shops).putAudience()
        case 81..<84: thread.pick(shops).putPolicy()
        case 84..<89: crash()
        case 95: wantChannel()
        case 96..<100: listen()
        case 89..<95: weather = thread.chance(oneIn: 3) ? .calm : .any(thread)
        default: break
        }
    }
}
