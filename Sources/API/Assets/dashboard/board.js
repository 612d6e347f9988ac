import { read } from "./api.js";
import { $, setText } from "./dom.js";
import { Filters } from "./filters.js";
import { Preview } from "./phone.js";
import { Row, spacer } from "./rows.js";
import { t } from "./words.js";

/** Rows of a page: some 6 KB packed. */
const PAGE_ROWS = 100;
/** Rows that are drawn beyond what is seen, so that a quick scroll shows no gap. */
const OVERSCAN = 8;
/** How soon what is seen follows what phones heard, and the order what changed. */
const REST_MS = 2_000;
const HIDDEN_REST_MS = 15_000;
/** Changes are drawn together: fifty a second are ten drawings. */
const DRAW_MS = 100;

/** The table of activities: filters in the address, pages from the server, rows as far as seen. */
export class Board {
    #filters;
    #leave;
    /** {path, rows, next, isPartial}, in their order; the last one's `next` is where it goes on. */
    #pages = [];
    #byID = new Map();
    /** Of all pages, each activity once. */
    #flat = [];
    #elements = new Map();
    #spacers = [spacer(), spacer()];
    #isShown = false;
    #query = null;
    #isLoading = false;
    /** Changes of activities that the list has not, or not in this place. */
    #newer = 0;
    #loading = null;
    #timers = { draw: null, refresh: null };
    /** When what is seen is read again. */
    #due = Infinity;
    #preview = new Preview();
    #problem = null;

