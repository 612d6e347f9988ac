import Foundation
import HTTP

/// The files shipped with the module, read once and kept as finished responses.
struct Assets: Sendable {
    /// - Precondition: the resource bundle is complete; without it the build is broken.
    static let shipped = Assets()

    let openAPI: SharedFile
    let openAPITag: EntityTag
    let dashboard: [String: SharedFile]
    let docs: [String: SharedFile]

    private init() {
        let document = Assets.bytes(of: "openapi.json")
        openAPITag = EntityTag(of: document)
        openAPI = SharedFile(
            Response(
                status: 200,
                headers: [
                    "content-type": "application/json", "cache-control": "no-cache",
                    "etag": openAPITag.text,
                ], body: .bytes(document)))
        let names = ["index.html", "icon.svg"] + Assets.styles + Assets.scripts
        dashboard = Dictionary(
            uniqueKeysWithValues: names.map { ($0, Assets.page("dashboard", $0)) })
        docs = Dictionary(
            uniqueKeysWithValues: ["index.html", "docs.css", "docs.js"].map {
                ($0, Assets.page("docs", $0))
            })
    }

    static let styles = ["dashboard.css"]

    static let scripts = [
        "activity.js", "api.js", "attention.js", "board.js", "charts.js", "clocks.js",
        "dashboard.js", "details.js", "dom.js", "filters.js", "form.js", "history.js",
        "office-lists.js", "office.js", "phone.js", "policies.js", "policy-editor.js", "rows.js",
        "texts.de.js", "texts.en.js", "what-if.js", "words.js",
    ]

    /// Nothing from elsewhere, nothing inline, nobody's frame: a stored title that holds markup can
    /// neither run nor send anything.
    private static let contentSecurityPolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        + "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    private static func page(_ folder: String, _ name: String) -> SharedFile {
        SharedFile(
            Response(
                status: 200,
                headers: [
                    "content-type": mediaType(of: name),
                    "cache-control": "no-cache",
                    "content-security-policy": contentSecurityPolicy,
                    "referrer-policy": "no-referrer",
                ], body: .bytes(bare(bytes(of: "\(folder)/\(name)")))))
    }

    /// Comments are for those who read the source. In a browser their lines are empty, so that
    /// every other line keeps its number.
    private static func bare(_ bytes: [UInt8]) -> [UInt8] {
        var isComment = false
        let lines = String(decoding: bytes, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { line -> Substring in
                let text = line.drop { $0 == " " }
                isComment = isComment || text.hasPrefix("/*")
                let isKept = !isComment && !text.hasPrefix("//")
                if text.hasSuffix("*/") { isComment = false }
                return isKept ? line : ""
            }
        return Array(lines.joined(separator: "\n").utf8)
    }

    private static func mediaType(of name: String) -> String {
        if name.hasSuffix(".html") { return "text/html; charset=utf-8" }
        if name.hasSuffix(".svg") { return "image/svg+xml" }
        if name.hasSuffix(".css") { return "text/css; charset=utf-8" }
        return "text/javascript; charset=utf-8"
    }

    private static func bytes(of path: String) -> [UInt8] {
        let file = Bundle.module.bundleURL.appending(path: "Assets/\(path)")
        guard let data = try? Data(contentsOf: file) else {
            preconditionFailure("the resource Assets/\(path) is missing")
        }
        return Array(data)
    }
}
