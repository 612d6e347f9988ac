import { call, read } from "./api.js";
import { moment } from "./clocks.js";
import { ask, button, el, setText, spaced, statusLine } from "./dom.js";
import { Editor, parsed, spelled } from "./policy-editor.js";
import { WhatIf } from "./what-if.js";
import { t } from "./words.js";

/** The policy of a kind: what is in force, what was, what is wrong with a new one, and what it would do. */
export class Policies {
    #can;
    #tenant;
    #kind;
    /** What outlives this view: the last failure, with the text that it was about. */
    #kept;
    #abort = new AbortController();
    /** What the server has, and what it had when the draft was begun. */
    #page = null;
    #base = null;
    #status = statusLine();
    #body = el("div", "stack");
    #choice = el("select", { id: "policy-kind" });
    #heading = el("h3");
    #editor = new Editor({
        onChange: () => this.#note(), say: (text, isBad) => this.#status.say(text, isBad),
    });
    #drop = button(t("dropDraft"), "plain", () => this.#dropDraft());
    /** What somebody else has put since the draft was begun. */
    #meanwhile = el("section", "panel meanwhile");
    #history = el("div", "stack");
    #whatIf;
    #isPutting = false;

    constructor({ can, go, address, tenant, kept }) {
        this.#can = can;
        this.#kept = kept;
        this.#kind = address.get("kind");
        this.#tenant = tenant;
        this.#whatIf = new WhatIf({
            activity: address.get("activity") ?? "", signal: this.#abort.signal,
            path: () => this.#path("/what-if"),
            read: () => this.#read(), text: () => this.#editor.text, fail: (error) => this.#fail(error),
            kept,
        });
        this.#choice.addEventListener("change", () =>
            go(`/dashboard?view=policies&kind=${encodeURIComponent(this.#choice.value)}`));
        this.element = el("div", "stack", el("p", "hint", t("policiesAbout")),
            el("div", "finder", el("label", { htmlFor: this.#choice.id }, t("kind")), this.#choice), this.#status.element, this.#body);
    }

    /** What was typed of this kind and is not put yet: {text, base}, begun from the policy `base`. */
    get #draft() {
        return drafts.get(this.#place);
    }

    get #place() {
        return JSON.stringify([this.#tenant, this.#kind]);
    }

    close() {
        this.#note();
        this.#abort.abort();
    }

    get isUnread() {
        return this.#page === null;
    }

    async load() {
        try {
            await this.#load();
        } catch (error) {
            this.#fail(error);
        }
    }

    async #load() {
        const { policies } = await read("/v1/policies", this.#abort.signal);
        // What was typed while it was read belongs to the draft, too.
        this.#note();
        this.#page = policies.find((each) => each.kind === this.#kind) ?? policies[0];
        this.#kind = this.#page.kind;
        const draft = this.#draft;
        this.#base = draft?.base ?? this.#page;
        this.#choice.replaceChildren(...policies.map((each) => new Option(
            spaced(each.kind), each.kind, false, each.kind === this.#kind)));
        setText(this.#heading, t("policyVersionNow", this.#page.version));
        if (this.#body.children.length === 0) this.#draw();
        this.#editor.show(this.#page.thresholds, draft?.text ?? spelled(this.#page.document));
        const found = this.#kept.get("found");
        if (found?.text === this.#editor.text) this.#fail(found.error);
        await this.#loadHistory();
    }

    #draw() {
        this.#meanwhile.hidden = true;
        const tools = el("div", "tools", ...(this.#can("admin") ? [
            button(t("check_"), "plain", () => this.#check()), button(t("putPolicy"), "", () => this.#put()),
        ] : []), this.#drop);
        this.#body.replaceChildren(
            this.#meanwhile,
            el("div", "beside",
                el("div", "stack",
                    el("section", "panel", this.#heading, this.#editor.element, tools), this.#whatIf.element),
                this.#editor.thresholds),
            el("section", "panel", el("h3", "", t("history_")), this.#history));
    }

    /** Keeps what differs from the policy that there is. */
    #note() {
        if (this.#page === null) return;
        this.#whatIf.follow();
        const { text } = this.#editor;
        const { document, why } = parsed(text);
        const isDraft = !document || !isSame(document, this.#page.document ?? {});
        if (isDraft) {
            drafts.set(this.#place, { text, base: this.#base });
        } else {
            drafts.delete(this.#place);
            this.#base = this.#page;
        }
        watch();
        this.#drop.hidden = !isDraft;
        this.#showMeanwhile(document, why);
    }

    #showMeanwhile(mine, why) {
        const isHidden = this.#base.version === this.#page.version;
        this.#meanwhile.hidden = isHidden;
        if (isHidden) return this.#meanwhile.replaceChildren();
        const { document = {}, version } = this.#page;
        if (this.#meanwhile.children.length === 0) {
            this.#meanwhile.append(el("h3", { tabIndex: -1 }), el("p", "hint", t("meanwhileAbout")),
                el("div", "beside", el("div", "stack"), el("div", "stack")));
        }
        const [title, , beside] = this.#meanwhile.children;
        setText(title, t("meanwhile", version));
        beside.children[0].replaceChildren(
            el("h4", "", t("theirChange")), lines(differ(this.#base.document ?? {}, document)));
        beside.children[1].replaceChildren(
            el("h4", "", t("yourChange")), mine ? lines(differ(document, mine)) : el("p", "hint", why));
    }

    /** What is in the editor gives way to another text only when somebody says so. */
    async #replace(document, question, action) {
        this.#note();
        const { document: mine } = parsed(this.#editor.text);
        const isLost = this.#draft && !(mine && isSame(mine, document));
        const more = mine ? [lines(differ(mine, document))] : [];
        if (isLost && !await ask(question, action, ...more)) return;
        this.#kept.delete("found");
        this.#editor.mark([]);
        this.#editor.write(spelled(document));
        this.#status.say("");
        this.#editor.focus();
    }

    #dropDraft() {
        return this.#replace(this.#page.document ?? {}, t("dropAsk"), t("dropDraft"));
    }

    #path(last) {
        return `/v1/policies/${encodeURIComponent(this.#kind)}${last}`;
    }

    #fail(error) {
        if (this.#abort.signal.aborted) return;
        const faults = error.status === 422 ? error.errors : [];
        if (faults.length > 0) this.#kept.set("found", { error, text: this.#editor.text });
        this.#editor.mark(faults);
        this.#status.say(faults.length > 0 ? t("faultsFound", faults.length) : error.message, true);
    }

    #read() {
        this.#kept.delete("found");
        return this.#editor.read();
    }

    async #check() {
        const body = this.#read();
        if (!body) return;
        try {
            await call("POST", this.#path("/check"), { body, isTrial: true });
            this.#status.say(t("policyFine"));
        } catch (error) {
            this.#fail(error);
        }
    }

    async #put() {
        const body = this.#isPutting ? null : this.#read();
        if (!body) return;
        // A second press would find the first one's version, and call it somebody else's.
        this.#isPutting = true;
        const { text } = this.#editor;
        const { version } = this.#page;
        try {
            const { document } = await call("POST", this.#path("/check"), { body, isTrial: true });
            const changes = differ(this.#page.document ?? {}, document);
            if (await ask(t("putAsk", spaced(this.#kind)), t("putPolicy"), lines(changes))) {
                const put = await call("PUT", this.#path(""), { body: { ...body, expectedVersion: version } });
                this.#begin({ version: put.version, document }, text);
                await this.load();
                // Whether or not the page could be read again.
                this.#status.say(t("policyPut", put.version, put.fromPosition));
            }
        } catch (error) {
            if (error.type === "/problems/policy-conflict") await this.#meetAnother();
            else this.#fail(error);
        }
        this.#isPutting = false;
    }

    /** Begins at what was put. What was typed meanwhile is a draft about it. */
    #begin(page, text) {
        this.#page = { ...this.#page, ...page };
        this.#base = this.#page;
        if (this.#editor.text === text) this.#editor.write(spelled(page.document));
        else this.#note();
    }

    /** Somebody else was faster: shows what they put, and the next press is about that. */
    async #meetAnother() {
        try {
            await this.#load();
        } catch (error) {
            return this.#fail(error);
        }
        this.#status.say(t("putConflict", this.#page.version), true);
        this.#meanwhile.querySelector("h3")?.focus();
    }

    async #loadHistory() {
        const { versions } = await read(this.#path("/versions"), this.#abort.signal);
        if (versions.length === 0) {
            this.#history.replaceChildren(el("p", "hint", t("builtInOnly")));
            return;
        }
        // The list has an end; the one before it says what the last of them changed.
        const { version: oldest } = versions.at(-1);
        const first = oldest > 1
            ? await read(this.#path(`?version=${oldest - 1}`), this.#abort.signal) : { document: {} };
        this.#history.replaceChildren(...versions.map((version, index) => {
            const before = (versions[index + 1] ?? first).document;
            const use = button(t("editThis"), "plain small", () =>
                this.#replace(version.document, t("replaceAsk", version.version), t("editThis")));
            return el("details", "", el("summary", "",
                t("policyVersionOf", version.version, version.fromPosition, moment(version.putAt))),
            lines(differ(before, version.document)), use);
        }));
    }
}

function lines(changes) {
    if (changes.every(({ mark }) => mark === " ")) return el("p", "hint", t("noChange"));
    return el("pre", { className: "code diff", tabIndex: 0 }, ...changes.map(({ mark, text }) =>
        el("span", mark === "+" ? "added" : mark === "-" ? "removed" : "", `${mark} ${text}\n`)));
}

/**
 * What was typed of policies and is not put yet, by tenant and kind. It is in this page's memory
 * alone: another language, another kind and the end of a sign-in leave it there, and who signs in
 * for another tenant never sees it. Who signs out leaves nothing behind.
 */
const drafts = new Map();

/** Browsers ask in words of their own. */
const askFirst = (event) => event.preventDefault();

/** Without a draft nobody is asked, and browsers may keep the page for going back. */
function watch() {
    if (drafts.size > 0) addEventListener("beforeunload", askFirst);
    else removeEventListener("beforeunload", askFirst);
}

export function dropDrafts() {
    drafts.clear();
    watch();
}

/**
 * Two JSON documents line by line, members in the order of their names.
 * @returns [{mark, text}] with `+`, `-` or a space.
 */
function differ(before, after) {
    const [old, fresh] = [before, after].map((value) => JSON.stringify(sorted(value), null, 2).split("\n"));
    // Lengths of what the rest of both has in common, from the end on.
    const common = Array.from({ length: old.length + 1 }, () => new Uint16Array(fresh.length + 1));
    for (let i = old.length - 1; i >= 0; i -= 1) {
        for (let j = fresh.length - 1; j >= 0; j -= 1) {
            common[i][j] = old[i] === fresh[j]
                ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
        }
    }
    const lines = [];
    let [i, j] = [0, 0];
    while (i < old.length || j < fresh.length) {
        if (i < old.length && j < fresh.length && old[i] === fresh[j]) {
            lines.push({ mark: " ", text: old[i] });
            i += 1;
            j += 1;
        } else if (j >= fresh.length || (i < old.length && common[i + 1][j] >= common[i][j + 1])) {
            lines.push({ mark: "-", text: old[i] });
            i += 1;
        } else {
            lines.push({ mark: "+", text: fresh[j] });
            j += 1;
        }
    }
    return lines;
}

/** Whether two documents say the same, in whatever order. */
const isSame = (one, other) => JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));

function sorted(value) {
    if (Array.isArray(value)) return value.map(sorted);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.keys(value).sort().map((name) => [name, sorted(value[name])]));
}