    /** @param leave called with the reason when nobody is signed in any more. */
    constructor({ go, leave }) {
        this.#filters = new Filters(go);
        this.#leave = leave;
        addEventListener("scroll", () => this.#drawSoon(0), { passive: true });
        addEventListener("resize", () => this.#drawSoon(0));
        $("rows").addEventListener("focusin", (event) => this.#select(event.target));
        $("rows").addEventListener("click", (event) => this.#press(event));
        $("newer").addEventListener("click", () => {
            document.activeElement.blur();
            window.scrollTo(0, 0);
            this.reload();
        });
    }

    /** Shows the list that an address asks for; the one that is there stays. */
    show(address) {
        this.#isShown = true;
        const query = this.#filters.show(address);
        if (String(query) !== this.#query) {
            this.#query = String(query);
            this.reload();
        }
        this.#schedule();
        this.#drawSoon(0);
    }

    pause() {
        this.#isShown = false;
        this.#filters.stop();
    }

    clear() {
        this.pause();
        this.#loading?.abort();
        this.#query = null;
        this.#problem = null;
        this.#set([]);
        this.#takeOff();
        this.#preview.close();
        this.#filters.clear();
    }

    redraw() {
        this.#takeOff();
        this.#drawSoon(0);
        this.#preview.redraw();
    }

    #takeOff() {
        for (const { element } of this.#elements.values()) element.remove();
        this.#elements.clear();
    }

    /** A line that the stream tells. */
    take(row) {
        const isKnown = this.#learn(row);
        if (!isKnown || this.#order === "-change") this.#newer += 1;
        this.#drawSoon();
        if (!isKnown) this.#schedule(300);
    }

    /** @returns whether the list has the activity, whose row is as new as this one then. */
    #learn(row) {
        const known = this.#byID.get(row.id);
        if (known && known.version <= row.version) Object.assign(known, row);
        if (known) this.#preview.take(known);
        return Boolean(known);
    }

    /** Something may have changed that the stream does not tell. */
    refresh() { this.#schedule(300); }

    /** From the first page on. */
    async reload() {
        this.#loading?.abort();
        this.#loading = new AbortController();
        const first = { path: this.#firstPath(), rows: [], next: null, isPartial: false };
        await this.#fetch(first, () => this.#set([first]));
    }

    /** Whether the pages are of the filter that is chosen; until then they are asked for again. */
    get #isCurrent() {
        return this.#pages[0]?.path === this.#firstPath();
    }

    /** Moves to the next row, or one before. */
    move(step) {
        const current = this.#flat.findIndex((row) => row.id === this.#focusedID);
        const visible = this.#range();
        const index = current < 0 ? visible.first
            : Math.min(Math.max(current + step, 0), this.#flat.length - 1);
        if (this.#flat[index]) this.focus(this.#flat[index].id);
    }

    /** Gives a row the keyboard, where it can be seen. */
    focus(id) {
        const index = this.#flat.findIndex((row) => row.id === id);
        if (index < 0) return;
        const top = this.#top() + index * this.#rowHeight;
        const head = $("table").tHead.offsetHeight + document.querySelector(".top").offsetHeight;
        if (top < scrollY + head) window.scrollTo(0, top - head);
        else if (top + this.#rowHeight > scrollY + innerHeight) {
            window.scrollTo(0, top + this.#rowHeight - innerHeight + 8);
        }
        this.#draw();
        this.#elements.get(id)?.element.querySelector("a").focus({ preventScroll: true });
    }

    get #order() {
        return new URLSearchParams(this.#query ?? "").get("order") ?? "-change";
    }

    get #focusedID() {
        return document.activeElement?.closest?.("#rows tr")?.dataset.id ?? null;
    }

    /** Whether the order may change under the reader's eyes: not while a row is in use. */
    get #isFollowing() {
        return this.#focusedID === null && scrollY <= this.#top();
    }

    get #rowHeight() {
        return parseFloat(getComputedStyle($("table")).getPropertyValue("--row"));
    }

    #top() {
        return $("rows").getBoundingClientRect().top + scrollY;
    }

    #firstPath() {
        const shown = new URLSearchParams(this.#query);
        const asked = new URLSearchParams({ limit: PAGE_ROWS, order: this.#order });
        for (const name of ["search", "kind", "phase"]) {
            if (shown.get(name)) asked.set(name, shown.get(name));
        }
        if (shown.get("only")) asked.set(shown.get("only"), "true");
        return `/v1/board?${asked}`;
    }

    async #fetch(page, done) {
        const { signal } = (this.#loading ??= new AbortController());
        this.#isLoading = true;
        try {
            const { rows, next, isPartial } = await read(page.path, signal);
            Object.assign(page, { rows, next, isPartial });
            this.#problem = null;
            done();
        } catch (error) {
            if (error.status === 401) return this.#leave(error.message);
            if (error.name === "AbortError") return;
            this.#problem = error.message;
            if (!this.#isCurrent) this.#set([]);
        } finally {
            if (!signal.aborted) {
                this.#isLoading = false;
                this.#draw();
            }
        }
    }

    #set(pages) {
        this.#pages = pages;
        this.#newer = 0;
        this.#flatten();
    }

    /** Each activity once, where it came first: one that moved is on two pages for a while. */
    #flatten() {
        this.#byID = new Map();
        for (const page of this.#pages) {
            for (const row of page.rows) if (!this.#byID.has(row.id)) this.#byID.set(row.id, row);
        }
        this.#flat = [...this.#byID.values()];
    }

    #schedule(delay = document.hidden ? HIDDEN_REST_MS : REST_MS) {
        const due = Date.now() + delay;
        // One wish after another would put it off for ever.
        if (due >= this.#due) return;
        this.#due = due;
        clearTimeout(this.#timers.refresh);
        this.#timers.refresh = setTimeout(() => this.#refresh(), delay);
    }

    /** Brings what is seen up to date: what phones heard meanwhile, and what is new. */
    async #refresh() {
        this.#due = Infinity;
        if (!this.#isShown) return;
        if (!this.#isLoading) await (this.#isCurrent ? this.#refreshSeen() : this.reload());
        if (this.#isShown) this.#schedule();
    }

    async #refreshSeen() {
        const loading = this.#loading;
        const isFixed = this.#order === "-change" && !this.#isFollowing;
        const { first, last } = this.#range();
        let start = 0;
        const seen = this.#pages.filter((page, index) => {
            const end = start + page.rows.length;
            const isSeen = start <= Math.max(first, last) && end >= first;
            start = end;
            return isSeen || (isFixed && index === 0);
        });
        for (const page of seen) {
            // Another list is on its way, and these pages are not its.
            if (this.#loading !== loading) return;
            // The order stays as it is; what is known of its rows is brought up to date.
            const target = isFixed ? { path: page.path } : page;
            await this.#fetch(target, () => {
                if (isFixed) target.rows.forEach((row) => this.#learn(row));
                else this.#link(page);
            });
        }
    }

    /** Later pages begin where this one ends now. */
    #link(page) {
        const index = this.#pages.indexOf(page);
        const after = this.#pages[index + 1];
        if (page.next === null) this.#pages.length = index + 1;
        else if (after) after.path = page.next;
        this.#newer = 0;
        this.#flatten();
        for (const row of page.rows) this.#preview.take(row);
    }

    async #loadMore() {
        const last = this.#pages.at(-1);
        if (this.#isLoading || !last?.next) return;
        const page = { path: last.next, rows: [], next: null, isPartial: false };
        await this.#fetch(page, () => {
            this.#pages.push(page);
            this.#flatten();
        });
    }

    #range() {
        const height = this.#rowHeight;
        const from = Math.floor((scrollY - this.#top()) / height) - OVERSCAN;
        const first = Math.max(0, Math.min(from, this.#flat.length - 1));
        const count = Math.ceil(innerHeight / height) + 2 * OVERSCAN;
        return { first, last: Math.min(this.#flat.length - 1, Math.max(from, 0) + count) };
    }

    #drawSoon(delay = DRAW_MS) {
        if (delay === 0) this.#timers.draw = clearTimeout(this.#timers.draw);
        this.#timers.draw ??= setTimeout(() => requestAnimationFrame(() => this.#draw()), delay);
    }

    #draw() {
        this.#timers.draw = null;
        if (!this.#isShown) return;
        const { first, last } = this.#range();
        const body = $("rows");
        const wanted = this.#flat.slice(first, last + 1);
        const focused = this.#focusedID;
        const ids = new Set(wanted.map((row) => row.id));
        for (const [id, { element }] of this.#elements) {
            // Who has the keyboard keeps it, wherever the page is scrolled to.
            if (!ids.has(id) && id !== focused) {
                element.remove();
                this.#elements.delete(id);
            }
        }
        const [above, below] = this.#spacers;
        if (above.parentNode !== body) body.replaceChildren(above, below);
        above.firstChild.style.height = `${first * this.#rowHeight}px`;
        below.firstChild.style.height = `${(this.#flat.length - 1 - last) * this.#rowHeight}px`;
        let before = above;
        wanted.forEach((row, index) => {
            let element = this.#elements.get(row.id);
            if (!element) this.#elements.set(row.id, (element = new Row()));
            element.show(row, first + index);
            if (before.nextSibling !== element.element) before.after(element.element);
            before = element.element;
        });
        $("table").ariaRowCount = this.#pages.at(-1)?.next ? -1 : this.#flat.length + 1;
        this.#say();
        if (last >= this.#flat.length - PAGE_ROWS / 2) this.#loadMore();
    }

    #say() {
        const isNone = this.#flat.length === 0 && (!this.#isLoading || this.#problem !== null);
        // Until the chosen filter's rows are there, those of the one before are only shown as old.
        $("table").ariaBusy = String(!this.#isCurrent);
        const isFiltered = [...new URLSearchParams(this.#query).keys()].some((name) => name !== "order");
        $("table").hidden = isNone;
        $("empty").hidden = !isNone;
        setText($("empty-title"), this.#problem ? t("unread") : isFiltered ? t("nothingFound") : t("noActivities"));
        setText($("empty-text"), this.#problem ?? (isFiltered ? t("otherFilter") : t("firstAppears")));
        $("stale").hidden = isNone || !this.#problem;
        setText($("stale"), this.#problem ? t("listStale", this.#problem) : "");
        const isNewer = this.#newer > 0 && this.#order === "-change" && !this.#isFollowing;
        // What has moved up meanwhile is not on the pages below, so that these are not all.
        const counted = this.#pages.at(-1)?.next ? "loadedSoFar" : isNewer ? "loaded" : "inAll";
        setText($("counts"), this.#flat.length === 0 || !this.#isCurrent ? "" : t(counted, this.#flat.length));
        const isPartial = this.#pages.some((page) => page.isPartial);
        $("more").hidden = !isPartial;
        setText($("more"), t("searchPartial"));
        $("newer").hidden = !isNewer;
        if (isNewer) setText($("newer"), t("showNewer", this.#newer));
    }

    #select(target) {
        const id = target.closest("tr")?.dataset.id;
        const row = this.#byID.get(id);
        if (row) this.#preview.show(row);
        for (const [each, { element }] of this.#elements) {
            element.classList.toggle("selected", each === id);
        }
    }

    /** Beside its link a row can be pressed as well: where there is room for a preview, to see it. */
    #press(event) {
        const row = event.target.closest("tr[data-id]");
        if (!row || event.target.closest("a")) return;
        const anchor = row.querySelector("a");
        if (matchMedia("(min-width: 70rem)").matches) anchor.focus({ preventScroll: true });
        else anchor.click();
    }
}
