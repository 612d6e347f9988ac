import DeliveryRules
import Domain
import EventStore
import Terminal
import Testing

@testable import islet

struct `The webhooks commands` {
    private func refusal(_ url: String, _ more: String = "") async -> CommandFailure? {
        await CommandWords("webhooks add --tenant pizzeria --url \(url) \(more)").refusal()
    }

    @Test(
        arguments: [
            ("http://shop.example/hook", "must look like https://host/path"),
            ("shop.example", "must look like https://host/path"),
            ("https://me:verysecret@shop.example/", "must have neither a user nor a fragment"),
            ("https://shop.example/#a", "must have neither a user nor a fragment"),
            ("https://localhost/", "must be one that anybody on the Internet can reach"),
            ("https://10.0.0.1/", "must be one that anybody on the Internet can reach"),
            ("https://[::1]/", "must be one that anybody on the Internet can reach"),
        ])
    func `refuse a URL that no message may go to`(url: String, complaint: String) async {
        #expect(await refusal(url) == .usage("--url \(complaint)"))
    }

    @Test func `take a URL of this machine where that is allowed`() async {
        #expect(
            await refusal("http://127.0.0.1:9000/", "--webhook-allow-private")
                == .usage("--master-key-file is missing; give it or set ISLET_MASTER_KEY_FILE"))
    }

    @Test func `name the kinds and phases that there are`() async {
        for (option, one) in [("kind", "PizzaDelivery"), ("phase", "ended")] {
            let refusal = await refusal("https://shop.example/", "--\(option) Chess")
            #expect(refusal?.exitCode == 2)
            #expect(refusal?.text.hasPrefix("--\(option) must be one of ") == true)
            #expect(refusal?.text.contains(one) == true)
        }
    }

    @Test func `let the old secret sign for a day, and for thirty at most`() async throws {
        let rotated = try CommandWords("webhooks rotate wh_1").arguments()
        #expect(rotated.integer("overlap-seconds") == 86_400)
        let refusal = await CommandWords("webhooks rotate wh_1 --overlap-seconds 2592001")
            .refusal()
        #expect(
            refusal == .usage("--overlap-seconds must be a whole number from 0 to 2592000"))
    }

    @Test(
        arguments: [
            ("http://127.0.0.1:9000/hook", "invalid-url", true),
            ("HTTP://shop.example/hook", "invalid-url", true),
            ("https://localhost.example/hook", "address-not-public", true),
            ("https://shop.example/hook", "invalid-url", false),
            ("http://shop.example/hook", "cannot-connect", false),
        ])
    func `name the option that a test lacks, and blame nobody else for it`(
        url: String, reason: String, lacksOption: Bool
    ) {
        let sentence = WebhookAdvice.sentence(.notAnswered(reason: reason), url: url)
        #expect(sentence.contains("(\(reason))"))
        #expect(sentence.contains("give --webhook-allow-private") == lacksOption)
        #expect(sentence.contains("check the URL and the receiver") != lacksOption)
    }

    @Test(arguments: ["rotate", "test", "enable", "disable", "remove"])
    func `say where a webhook's id is to be found`(command: String) async {
        let refusal = await CommandWords("webhooks \(command) --tenant pizzeria").refusal()
        #expect(refusal?.exitCode == 2)
        #expect(refusal?.text.hasPrefix("ID is missing") == true)
        #expect(refusal?.text.contains("islet webhooks list") == true)
    }
}

struct `A listed webhook` {
    private func row(
        stop: Webhook.Stop? = nil, health: WebhookHealth = WebhookHealth(), waiting: Int = 0
    ) -> WebhookRow {
        var figures = WebhookFigures()
        (figures.delivered, figures.failed) = (7, 2)
        (figures.waiting, figures.givenUp, figures.behind) = (waiting, 3, 4)
        return WebhookRow(
            tenant: "pizzeria",
            webhook: Webhook(
                tenant: TenantID(rawValue: 1), id: "wh_1", url: "https://shop.example/",
                createdAt: Moment(unixSeconds: 0), stop: stop, health: health),
            figures: figures)
    }

    @Test func `is on, failing, or off for a reason`() {
        let failing = WebhookHealth(failures: 1, failingSince: Moment(unixSeconds: 1))
        #expect(row().state == "enabled")
        #expect(row(health: failing).state == "failing")
        #expect(row(stop: .owner, health: failing).state == "disabled")
        #expect(row(stop: .gone).state == "disabled: it answered 410")
        #expect(row(stop: .failing).state == "disabled: nothing arrived for days")
    }

    @Test func `has its figures under their headings`() {
        let row = row(health: WebhookHealth(lastFailure: "503"), waiting: 10_000)
        let cells = Dictionary(uniqueKeysWithValues: zip(WebhookRow.headings, row.cells))
        #expect(row.cells.count == WebhookRow.headings.count)
        #expect(cells["DELIVERED"] == "7")
        #expect(cells["BEHIND"] == "4")
        #expect(cells["WAITING"] == "10000 or more")
        #expect(cells["GIVEN UP"] == "3")
        #expect(cells["LAST FAILURE"] == "503")
        #expect(self.row().cells.last == "–")
    }

    @Test func `has the API's members for programs, its tenant and its state`() {
        let json = Console.json(row(stop: .gone, waiting: 1).document)
        for member in [
            #""tenant" : "pizzeria""#, #""state" : "disabled: it answered 410""#,
            #""enabled" : false"#, #""disabledBy" : "gone""#, #""waiting" : 1"#,
        ] {
            #expect(json.contains(member), "\(json)")
        }
        #expect(!json.contains("null"))
    }
}
