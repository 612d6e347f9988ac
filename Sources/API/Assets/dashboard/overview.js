import { showLine } from "./clocks.js";

/** How soon figures follow changes. */
const REFRESH_MS = 5_000;
/** How old they may be at all: a filter may keep changes from this page, and time alone makes late. */
const AGE_MS_MAX = 20_000;

const $ = (id) => document.getElementById(id);

/** The strip of figures and the scoreboard, asked for again while the page is in use. */
export class Overview {
    #read;
    #onKinds;
    #timer = null;
    #isWanted = false;
    #loadedAt = 0;
    #board = [];

    /**
     * @param read path => promise of the document
     * @param onKinds told the names of the kinds that there are
     */
    constructor(read, onKinds) {
        this.#read = read;
        this.#onKinds = onKinds;
    }

    /** Something has changed: shows it now, or when the last look is old enough. */
    refresh() {
        this.#isWanted = true;
        if (this.#timer === null) this.#load();
    }

    /** A change that the stream tells: scores are not to lag behind the cards. */
    take(activity) {
        this.refresh();
        const index = this.#board.findIndex((each) => each.id === activity.id);
        if (index < 0 || this.#board[index].version >= activity.version) return;
        this.#board.splice(index, 1, ...(activity.phase === "live" ? [activity] : []));
        showBoard(this.#board);
    }

    clear() {
        clearTimeout(this.#timer);
        this.#board = [];
        this.#timer = null;
        this.#isWanted = false;
        $("figures").replaceChildren();
        $("matches").replaceChildren();
        $("scoreboard").hidden = true;
    }

    async #load() {
        this.#isWanted = false;
        this.#loadedAt = Date.now();
        const timer = this.#wait();
        try {
            const [overview, board] = await Promise.all([
                this.#read("/v1/overview"), this.#read("/v1/scoreboard"),
            ]);
            // Signed out, or signed in anew, meanwhile.
            if (this.#timer !== timer) return;
            this.#board = board.activities;
            showFigures(overview);
            showBoard(this.#board);
            this.#onKinds(overview.kinds.map((kind) => kind.kind));
        } catch {
            // The stream says when the connection is lost; old figures are better than none.
            this.#isWanted = true;
        }
    }

    #wait() {
        this.#timer = setTimeout(() => {
            const isOld = Date.now() - this.#loadedAt >= AGE_MS_MAX;
            if (this.#isWanted || isOld) this.#load();
            else this.#wait();
        }, REFRESH_MS);
        return this.#timer;
    }
}

function showFigures(overview) {
    const sum = (name) => overview.kinds.reduce((total, kind) => total + kind[name], 0);
    const measured = overview.kinds.filter((kind) => kind.onTime.of > 0);
    const figures = [
        ["Live", sum("live")],
        ["Scheduled", sum("scheduled")],
        ["Late now", overview.activities.late],
        ["Cannot be folded", overview.activities.faulted],
        ["Too large to push", overview.activities.tooLarge],
        ["Ended in a day", sum("ended")],
        ["Events a minute", overview.events.inLastMinute],
        ["Alerts an activity", rounded(overview.alerts.perActivity)],
        ...measured.flatMap((kind) => [
            [`${spaced(kind.kind)}: on time`, `${Math.round(kind.onTime.share * 100)} %`],
            [`${spaced(kind.kind)}: delay, half and nine tenths`,
                `${minutes(kind.delaySeconds.p50)}, ${minutes(kind.delaySeconds.p90)}`],
        ]),
    ];
    $("figures").replaceChildren(...figures.map(([name, value]) => {
        const figure = document.createElement("div");
        const term = document.createElement("dt");
        const definition = document.createElement("dd");
        term.textContent = name;
        definition.textContent = value ?? "–";
        figure.append(term, definition);
        return figure;
    }));
}

function showBoard(activities) {
    $("scoreboard").hidden = activities.length === 0;
    $("matches").replaceChildren(...activities.map((activity) => {
        const item = document.createElement("li");
        const competition = document.createElement("span");
        competition.className = "kind";
        competition.textContent = activity.facts.competition;
        item.append(competition);
        for (const line of activity.presentation?.lockScreen ?? []) {
            const text = document.createElement("p");
            showLine(text, line);
            item.append(text);
        }
        return item;
    }));
}

function spaced(name) {
    return name.replace(/(?<=[a-z])(?=[A-Z])/g, " ");
}

function rounded(value) {
    return value === null ? null : Math.round(value * 100) / 100;
}

function minutes(seconds) {
    const value = Math.round(seconds / 60);
    return `${value > 0 ? "+" : ""}${value} min`;
}
