import Testing

@testable import Terminal

struct `A key of a terminal` {
    @Test(arguments: [UInt8(ascii: "["), UInt8(ascii: "O")])
    func `is an arrow for four letters behind an escape, and nothing for others`(second: UInt8) {
        let arrows: [UInt8: RawTerminal.Input] = [
            UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right,
            UInt8(ascii: "D"): .left,
        ]
        for third in UInt8.min...UInt8.max {
            let expected = arrows[third].map { [$0] } ?? []
            #expect(RawTerminal.keys([0x1B, second, third]) == expected, "\(third)")
        }
    }

    @Test func `is an escape where no letter is behind it in time`() {
        #expect(RawTerminal.keys([0x1B]) == [.escape])
        #expect(RawTerminal.keys([0x1B, UInt8(ascii: "[")]) == [.escape, .text("[")])
        #expect(RawTerminal.keys([0x1B, 0x1B, 0x1B]) == [.escape, .escape, .escape])
    }

    @Test func `is a letter only if it can be printed, and letters of other alphabets are none`() {
        for byte in UInt8.min...UInt8.max {
            let keys = RawTerminal.keys([byte])
            let text = keys.compactMap { key -> String? in
                if case .text(let text) = key { text } else { nil }
            }
            let isPrinted = (0x20..<0x7F).contains(byte)
            #expect(text == (isPrinted ? [String(UnicodeScalar(byte))] : []), "\(byte)")
            #expect(keys.count <= 1)
        }
        #expect(RawTerminal.keys(Array("é\u{1B}[Aq".utf8)) == [.up, .text("q")])
    }
}
