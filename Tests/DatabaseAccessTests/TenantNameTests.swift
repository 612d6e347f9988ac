import Domain
import EventStore
import Terminal
import Testing

@testable import DatabaseAccess

struct `A tenant's name` {
    private let tenants = ["pizzeria", "pizzeria-2", "league"].enumerated().map {
        Tenant(id: TenantID(rawValue: Int32($0.offset + 1)), name: $0.element)
    }

    @Test func `is one line of 1 to 100 bytes`() throws {
        let longest = String(repeating: "ä", count: 50)
        #expect(try TenantName.check(longest) == longest)
        for name in [
            "", longest + "a", "two\nlines", "two\r\nlines", "a\u{1B}[2J", "a\u{9B}2J", " ",
            "\u{202E}", "\u{2066}\u{2069} \u{FFF9}",
        ] {
            #expect(
                throws: CommandFailure.usage(
                    "a tenant's name must be one line of 1 to 100 bytes, not blank, "
                        + "without control characters"),
                "\(name)"
            ) {
                _ = try TenantName.check(name)
            }
        }
    }

    @Test func `that nobody has is answered with what was probably meant`() {
        #expect(
            TenantName.unknown("leage", among: tenants)
                == .failed("there is no tenant \"leage\"; did you mean \"league\"?"))
        let two = TenantName.unknown("pizeria", among: tenants).text
        #expect(two.hasSuffix("did you mean \"pizzeria\" or \"pizzeria-2\"?"), "\(two)")
        #expect(
            TenantName.unknown("xyzzy", among: tenants)
                == .failed("there is no tenant \"xyzzy\"; see islet tenants list"))
    }

    @Test func `that has moved away is answered with where it is`() {
        #expect(
            TenantName.unknown("shop", among: tenants, movedTo: "eu2")
                == .failed(
                    "the tenant \"shop\" has moved to the cell eu2: work on that cell's database"))
    }

    @Test func `that is new is said to be so, since it may be a slip`() {
        #expect(TenantName.created("xyzzy", among: tenants) == "Tenant \"xyzzy\" is new.")
        #expect(
            TenantName.created("leage", among: tenants)
                == "Tenant \"leage\" is new; there was \"league\".")
        #expect(
            TenantName.created("league", among: tenants) == "Tenant \"league\" is new.",
            "it is not like itself")
    }
}
