import { call, read } from "./api.js";
import { ask } from "./ask.js";
import { moment } from "./clocks.js";
import { button, el, spaced } from "./dom.js";
import { differ } from "./differ.js";
import { statusLine } from "./office.js";
import { WhatIf } from "./what-if.js";
import { t } from "./words.js";

/** The policy of a kind: what holds, what was, what is wrong with a new one, and what it would do. */
export class Policies {
    #can;
    #go;
    #kind;
    #abort = new AbortController();
    #page = null;
    #status = statusLine();
    #body = el("div", "stack");
    #choice = el("select");
    #area = el("textarea", "document");
    #history = el("div", "stack");
    #whatIf;

    constructor({ can, go, address }) {
        this.#can = can;
        this.#go = go;
        this.#kind = address.get("kind");
        this.#whatIf = new WhatIf({
            activity: address.get("activity") ?? "", signal: this.#abort.signal, path: () => this.#path("/what-if"),
            read: () => this.#wanted(), fail: (error) => this.#fail(error),
        });
        this.#choice.id = "policy-kind";
        this.#choice.addEventListener("change", () =>
            this.#go(`/dashboard?view=policies&kind=${encodeURIComponent(this.#choice.value)}`));
        const label = el("label", "", t("kind"));
        label.htmlFor = this.#choice.id;
        this.element = el("div", "stack", el("p", "hint", t("policiesAbout")),
            el("div", "finder", label, this.#choice), this.#status.element, this.#body);
    }

    close() {
        this.#abort.abort();
    }

    async load() {
        try {
            const { policies } = await read("/v1/policies", this.#abort.signal);
            this.#page = policies.find((each) => each.kind === this.#kind) ?? policies[0];
            this.#kind = this.#page.kind;
            this.#choice.replaceChildren(...policies.map((each) => new Option(
                spaced(each.kind), each.kind, false, each.kind === this.#kind)));
            this.#draw();
            await this.#loadHistory();
        } catch (error) {
            if (!this.#abort.signal.aborted) this.#status.say(error.message, true);
        }
    }

    #draw() {
        const isEditable = this.#can("admin");
        Object.assign(this.#area, {
            value: JSON.stringify(this.#page.document ?? {}, null, 2), rows: 16, spellcheck: false,
            id: "policy-document", readOnly: false,
        });
        const label = el("label", "", t("policyDocument"));
        label.htmlFor = this.#area.id;
        const tools = el("div", "tools");
        if (isEditable) {
            tools.append(button(t("check_"), "plain", () => this.#check()),
                button(t("putPolicy"), "", () => this.#put()));
        }
        this.#body.replaceChildren(
            el("div", "beside",
                el("div", "stack",
                    el("section", "panel", el("h3", "", t("policyVersionNow", this.#page.version)), label,
                        this.#area, tools),
                    this.#whatIf.element),
                el("section", "panel", el("h3", "", t("thresholds")), this.#thresholds())),
            el("section", "panel", el("h3", "", t("history_")), this.#history));
    }

    /** A number changes the document, which is what is checked, tried and put. */
    #thresholds() {
        return el("div", "thresholds", ...Object.entries(this.#page.thresholds).map(([name, each]) => {
            const input = el("input");
            Object.assign(input, {
                type: "number", id: `threshold-${name}`, min: each.minimum, max: each.maximum, step: "any",
                value: each.value,
            });
            input.addEventListener("change", () => this.#setThreshold(name, input, each));
            const label = el("label", "", name);
            label.htmlFor = input.id;
            label.title = each.why;
            return el("div", "field", label, input,
                el("span", "hint", t("between", each.minimum, each.maximum, each.standard)));
        }));
    }

    #setThreshold(name, input, each) {
        let document;
        try {
            document = JSON.parse(this.#area.value);
        } catch {
            this.#status.say(t("notJSON"), true);
            return;
        }
        const thresholds = { ...document.thresholds };
        if (input.value === "" || Number(input.value) === each.standard) delete thresholds[name];
        else thresholds[name] = Number(input.value);
        document.thresholds = thresholds;
        if (Object.keys(thresholds).length === 0) delete document.thresholds;
        this.#area.value = JSON.stringify(document, null, 2);
        this.#status.say(t("documentChanged"));
    }

    /** @returns the document, or nothing when it is none, which is said. */
    #wanted() {
        this.#status.say("");
        try {
            return JSON.parse(this.#area.value);
        } catch (error) {
            this.#status.say(`${t("notJSON")} ${error.message}`, true);
            return null;
        }
    }

    #path(last) {
        return `/v1/policies/${encodeURIComponent(this.#kind)}${last}`;
    }

    #fail(error) {
        const faults = error.errors?.map((each) => each.detail) ?? [];
        this.#status.say(faults.length > 0 ? faults.join(" ") : error.message, true);
    }

    async #check() {
        const body = this.#wanted();
        if (!body) return;
        try {
            await call("POST", this.#path("/check"), { body });
            this.#status.say(t("policyFine"));
        } catch (error) {
            this.#fail(error);
        }
    }

    async #put() {
        const body = this.#wanted();
        if (!body) return;
        try {
            const { document } = await call("POST", this.#path("/check"), { body });
            const changes = differ(this.#page.document ?? {}, document);
            if (!await ask(t("putAsk", spaced(this.#kind)), t("putPolicy"), lines(changes))) return;
            const put = await call("PUT", this.#path(""), {
                body: { ...body, expectedVersion: this.#page.version },
            });
            this.#status.say(t("policyPut", put.version, put.fromPosition));
            await this.load();
        } catch (error) {
            this.#fail(error);
        }
    }

    async #loadHistory() {
        const { versions } = await read(this.#path("/versions"), this.#abort.signal);
        if (versions.length === 0) {
            this.#history.replaceChildren(el("p", "hint", t("builtInOnly")));
            return;
        }
        this.#history.replaceChildren(...versions.map((version, index) => {
            const before = versions[index + 1]?.document ?? {};
            const use = button(t("editThis"), "plain small", () => {
                this.#area.value = JSON.stringify(version.document, null, 2);
                this.#area.focus();
            });
            return el("details", "", el("summary", "",
                t("policyVersionOf", version.version, version.fromPosition, moment(version.putAt))),
            lines(differ(before, version.document)), use);
        }));
    }
}

function lines(changes) {
    if (changes.every(({ mark }) => mark === " ")) return el("p", "hint", t("noChange"));
    const block = el("pre", "code diff", ...changes.map(({ mark, text }) =>
        el("span", mark === "+" ? "added" : mark === "-" ? "removed" : "", `${mark} ${text}\n`)));
    block.tabIndex = 0;
    return block;
}
