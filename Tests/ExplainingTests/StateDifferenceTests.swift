import Domain
import Foundation
import Testing

@testable import Explaining

private func difference(_ before: String?, _ after: String) -> [MemberChange] {
    StateDifference.between(before.map { Data($0.utf8) }, Data(after.utf8))
}

struct `A difference between two states` {
    @Test func `is empty for equal values, whatever their bytes`() {
        #expect(difference(#"{"a":1,"b":[1,2]}"#, #"{ "b": [1, 2], "a": 1 }"#) == [])
    }

    @Test func `names what came, went and changed, in the order of names`() {
        #expect(
            difference(#"{"c":"x","a":1,"b":true}"#, #"{"d":null,"c":"y","a":1}"#) == [
                MemberChange(member: "b", before: "true", after: nil),
                MemberChange(member: "c", before: #""x""#, after: #""y""#),
                MemberChange(member: "d", before: nil, after: "null"),
            ])
    }

    @Test func `reaches into objects and takes arrays whole`() {
        #expect(
            difference(
                #"{"score":{"home":1,"away":0},"timer":[1,2]}"#,
                #"{"score":{"home":2,"away":0},"timer":[1,3]}"#) == [
                    MemberChange(member: "score.home", before: "1", after: "2"),
                    MemberChange(member: "timer", before: "[1,2]", after: "[1,3]"),
                ])
    }

    @Test func `tells an empty object from none`() {
        #expect(
            difference("{}", #"{"a":{}}"#) == [MemberChange(member: "a", before: nil, after: "{}")])
    }

    @Test func `tells a number from the text of it`() {
        #expect(
            difference(#"{"a":1}"#, #"{"a":"1"}"#) == [
                MemberChange(member: "a", before: "1", after: #""1""#)
            ])
    }

    @Test(arguments: ["", "[1]", "7", "nonsense", "\u{0}"])
    func `takes what is no object as one without members`(text: String) {
        #expect(difference(text, "{}") == [])
        #expect(
            difference(text, #"{"a":1}"#) == [MemberChange(member: "a", before: nil, after: "1")])
    }

    @Test func `from nothing is everything`() {
        #expect(
            difference(nil, #"{"a":"ä/ö"}"#) == [
                MemberChange(member: "a", before: nil, after: #""ä/ö""#)
            ])
    }
}

struct `What a person probably meant` {
    private let known = ["order-1001", "order-1002", "world-cup-2022-final", "o"]

    @Test(arguments: [
        ("order-1001", "order-1001"), ("ordre-1002", "order-1002"),
        ("ORDER-1002", "order-1002"), ("world-cup-2022", "world-cup-2022-final"),
    ])
    func `is the nearest name`(asked: String, meant: String) {
        #expect(Similarity.nearest(to: asked, among: known).first == meant)
    }

    @Test(arguments: ["", "something else", "xxxxxxxxxx"])
    func `is nothing when nothing is near`(asked: String) {
        #expect(Similarity.nearest(to: asked, among: known) == [])
    }

    @Test func `is at most three names, and none among none`() {
        let many = (1...9).map { "order-\($0)" }
        #expect(
            Similarity.nearest(to: "order-0", among: many) == ["order-1", "order-2", "order-3"])
        #expect(Similarity.nearest(to: "order-0", among: []) == [])
    }
}
