import { call } from "./api.js";
import { activityLink, button, el, setText, table } from "./dom.js";
import { number, t } from "./words.js";

/** As many activities are looked at. */
const TRIED_MAX = 500;
const SHOWN_MAX = 10;
const CHANGES = ["added", "removed", "moved", "reworded", "keptBack"];

/** What a policy would have made of the past: of one activity, or of all of its kind. */
export class WhatIf {
    /** What it has of the page that it is on. */
    #page;
    #found = el("div", "stack");
    #field;
    /** Of what is shown: what was tried, and a word where it is not what there is now. */
    #old = el("p", { className: "banner", role: "status", hidden: true }, t("triedOld"));
    /** Ends what is being tried. */
    #trying = null;

    /**
     * @param page {activity, signal, path, read, text, fail, kept}: `path` gives where the kind is tried,
     *     `read` the document that is tried, or nothing when there is none, and `text` its text. `fail`
     *     gets what went wrong. `kept` has what was found, for a page that is drawn again in another
     *     language.
     */
    constructor(page) {
        this.#page = page;
        this.element = el("section", "panel", el("h3", "", t("whatIf")), el("p", "hint", t("whatIfAbout")),
            this.#form(page.activity), this.#old, this.#found);
        this.#draw();
    }

    /** Another text has come, perhaps, or another activity. */
    follow() {
        const found = this.#page.kept.get("tried");
        this.#old.hidden = !found || (found.text === this.#page.text() && found.activity === this.#field.value.trim());
    }

    #form(activity) {
        const field = el("input", {
            type: "text", id: "tried-activity", value: this.#page.kept.get("tried")?.activity ?? activity, maxLength: 200, autocomplete: "off",
            oninput: () => this.follow(),
        });
        this.#field = field;
        const bar = el("progress", { max: TRIED_MAX, value: 0, hidden: true, ariaLabel: t("whatIf") });
        const press = button(t("tryIt"), "", async () => {
            if (this.#trying) return this.#trying.abort();
            const body = this.#page.read();
            if (!body) return;
            const tried = { text: this.#page.text(), activity: field.value.trim() };
            this.#trying = new AbortController();
            const signal = AbortSignal.any([this.#page.signal, this.#trying.signal]);
            setText(press, t("stop"));
            bar.hidden = false;
            try {
                await this.#try(body, tried, bar, signal);
            } catch (error) {
                if (!signal.aborted) this.#page.fail(error);
            }
            this.#trying = null;
            bar.hidden = true;
            setText(press, t("tryIt"));
        });
        return el("div", "finder", el("label", { htmlFor: field.id }, t("whatIfActivity")), field, press, bar);
    }

    /** Page by page, up to a bound, so that what is known so far is seen at once. */
    async #try(body, tried, bar, signal) {
        const { activity } = tried;
        let path = this.#page.path() + (activity ? `?activity=${encodeURIComponent(activity)}` : "");
        const total = {
            activities: 0, affected: 0, leftOut: 0, partial: 0, inPart: [], changes: {}, alerts: [0, 0], pushes: [0, 0], shown: [],
        };
        while (path && total.activities < TRIED_MAX) {
            const found = await call("POST", path, { body, signal, isTrial: true });
            total.activities += found.activities;
            total.affected += found.activitiesAffected;
            total.leftOut += found.activitiesLeftOut;
            total.partial += found.activitiesPartial;
            total.inPart = found.triedInPart;
            for (const name of CHANGES) total.changes[name] = (total.changes[name] ?? 0) + found.changes[name];
            for (const what of ["alerts", "pushes"]) {
                total[what] = [total[what][0] + found[what].before, total[what][1] + found[what].after];
            }
            // Those that change most, of all pages.
            total.shown = [...total.shown, ...found.shown]
                .sort((one, other) => weight(other) - weight(one)).slice(0, SHOWN_MAX);
            path = found.next;
            bar.value = path ? total.activities : TRIED_MAX;
            this.#page.kept.set("tried", { ...tried, total, isPart: Boolean(path) });
            this.#draw();
            this.follow();
        }
    }

    #draw() {
        const found = this.#page.kept.get("tried");
        if (!found) return;
        const { total, isPart, activity } = found;
        const row = (name, [before, after]) => [t(name), number(before), number(after),
            number(after - before, { signDisplay: "exceptZero" })];
        const sentences = [
            t("triedSo", total.activities, total.affected, changed(total.changes)),
            total.leftOut > 0 ? t("triedLeftOut", total.leftOut) : "",
            total.partial > 0 ? t("triedBeginning", total.partial) : "",
            isPart ? t("triedPart") : "",
            total.inPart.length > 0 ? t("triedInPart", total.inPart) : "",
        ];
        this.#found.replaceChildren(
            el("div", "tried", ...sentences.filter(Boolean).map((sentence) => el("p", "", sentence))),
            table(t("whatIf"), ["", t("before"), t("after"), t("difference")],
                [row("alertsAll", total.alerts), row("pushesAll", total.pushes)], true),
            ...total.shown.map((each) => el("details", "",
                el("summary", "", t("triedOne", each.activity, each.alerts.before.length, each.alerts.after.length,
                    weight(each) > 0 ? changed(each.changes) : "", each.isPartial)),
                el("div", "beside", alerts("before", each.alerts), alerts("after", each.alerts)),
                activityLink(each.activity, t("openIt")))));
        const first = this.#found.querySelector("details");
        if (first && activity) first.open = true;
    }
}

const weight = ({ changes }) => CHANGES.reduce((sum, name) => sum + changes[name], 0);

/** All of them: an alert that comes later, or says something else, changes no sum. */
const changed = (changes) => t("alertChanges", ...CHANGES.map((name) => changes[name]));

/** The alerts of one side; below each what it says otherwise than the other side beyond its English text. */
function alerts(side, { before, after }) {
    const [list, others] = side === "before" ? [before, after] : [after, before];
    const items = list.map((each) => el("li", "", el("strong", "", each.title), ` ${each.body} `,
        el("span", "hint", t("versionShort", each.version)),
        ...otherwise(each, others.find(({ version }) => version === each.version) ?? each)));
    return el("div", "", el("p", "hint", t(side)),
        items.length === 0 ? el("p", "hint", t("noAlerts")) : el("ol", "attempts", ...items));
}

/** In the languages that differ, and by keys of the app. */
function otherwise(alert, other) {
    const [mine, theirs] = [alert, other].map(({ translations }) => translations ?? {});
    const line = (about, words, language) => {
        const said = el("span", "", words ?? "–");
        if (language && words) said.lang = language;
        return el("p", "", el("span", "hint", `${about}: `), said);
    };
    const lines = Object.keys({ ...mine, ...theirs }).sort()
        .map((language) => [language, mine[language] && wording(mine[language]), theirs[language] && wording(theirs[language])])
        .filter(([, own, another]) => own !== another).map(([language, own]) => line(language, own, language));
    const keys = [alert, other].map((each) => each.keys && `${keyed(each.keys.title)} · ${keyed(each.keys.body)}`);
    return keys[0] === keys[1] ? lines : [...lines, line(t("appTexts"), keys[0])];
}

const wording = ({ title, body }) => `${title}: ${body}`;

/** A text of an app: by a key with arguments, or as it is. */
const keyed = (text) => (typeof text === "string" ? text : [text["loc-key"], ...text["loc-args"] ?? []].join(", "));
