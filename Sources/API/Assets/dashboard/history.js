import { activityPath, read } from "./api.js";

/** Versions that are read at once. */
const PAGE_ROWS = 50;

/** The versions of one activity, each with its event and what was decided, read as they are needed. */
export class History {
    #id;
    #signal;
    /** Promises of pages, by number; each of {events, decisions} by version. */
    #pages = new Map();

    constructor(id, signal) {
        this.#id = id;
        this.#signal = signal;
    }

    /** @returns {version, event, decision}; either may be missing: parked, or not decided yet. */
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

    /** What was settled meanwhile stands in the newest pages. */
    forget() {
        this.#pages.clear();
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
