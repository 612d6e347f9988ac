import { call, read } from "./api.js";
import { ask } from "./ask.js";
import { moment } from "./clocks.js";
import { button, el, link, setText, spaced } from "./dom.js";
import { differ } from "./differ.js";
import { statusLine } from "./office.js";
import { t } from "./words.js";

/** As many activities are looked at before somebody is asked whether to go on. */
const TRIED_MAX = 500;

/** The policy of a kind: what holds, what was, what is wrong with a new one, and what it would do. */
export class Policies {
    #can;
    #go;
    #kind;
    #activity;
    #abort = new AbortController();
    #page = null;
    #status = statusLine();
    #body = el("div", "stack");
    #choice = el("select");
    #area = el("textarea", "document");
    #history = el("div", "stack");
    #trial = el("div", "stack");
    #isTrying = false;

    constructor({ can, go, address }) {
        this.#can = can;
        this.#go = go;
        this.#kind = address.get("kind");
        this.#activity = address.get("activity") ?? "";
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
                    el("section", "panel", el("h3", "", t("whatIf")), el("p", "hint", t("whatIfAbout")),
                        this.#trialForm(), this.#trial)),
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

    #trialForm() {
        const field = el("input");
        Object.assign(field, { type: "text", id: "tried-activity", value: this.#activity, maxLength: 200, autocomplete: "off" });
        const label = el("label", "", t("whatIfActivity"));
        label.htmlFor = field.id;
        const bar = el("progress");
        Object.assign(bar, { max: TRIED_MAX, value: 0, hidden: true });
        bar.setAttribute("aria-label", t("whatIf"));
        const press = button(t("tryIt"), "", async () => {
            if (this.#isTrying) {
                this.#isTrying = false;
                return;
            }
            const body = this.#wanted();
            if (!body) return;
            this.#isTrying = true;
            setText(press, t("stop"));
            bar.hidden = false;
            try {
                await this.#try(body, field.value.trim(), bar);
            } catch (error) {
                if (!this.#abort.signal.aborted) this.#fail(error);
            }
            this.#isTrying = false;
            bar.hidden = true;
            setText(press, t("tryIt"));
        });
        return el("div", "finder", label, field, press, bar);
    }

    /** Page by page, up to a bound, so that what is known so far is seen at once. */
    async #try(body, activity, bar) {
        let path = this.#path("/what-if")
            + (activity ? `?activity=${encodeURIComponent(activity)}` : "");
        const total = { activities: 0, affected: 0, changes: {}, alerts: [0, 0], pushes: [0, 0], shown: [] };
        while (path && this.#isTrying && total.activities < TRIED_MAX) {
            const found = await call("POST", path, { body, signal: this.#abort.signal });
            total.activities += found.activities;
            total.affected += found.activitiesAffected;
            for (const [name, count] of Object.entries(found.changes)) {
                total.changes[name] = (total.changes[name] ?? 0) + count;
            }
            for (const what of ["alerts", "pushes"]) {
                total[what] = [total[what][0] + found[what].before, total[what][1] + found[what].after];
            }
            total.shown = [...total.shown, ...found.shown].slice(0, 10);
            path = found.next;
            bar.value = path ? total.activities : TRIED_MAX;
            this.#showTrial(total, Boolean(path), activity !== "");
        }
    }

    #showTrial(total, isPart, isOne) {
        const row = (name, [before, after]) => el("tr", "", ...[t(name), before, after, signed(after - before)]
            .map((text, index) => {
                const cell = el(index === 0 ? "th" : "td", "", String(text));
                if (index === 0) cell.scope = "row";
                else cell.dataset.head = ["", t("before"), t("after"), t("difference")][index];
                return cell;
            }));
        const heads = ["", t("before"), t("after"), t("difference")].map((head) => el(head ? "th" : "td", "", head));
        this.#trial.replaceChildren(
            el("p", "", t("triedSo", total.activities, total.affected, total.changes.added ?? 0, total.changes.removed ?? 0)
                + (isPart && !isOne ? ` ${t("triedPart")}` : "")),
            el("table", "plain-table", el("thead", "", el("tr", "", ...heads)),
                el("tbody", "", row("alertsAll", total.alerts), row("pushesAll", total.pushes))),
            ...total.shown.map((each) => el("details", "",
                el("summary", "", t("triedOne", each.activity, each.alerts.before.length, each.alerts.after.length)),
                el("div", "beside", alerts(t("before"), each.alerts.before), alerts(t("after"), each.alerts.after)),
                link(`/dashboard?activity=${encodeURIComponent(each.activity)}`, "", t("openIt")))));
        const first = this.#trial.querySelector("details");
        if (first && isOne) first.open = true;
    }
}

const signed = (number) => (number > 0 ? `+${number}` : String(number));

function alerts(title, list) {
    return el("div", "", el("p", "hint", title), list.length === 0 ? el("p", "hint", t("noAlerts"))
        : el("ol", "attempts", ...list.map((each) => el("li", "", el("strong", "", each.title), ` ${each.body} `,
            el("span", "hint", t("versionShort", each.version))))));
}

function lines(changes) {
    if (changes.every(({ mark }) => mark === " ")) return el("p", "hint", t("noChange"));
    const block = el("pre", "code diff", ...changes.map(({ mark, text }) =>
        el("span", mark === "+" ? "added" : mark === "-" ? "removed" : "", `${mark} ${text}\n`)));
    block.tabIndex = 0;
    return block;
}
