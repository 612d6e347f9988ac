import Domain
import Foundation
import Projections
import Testing

struct AdventureTests {
    private typealias State = AdventureAttributes.ContentState

    private func begun(health: Int = 80) throws -> Story {
        var story = Story()
        try story.tell(
            "Adventure.AdventureBegun", at: 0,
            """
            {"heroName":"Power Panda","healthPercent":\(health),"avatar":"🐼",
            "heroType":"Forest Dweller","level":3,"bio":"Likes bamboo."}
            """)
        return story
    }

    private func health(_ percent: Int) -> String { #"{"healthPercent":\#(percent)}"# }

    @Test func `an adventure begins with its hero`() throws {
        let story = try begun()
        #expect(story.rule == "first")
        let shown = try story.shown(State.self)
        #expect(shown.currentHealthLevel == 0.8)
        #expect(shown.eventDescription == "The adventure has begun!")
        let attributes = try JSONDecoder().decode(
            AdventureAttributes.self, from: try #require(story.snapshot).attributes)
        #expect(attributes.hero.name == "Power Panda" && attributes.hero.level == 3)
        #expect(attributes.hero.healthLevel == 0.8)
    }

    @Test func `a hit that leaves a fifth or less is critical, once`() throws {
        var story = try begun()
        try story.tell("Adventure.HeroDamaged", at: 1, health(21))
        #expect(story.rule == "happening")
        try story.tell("Adventure.HeroDamaged", at: 2, health(20))
        #expect(story.rule == "criticalHit")
        #expect(
            story.alert
                == Alert(
                    title: "Power Panda has taken a critical hit!",
                    body: "20 % of health left. Power Panda was hit."))
        #expect(try story.shown(State.self).currentHealthLevel == 0.2)
        try story.tell("Adventure.HeroDamaged", at: 3, health(10))
        #expect(story.rule == "happening")
        try story.tell("Adventure.HeroHealed", at: 4, health(60))
        #expect(story.rule == "recovered")
        try story.tell("Adventure.HeroDamaged", at: 5, health(5))
        #expect(story.rule == "criticalHit")
    }

    @Test func `a beginning that is sent again heals nobody, whenever it comes`() throws {
        let again = #"{"heroName":"Power Panda","healthPercent":80,"avatar":"🐻"}"#
        var late = try begun()
        try late.tell("Adventure.HeroDamaged", at: 1, health(10))
        try late.tell("Adventure.AdventureBegun", at: 2, again)
        #expect(late.alert == nil)
        var early = try begun()
        try early.tell("Adventure.AdventureBegun", at: 2, again)
        try early.tell("Adventure.HeroDamaged", at: 1, health(10))
        for story in [late, early] {
            #expect(try story.shown(State.self).currentHealthLevel == 0.1)
            let attributes = try JSONDecoder().decode(
                AdventureAttributes.self, from: try #require(story.snapshot).attributes)
            #expect(attributes.hero.avatar == "🐻")
        }
    }

    @Test func `a beginning that is put back is newer than what came in between`() throws {
        let beginning = { (health: Int) in
            #"{"heroName":"Power Panda","healthPercent":\#(health)}"#
        }
        var story = try begun()
        try story.tell("Adventure.AdventureBegun", at: 5, beginning(8))
        try story.tell("Adventure.HeroDamaged", at: 6, health(5))
        try story.tell("Adventure.AdventureBegun", at: 7, beginning(80))
        #expect(try story.shown(State.self).currentHealthLevel == 0.8)
    }

    @Test(arguments: [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 4, 3, 0, 1], [1, 4, 0, 3, 2]])
    func `a beginning that was put back is repeated without healing, in any order`(
        arrivals: [Int]
    ) throws {
        let beginning = { (health: Int, level: Int) in
            #"{"heroName":"Power Panda","healthPercent":\#(health),"level":\#(level)}"#
        }
        let reports: [(type: String, minute: Double, data: String)] = [
            ("AdventureBegun", 0, beginning(100, 1)), ("AdventureBegun", 1, beginning(80, 1)),
            ("AdventureBegun", 2, beginning(100, 1)), ("HeroDamaged", 5, health(5)),
            ("AdventureBegun", 9, beginning(100, 2)),
        ]
        var story = Story()
        for report in arrivals.map({ reports[$0] }) {
            try story.tell("Adventure.\(report.type)", at: report.minute, report.data)
        }
        #expect(try story.shown(State.self).currentHealthLevel == 0.05)
    }

    @Test func `what the source leaves unsaid is said in each language`() throws {
        func inGerman(_ story: Story) -> Alert.Text? {
            story.changes.last?.alert?.translations[Language("de")]
        }
        var story = Story()
        try story.tell("Adventure.HeroDamaged", at: 1, health(10))
        #expect(
            story.alert
                == Alert(
                    title: "Your hero has taken a critical hit!",
                    body: "10 % of health left. Your hero was hit."))
        #expect(
            inGerman(story)
                == Alert.Text(
                    title: "Ihr Held ist schwer getroffen!",
                    body: "Noch 10 % Gesundheit. Ihr Held wurde getroffen."))
        #expect(try story.shown(State.self).eventDescription == "Your hero was hit.")
        try story.tell("Adventure.BossDefeated", at: 2)
        #expect(inGerman(story)?.body == "Ihr Held hat den Endgegner besiegt!")
        #expect(
            try story.shown(State.self).eventDescription == "Your hero has defeated the boss!")
    }

    @Test func `a hero who sets out weak was not hit`() throws {
        let story = try begun(health: 15)
        #expect(story.rule == "first")
    }

    @Test func `an older hit does not undo the healing after it`() throws {
        var story = try begun()
        try story.tell("Adventure.HeroHealed", at: 5, health(90))
        let late = try story.tell("Adventure.HeroDamaged", at: 4, health(10))
        #expect(!late.isVisible)
        #expect(story.rule == "unchanged")
    }

    @Test func `the boss is defeated, and the adventure is over`() throws {
        var story = try begun()
        try story.tell("Adventure.BossDefeated", at: 9, #"{"bossName":"Grumpy Golem"}"#)
        #expect(
            story.alert
                == Alert(title: "Victory!", body: "Power Panda has defeated Grumpy Golem!"))
        #expect(story.changes.last?.assessment.ending != nil)
        #expect(try story.shown(State.self).currentHealthLevel == 0.8)
    }

    @Test func `nothing is left of a hero who has fallen, until a victory is reported`() throws {
        var story = try begun()
        try story.tell("Adventure.HeroFallen", at: 9, #"{"description":"Fell off a cliff."}"#)
        #expect(story.alert == Alert(title: "Power Panda has fallen", body: "Fell off a cliff."))
        #expect(try story.shown(State.self).currentHealthLevel == 0)
        try story.tell("Adventure.BossDefeated", at: 8)
        #expect(story.rule == "afterEnd")
        #expect(try story.shown(State.self).outcome == .victorious)
        #expect(try story.shown(State.self).currentHealthLevel == 0.8)
    }
}
