// Clocks run by themselves, on the phone as here: time passing needs no message.
import { el, setText } from "./dom.js";
import { t } from "./words.js";

/** The server's clock minus this browser's. */
let skewMs = 0;
let isUTC = false;

export function setServerTime(text) {
    const server = Date.parse(text);
    if (!Number.isNaN(server)) skewMs = server - Date.now();
}

export function serverNow() {
    return Date.now() + skewMs;
}

export function useUTC(isWanted) {
    isUTC = isWanted;
}

/** Clocks within an element show a moment, and go on again with null. */
export function readAt(element, moment) {
    if (moment === null) delete element.dataset.at;
    else element.dataset.at = moment;
}

/** The line that an element was filled with. */
const shownLines = new WeakMap();

/**
 * Fills an element with a line: its text, then its clock's reading. One that shows it already is
 * left alone but for the clock: somebody may have marked it.
 */
export function showLine(element, line) {
    const wanted = JSON.stringify(line ?? null);
    if (shownLines.get(element) === wanted) return element.querySelectorAll(".clock").forEach(tickOne);
    shownLines.set(element, wanted);
    element.replaceChildren();
    if (!line) return;
    if (line.text) element.append(line.text);
    if (!line.clock) return;
    const clock = el("span", "clock");
    if (line.clock.countdown) clock.dataset.to = Date.parse(line.clock.countdown.to);
    else if (line.clock.countUp) clock.dataset.from = Date.parse(line.clock.countUp.from);
    if (line.text) element.append(" ");
    element.append(clock);
    tickOne(clock);
}

/** Brings every clock and every age on the page up to date. */
export function tick() {
    document.querySelectorAll(".clock").forEach(tickOne);
    document.querySelectorAll("time[data-age]").forEach(age);
}

function tickOne(clock) {
    const at = clock.closest("[data-at]")?.dataset.at;
    const now = at ? Number(at) : serverNow();
    const { to, from } = clock.dataset;
    const ms = to !== undefined ? Number(to) - now : now - Number(from);
    const seconds = to !== undefined ? Math.ceil(ms / 1000) : Math.floor(ms / 1000);
    setText(clock, reading(Math.max(0, seconds)));
}

/** The same form as on the phone: m:ss, or h:mm:ss from an hour on. */
function reading(seconds) {
    const two = (number) => String(number).padStart(2, "0");
    const minutes = Math.floor(seconds / 60) % 60;
    return seconds >= 3600
        ? `${Math.floor(seconds / 3600)}:${two(minutes)}:${two(seconds % 60)}`
        : `${minutes}:${two(seconds % 60)}`;
}

/** How long ago it was, which goes on by itself; the moment in full in its hint. */
export function since(text) {
    const time = el("time");
    setSince(time, text);
    return time;
}

export function setSince(time, text) {
    if (time.dateTime !== text) {
        time.dateTime = text;
        time.dataset.age = "";
        time.title = moment(text);
    }
    age(time);
}

function age(time) {
    const seconds = Math.max(0, Math.floor((serverNow() - Date.parse(time.dateTime)) / 1000));
    if (seconds < 5) setText(time, t("justNow"));
    else if (seconds < 90) setText(time, t("secondsAgo", seconds));
    else if (seconds < 5400) setText(time, t("minutesAgo", Math.round(seconds / 60)));
    else if (seconds < 129_600) setText(time, t("hoursAgo", Math.round(seconds / 3600)));
    else setText(time, day(time.dateTime));
}

/** In the reader's zone, or in UTC. */
export function moment(text) {
    return format(text, {
        year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit",
        second: "2-digit", timeZoneName: "short",
    });
}

export function clockTime(text) {
    return format(text, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
}

function day(text) {
    return format(text, { year: "numeric", month: "short", day: "numeric" });
}

function format(text, options) {
    if (!text) return "–";
    return new Intl.DateTimeFormat(document.documentElement.lang, {
        ...options, hourCycle: "h23", ...(isUTC ? { timeZone: "UTC" } : {}),
    }).format(new Date(text));
}
