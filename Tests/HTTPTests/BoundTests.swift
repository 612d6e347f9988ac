import Testing

@testable import HTTP

struct `Bytes that wait` {
    @Test func `are given back as they are taken, however long some are left`() {
        var queue = ByteQueue()
        var largest = 0
        var sum = 0
        for round in 0..<10_000 {
            queue.append([UInt8](repeating: UInt8(round % 251), count: 100))
            if round == 0 { continue }
            sum += Int(queue.bytes[queue.start])
            queue.take(100)
            largest = max(largest, queue.bytes.count)
            #expect(queue.count == 100)
        }
        #expect(largest <= 300)
        #expect(sum == (0..<9_999).reduce(0) { $0 + $1 % 251 })
        queue.take(1_000)
        #expect(queue.isEmpty && queue.bytes.isEmpty && queue.start == 0)
    }
}

struct `The ledger of bodies` {
    private let limits = ServerLimits(bodyBytesMax: 10, heldBodyBytesMax: 100)

    @Test func `holds all or nothing`() {
        let ledger = BodyLedger(limits)
        let one = ledger.open(.named("one"), bytesMax: 50)
        let two = ledger.open(.named("two"), bytesMax: 20)
        #expect(ledger.hold(20, [one, two]))
        #expect(!ledger.hasRoom([one, two]))
        #expect(!ledger.hold(1, [one, two]))
        #expect(one.bytes == 20)
        #expect(ledger.hold(30, [one]))
        #expect(!ledger.hold(1, [one]))
        #expect(ledger.hold(50, []))
        #expect(!ledger.hold(1, []))
        ledger.drop(50, [])
        ledger.drop(30, [one])
        ledger.drop(20, [one, two])
        #expect(ledger.bytes == 0 && one.bytes == 0 && two.bytes == 0)
    }

    @Test func `lets the largest body in, however small a share is`() {
        let ledger = BodyLedger(limits)
        #expect(ledger.hold(10, [ledger.open(.named("small"), bytesMax: 1)]))
    }

    @Test func `forgets clients that hold nothing any more`() {
        let ledger = BodyLedger(limits)
        let account = ledger.open(.named("a"), bytesMax: 5)
        #expect(ledger.open(.named("a"), bytesMax: 5) === account)
        ledger.join(account)
        for _ in 0..<2 { ledger.close(account) }
        #expect(ledger.count == 1)
        ledger.close(account)
        #expect(ledger.count == 0)
    }
}

struct `A client's address` {
    @Test(arguments: [
        ("127.0.0.1", "::ffff:127.0.0.1"), ("192.0.2.7:4711", "192.0.2.7"),
        ("[2001:db8::1]:80", "2001:DB8:0::1"), ("[::1]", "::1"),
    ])
    func `is the same in every form`(left: String, right: String) throws {
        let address = try #require(ClientAddress(left))
        #expect(address == ClientAddress(right))
    }

    @Test(arguments: ["", "unknown", "_hidden", "1.2.3", "1.2.3.4.5", "::1::", "[", "a:1"])
    func `is nothing else`(text: String) {
        #expect(ClientAddress(text) == nil)
    }

    @Test func `counts with its network where everybody has a whole one`() throws {
        let one = try #require(ClientAddress("2001:db8::1"))
        #expect(one.share == ClientAddress("2001:db8::ffff:1")?.share)
        #expect(one.share != ClientAddress("2001:db8:0:1::1")?.share)
        #expect(ClientAddress("192.0.2.1")?.share != ClientAddress("192.0.2.2")?.share)
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false),
        ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "127.0.0.2", false),
        ("fd00::/8", "fd12::1", true), ("fd00::/8", "fe00::1", false), ("::/0", "::1", true),
        ("0.0.0.0/0", "1.2.3.4", true), ("0.0.0.0/0", "::1", false),
        ("10.0.0.0/8", "::ffff:10.1.1.1", true),
    ])
    func `is in a range or not`(range: String, address: String, isIn: Bool) throws {
        let range = try #require(AddressRange(range))
        let address = try #require(ClientAddress(address))
        #expect(range.contains(address) == isIn)
    }

    @Test(arguments: ["", "10.0.0.0/33", "::/129", "10.0.0.0/-1", "10.0.0.0/", "a/8", "/8"])
    func `has ranges that are nothing else`(text: String) {
        #expect(AddressRange(text) == nil)
    }

    @Test(
        arguments: [
            (["x-forwarded-for": "192.0.2.1"], "192.0.2.1"),
            (["x-forwarded-for": "198.51.100.9, 192.0.2.1"], "192.0.2.1"),
            (["x-forwarded-for": "192.0.2.1, 10.0.0.2 ,10.0.0.3"], "192.0.2.1"),
            (["forwarded": "for=192.0.2.1;proto=https"], "192.0.2.1"),
            (["forwarded": #"proto=http;For="[2001:db8::1]:4711", for=10.0.0.2"#], "2001:db8::1"),
            (["forwarded": "for=unknown"], "10.0.0.1"),
            (["x-forwarded-for": "nonsense"], "10.0.0.1"),
            // One of the two is the client's own.
            (["x-forwarded-for": "192.0.2.1", "forwarded": "for=192.0.2.2"], "10.0.0.1"),
            (["x-forwarded-for": "10.0.0.7"], "10.0.0.1"), ([:], "10.0.0.1"),
        ] as [([String: String], String)])
    func `is what a trusted proxy says, and no more than that`(
        fields: [String: String], expected: String
    ) throws {
        var headers = Headers()
        for (name, value) in fields { headers.append(name, value) }
        let peer = try #require(ClientAddress("10.0.0.1"))
        let trusted = try [#require(AddressRange("10.0.0.0/8"))]
        #expect(
            ClientAddress.forwarded(headers, by: peer, trusted: trusted) == ClientAddress(expected))
    }
}
