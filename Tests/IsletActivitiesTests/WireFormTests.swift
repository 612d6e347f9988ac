import Foundation
import IsletActivities
import Testing

/// The forms that were released: an app that was built with one of them is never updated in time.
struct `The JSON of a card` {
    /// Seconds since 2001, as the stock coders have dates.
    private func date(_ seconds: Double) -> Date {
        Date(timeIntervalSinceReferenceDate: seconds)
    }

    @Test func `of a pizza's state`() throws {
        try WireForm(
            PizzaDeliveryAttributes.ContentState(
                driverName: "Zo\u{EB}", deliveryTimer: date(700_000_000)...date(700_002_400.5),
                stage: .onTheWay, note: "Rain / \"wind\"", distanceMeters: 300),
            ["driverName": "\"Zo\u{EB}\"", "deliveryTimer": "[700000000,700002400.5]"],
            optional: [
                "stage": #""onTheWay""#, "note": #""Rain / \"wind\"""#, "distanceMeters": "300",
            ]
        ).expect()
    }

    @Test func `of a pizza's attributes`() throws {
        var attributes = PizzaDeliveryAttributes(
            numberOfPizzas: 2, totalAmount: "€24.00", orderNumber: "1042")
        attributes.activityID = "order-1042"
        try WireForm(
            attributes,
            ["numberOfPizzas": "2", "totalAmount": #""€24.00""#, "orderNumber": #""1042""#],
            optional: ["activityID": #""order-1042""#]
        ).expect()
    }

    @Test func `of a match's state`() throws {
        try WireForm(
            MatchAttributes.ContentState(
                homeScore: 3, awayScore: 2, status: .interval, period: .extraTimeSecondHalf,
                clock: date(5), kickoff: date(-1), shootoutHome: 4, shootoutAway: 0,
                homeRedCards: 1, awayRedCards: 2, calledOff: true, lastEvent: "Goal 1:0 🥅"),
            ["homeScore": "3", "awayScore": "2", "status": #""interval""#],
            optional: [
                "period": #""extraTimeSecondHalf""#, "clock": "5", "kickoff": "-1",
                "shootoutHome": "4", "shootoutAway": "0", "homeRedCards": "1",
                "awayRedCards": "2", "calledOff": "true", "lastEvent": #""Goal 1:0 🥅""#,
            ]
        ).expect()
    }

    @Test func `of a match's attributes`() throws {
        var attributes = MatchAttributes(
            sport: "football", competition: "World Cup", homeTeam: "Argentina",
            awayTeam: "France", homeCode: "ARG", awayCode: "FRA", kickoff: date(693_068_400))
        attributes.activityID = "final"
        try WireForm(
            attributes,
            [
                "sport": #""football""#, "competition": #""World Cup""#,
                "homeTeam": #""Argentina""#, "awayTeam": #""France""#,
            ],
            optional: [
                "homeCode": #""ARG""#, "awayCode": #""FRA""#, "kickoff": "693068400",
                "activityID": #""final""#,
            ]
        ).expect()
    }

    @Test func `of a coffee's state and attributes`() throws {
        try WireForm(
            CoffeeDeliveryAttributes.ContentState(
                currentStatus: .outForDelivery, outcome: .delivered, estimatedAt: date(1.25),
                note: ""),
            ["currentStatus": #"{"outForDelivery":{}}"#],
            optional: ["outcome": #""delivered""#, "estimatedAt": "1.25", "note": #""""#]
        ).expect()
        var attributes = CoffeeDeliveryAttributes(coffeeName: "Flat white")
        attributes.activityID = "c-1"
        try WireForm(
            attributes, ["coffeeName": #""Flat white""#], optional: ["activityID": #""c-1""#]
        ).expect()
    }

    @Test func `of a bike ride's state and attributes`() throws {
        try WireForm(
            OrderAttributes.ContentState(
                status: .cycling, stage: .paused, rideClock: date(0), riddenSeconds: 610,
                fare: "€3.20", note: "Parked"),
            ["status": #""cycling""#],
            optional: [
                "stage": #""paused""#, "rideClock": "0", "riddenSeconds": "610",
                "fare": #""€3.20""#, "note": #""Parked""#,
            ]
        ).expect()
        var attributes = OrderAttributes(orderNumber: 77, bikeName: "Bike 12")
        attributes.activityID = "ride-77"
        try WireForm(
            attributes, ["orderNumber": "77"],
            optional: ["bikeName": #""Bike 12""#, "activityID": #""ride-77""#]
        ).expect()
    }

    @Test func `of an adventure's state and attributes`() throws {
        try WireForm(
            AdventureAttributes.ContentState(
                currentHealthLevel: 0.35, eventDescription: "A dragon!", outcome: .fallen),
            ["currentHealthLevel": "0.35", "eventDescription": #""A dragon!""#],
            optional: ["outcome": #""fallen""#]
        ).expect()
        let hero =
            #"{"avatar":"🐼","battleCode":"game:///hero/battle","bio":"Brave","exp":0,"#
            + #""healthLevel":1,"healthRecoveryRatePerHour":0,"heroType":"Panda","level":3,"#
            + #""name":"Bo","url":"game:///hero"}"#
        var attributes = AdventureAttributes(
            hero: AdventureAttributes.Hero(
                name: "Bo", avatar: "🐼", healthLevel: 1, heroType: "Panda", level: 3,
                bio: "Brave"))
        attributes.activityID = "quest"
        try WireForm(attributes, ["hero": hero], optional: ["activityID": #""quest""#]).expect()
    }

    /// The sample game's widget decodes its hero with every member.
    @Test func `of a hero has no member that may be missing`() throws {
        let hero = AdventureAttributes.Hero(
            name: "Bo", avatar: "🐼", healthLevel: 0.5, heroType: "Panda", level: 3, bio: "")
        try WireForm(
            hero,
            [
                "avatar": #""🐼""#, "battleCode": #""game:///hero/battle""#, "bio": #""""#,
                "exp": "0", "healthLevel": "0.5", "healthRecoveryRatePerHour": "0",
                "heroType": #""Panda""#, "level": "3", "name": #""Bo""#,
                "url": #""game:///hero""#,
            ]
        ).expect()
    }

    @Test func `of a timer that ends before it begins is refused, and an empty one is not`()
        throws
    {
        func read(_ timer: String) throws -> PizzaDeliveryAttributes.ContentState {
            let json = #"{"deliveryTimer":\#(timer),"driverName":"Ada"}"#
            return try JSONDecoder().decode(
                PizzaDeliveryAttributes.ContentState.self, from: Data(json.utf8))
        }
        #expect(try read("[5,5]").deliveryTimer == date(5)...date(5))
        for timer in ["[6,5]", "[5]", "[]", "5", "null", #"["2026-05-01T12:00:00Z",6]"#] {
            #expect(throws: DecodingError.self, "\(timer)") { try read(timer) }
        }
    }

    /// A word of a later server would leave the whole card as it was, so none of them gets one.
    @Test(arguments: [
        #"{"homeScore":0,"awayScore":0,"status":"postponed"}"#,
        #"{"homeScore":0,"awayScore":0,"status":"Playing"}"#,
        #"{"homeScore":0,"awayScore":0,"status":"playing","period":"golden"}"#,
        #"{"homeScore":0.5,"awayScore":0,"status":"playing"}"#,
        #"{"homeScore":"0","awayScore":0,"status":"playing"}"#,
    ])
    func `of a state with another word than the app knows is refused whole`(json: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(MatchAttributes.ContentState.self, from: Data(json.utf8))
        }
    }
}
