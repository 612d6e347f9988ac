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
        dashboard = Assets.pages(in: "dashboard")
        docs = Assets.pages(in: "docs")
    }

    /// Nothing from elsewhere, nothing inline, nobody's frame: a stored title that has markup can
    /// neither run nor send anything.
    private static let contentSecurityPolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        + "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    private static let root = Bundle.module.bundleURL.appending(path: "Assets")

    /// The pages of a folder by their names. What an editor or a file manager has left between
    /// them is none of them.
    private static func pages(in folder: String) -> [String: SharedFile] {
        let path = root.appending(path: folder).path
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            preconditionFailure("the resources Assets/\(folder) are missing")
        }
        return Dictionary(
            uniqueKeysWithValues: names.compactMap { name in
                mediaType(of: name).map { (name, page("\(folder)/\(name)", $0)) }
            })
    }

    private static func page(_ path: String, _ mediaType: String) -> SharedFile {
        SharedFile(
            Response(
                status: 200,
                headers: [
                    "content-type": mediaType,
                    "cache-control": "no-cache",
                    "content-security-policy": contentSecurityPolicy,
                    "referrer-policy": "no-referrer",
                ], body: .bytes(bare(bytes(of: path)))))
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

    /// Nil for a hidden file, and for one that no page of ours has.
    static func mediaType(of name: String) -> String? {
        if name.hasPrefix(".") { return nil }
        if name.hasSuffix(".html") { return "text/html; charset=utf-8" }
        if name.hasSuffix(".svg") { return "image/svg+xml" }
        if name.hasSuffix(".css") { return "text/css; charset=utf-8" }
        return name.hasSuffix(".js") ? "text/javascript; charset=utf-8" : nil
    }

    private static func bytes(of path: String) -> [UInt8] {
        guard let data = try? Data(contentsOf: root.appending(path: path)) else {
            preconditionFailure("the resource Assets/\(path) is missing")
        }
        return Array(data)
    }
}
