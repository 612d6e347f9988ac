import { activityPath, read } from "./api.js";
import { clockTime, moment } from "./clocks.js";
import { eachOnce } from "./details.js";
import { button, el, link, setText } from "./dom.js";
import { t } from "./words.js";

/** Versions that are read at once. */
const PAGE_ROWS = 50;
/** As many versions as a complaint is about, and more than a browser's memory minds. */
const VERSIONS_MAX = 5_000;

/** The versions of one activity, each with its event and what was decided, read as they are needed. */
export class History {
    #id;
    #signal;
    /** Promises of pages, by number; each of {events, decisions} by version. */
    #pages = new Map();
    /** The version whose card was asked for last, with the promise of what it said. */
    #card = null;

    constructor(id, signal) {
        this.#id = id;
        this.#signal = signal;
    }

    /** @returns {version, event, decision}; without a decision it is parked, left out, or not folded yet. */
    async at(version) {
        return (await this.around(version)).find((each) => each.version === version) ?? null;
    }

    /** All versions of the page that a version is on, oldest first. */
    async around(version) {
        const number = Math.floor((version - 1) / PAGE_ROWS);
        if (!this.#pages.has(number)) {
            const page = this.#read(number * PAGE_ROWS);
            this.#pages.set(number, page);
            // What failed, and what is still being written, is asked for again.
            page.then((rows) => rows.length < PAGE_ROWS && this.#pages.delete(number),
                () => this.#pages.delete(number));
        }
        return this.#pages.get(number);
    }

    /** @returns the newest version that was recorded, from a known one on: it may be parked, or not folded yet. */
    async newest(known) {
        for (;;) {
            const page = await this.around(known + 1);
            known = Math.max(known, page.at(-1)?.version ?? 0);
            if (page.length < PAGE_ROWS) return known;
        }
    }

    /**
     * What the card said at a version: the ledger has the card of the newest one alone.
     * @returns {presentation, problem}; one of them is null.
     */
    async card(version) {
        if (this.#card?.version !== version) {
            const card = (this.#card = { version, reading: this.#fold(version) });
            // What failed is asked for again.
            card.reading.catch(() => this.#card === card && (this.#card = null));
        }
        return this.#card.reading;
    }

    async #fold(version) {
        try {
            const { presentation } = await read(
                activityPath(this.#id, `/state?version=${version}`), this.#signal);
            return { presentation, problem: null };
        } catch (error) {
            // Such as of the versions after those that the server folds again.
            if (error.mayPass === false) return { presentation: null, problem: error.message };
            throw error;
        }
    }

    /** What was settled meanwhile stands in the newest pages. */
    forget() {
        this.#pages.clear();
        this.#card = null;
    }

    /** Every version up to a bound, page by page. */
    async *all(newest, most) {
        for (let version = 1; version <= Math.min(newest, most); version += PAGE_ROWS) {
            yield await this.around(version);
        }
    }

    async #read(after) {
        const path = (what) => activityPath(this.#id, `/${what}?after=${after}&limit=${PAGE_ROWS}`);
        const [{ events }, { decisions }] = await Promise.all([
            read(path("events"), this.#signal), read(path("decisions"), this.#signal),
        ]);
        const byVersion = new Map(decisions.map((decision) => [decision.version, decision]));
        return events.map((event) => ({
            version: event.version, event, decision: byVersion.get(event.version) ?? null,
        }));
    }
}

/** The versions around the one that is looked at: event, decision, and APNs' answers. */
export class Timeline {
    #onChoose;
    #rows = new Map();
    /** The version that was last brought into the frame. */
    #chosen = null;

    constructor(onChoose) {
        this.#onChoose = onChoose;
        this.element = el("ol", "timeline");
        this.element.addEventListener("click", (event) => {
            const row = event.target.closest("button[data-version]");
            if (row) this.#onChoose(Number(row.dataset.version));
        });
    }

    show(versions, chosen) {
        const wanted = new Set(versions.map((each) => each.version));
        for (const [version, { element }] of this.#rows) {
            if (wanted.has(version)) continue;
            element.remove();
            this.#rows.delete(version);
        }
        // Rows that are there stay: somebody may be on one of them. The newest is the first.
        let older = null;
        for (const each of versions) {
            let known = this.#rows.get(each.version);
            if (!known) {
                this.#rows.set(each.version, (known = row(each.version)));
                this.element.insertBefore(known.element, older);
            }
            known.show(each, each.version === chosen);
            older = known.element;
        }
        const current = this.#rows.get(chosen)?.element;
        // Drawn again without another choice, it stays where the reader has scrolled it to.
        if (!current || chosen === this.#chosen) return;
        this.#chosen = chosen;
        // Within its own frame, so that the page stays where it is.
        const [top, bottom] = [current.offsetTop, current.offsetTop + current.offsetHeight];
        const frame = this.element;
        if (top < frame.scrollTop) frame.scrollTop = top - 8;
        else if (bottom > frame.scrollTop + frame.clientHeight) frame.scrollTop = bottom - frame.clientHeight + 8;
    }
}

/**
 * Looks for an event by its id.
 * @param pages gives all versions, page by page.
 * @param choose called with the version that it is.
 */
export function finder(pages, choose) {
    const field = el("input", {
        type: "search", placeholder: t("eventID"), ariaLabel: t("eventID"), maxLength: 200,
    });
    const answer = el("span", { className: "hint", role: "status" });
    const form = el("form", "finder", field, button(t("find"), "plain small", () => form.requestSubmit()), answer);
    form.addEventListener("submit", async (event) => {
        event.preventDefault();
        const wanted = field.value.trim();
        if (!wanted) return;
        setText(answer, t("looking"));
        try {
            for await (const page of pages()) {
                const found = page.find((each) => each.event.id === wanted);
                if (!found) continue;
                setText(answer, t("foundAt", found.version));
                return choose(found.version);
            }
            setText(answer, t("noSuchEvent"));
        } catch (error) {
            setText(answer, error.message);
        }
    });
    return form;
}

function row(version) {
    const time = el("span", "at");
    const badge = el("span", "badge");
    const what = el("span", "type");
    const outcome = el("span", "outcome");
    const press = el("button", { className: "step", type: "button" }, el("span", "head", el("span", "v", t("versionShort", version)), time, badge), what, outcome);
    press.dataset.version = version;
    return {
        element: el("li", "", press),
        show: ({ event, decision }, isChosen) => {
            setText(time, clockTime(event.recordedat));
            time.title = moment(event.recordedat);
            setText(what, event.type.replace(/^[^.]*\./, ""));
            setText(badge, decision ? t(`verdict_${decision.verdict}`) : t("undecided"));
            badge.dataset.verdict = decision?.verdict ?? "hold";
            setText(outcome, said(decision));
            press.ariaCurrent = isChosen ? "step" : null;
        },
    };
}

/** What became of a decision. */
function said(decision) {
    if (!decision) return t("nothingDecided");
    if (decision.verdict === "hold") return t("nothingWasSent");
    const outcome = decision.outcome;
    if (!outcome) return t("waitsToBeSent");
    const parts = [];
    if (outcome.timestamp === null && outcome.channels.accepted + outcome.channels.failed === 0) {
        return t("noPhoneThen");
    }
    if (outcome.carriedBy !== decision.version) parts.push(t("carriedBy", outcome.carriedBy));
    if (outcome.accepted + outcome.failed > 0) parts.push(t("answers", outcome.accepted, outcome.failed));
    const { accepted, failed } = outcome.channels;
    if (accepted + failed > 0) parts.push(t("broadcasts", accepted, failed));
    return parts.join(" · ") || t("noPhoneThen");
}

/** How far a version had come when its answers were in. */
export function pastTruth(decision) {
    if (!decision) return { level: "no", text: t("nothingDecided") };
    if (decision.verdict === "hold") return { level: "no", text: t("heldThen") };
    const outcome = decision.outcome;
    if (!outcome) return { level: "no", text: t("onItsWay") };
    const accepted = outcome.accepted + outcome.channels.accepted;
    const failed = outcome.failed + outcome.channels.failed;
    if (accepted + failed === 0) return { level: "none", text: t("noPhoneThen") };
    if (accepted === 0) return { level: "no", text: t("answers", accepted, failed) };
    return { level: failed > 0 ? "some" : "all", text: t("answers", accepted, failed) };
}

/**
 * What shows what happened and when, without what it was about: of values only their kinds and
 * lengths, and neither names, nor texts, nor tokens. What is not named here is left out.
 */
export async function evidence(id, history, newest) {
    const [phones, letters] = await Promise.all([
        read(activityPath(id, "/phones?limit=500")),
        read(`/v1/dead-letters?activity=${encodeURIComponent(id)}&limit=100`),
    ]);
    const versions = [];
    for await (const page of history.all(newest, VERSIONS_MAX)) {
        for (const { event, decision } of page) {
            versions.push({ event: redactedEvent(event), decision: decision && redactedDecision(decision) });
        }
    }
    return {
        form: "islet-evidence/1", madeAt: new Date().toISOString(), activity: id, newest,
        isWhole: newest <= VERSIONS_MAX, versions,
        delivery: phones.delivery, closed: phones.closed,
        phones: eachOnce([...phones.behind, ...phones.phones, ...phones.gone]),
        deadLetters: letters.deadLetters.map(({ carrier, attempts, version, givenUpAt, reason }) =>
            ({ carrier, attempts, version, givenUpAt, reason })),
    };
}

function redactedEvent({ type, time, recordedat, position, version, schemaversion, data }) {
    return { type, time, recordedat, position, version, schemaversion, data: covered(data) };
}

function redactedDecision(decision) {
    const { version, position, verdict, significance, rule, policyVersion, rulesVersion, order } = decision;
    const { bytes, staleAt, dismissAt, relevanceScore, decidedAt, outcome, changes } = decision;
    return {
        version, position, verdict, significance, rule, policyVersion, rulesVersion, order, bytes,
        staleAt, dismissAt, relevanceScore, decidedAt, outcome, hasAlert: decision.alert !== null,
        changed: (changes ?? []).map((change) => change.member),
    };
}

/** The shape of a value. */
function covered(value) {
    if (value === null || typeof value === "boolean") return typeof value;
    if (Array.isArray(value)) return value.map(covered);
    if (typeof value === "object") {
        return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, covered(each)]));
    }
    return typeof value === "string" ? `text of ${value.length}` : typeof value;
}

export function download(name, document_) {
    const url = URL.createObjectURL(
        new Blob([JSON.stringify(document_, null, 2)], { type: "application/json" }));
    const anchor = link(url, "");
    anchor.download = name;
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
