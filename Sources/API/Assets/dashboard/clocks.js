// Clocks run by themselves, on the phone as here: time passing needs no message.

/** The server's clock minus this browser's. */
let skewMs = 0;

export function setServerTime(text) {
    const server = Date.parse(text);
    if (!Number.isNaN(server)) skewMs = server - Date.now();
}

export function serverNow() {
    return Date.now() + skewMs;
}

/** Fills an element with a line: its text, then its clock's reading. */
export function showLine(element, line) {
    element.replaceChildren();
    if (!line) return;
    if (line.text) element.append(line.text);
    if (!line.clock) return;
    const clock = document.createElement("span");
    clock.className = "clock";
    if (line.clock.countdown) clock.dataset.to = Date.parse(line.clock.countdown.to);
    else if (line.clock.countUp) clock.dataset.from = Date.parse(line.clock.countUp.from);
    if (line.text) element.append(" ");
    element.append(clock);
    tickOne(clock);
}

/** Brings every clock and every age on the page up to date. */
export function tick() {
    document.querySelectorAll(".clock").forEach(tickOne);
    document.querySelectorAll("time[datetime]").forEach(age);
}

function tickOne(clock) {
    const now = serverNow();
    const { to, from } = clock.dataset;
    const ms = to !== undefined ? Number(to) - now : now - Number(from);
    const seconds = to !== undefined ? Math.ceil(ms / 1000) : Math.floor(ms / 1000);
    setText(clock, reading(Math.max(0, seconds)));
}

/** The same form as on the phone: m:ss, or h:mm:ss from an hour on. */
export function reading(seconds) {
    const two = (number) => String(number).padStart(2, "0");
    const minutes = Math.floor(seconds / 60) % 60;
    return seconds >= 3600
        ? `${Math.floor(seconds / 3600)}:${two(minutes)}:${two(seconds % 60)}`
        : `${minutes}:${two(seconds % 60)}`;
}

export function age(time) {
    const seconds = Math.max(0, Math.floor((serverNow() - Date.parse(time.dateTime)) / 1000));
    if (seconds < 5) setText(time, "just now");
    else if (seconds < 90) setText(time, `${seconds} s ago`);
    else if (seconds < 5400) setText(time, `${Math.round(seconds / 60)} min ago`);
    else if (seconds < 129_600) setText(time, `${Math.round(seconds / 3600)} h ago`);
    else setText(time, new Date(time.dateTime).toLocaleDateString());
}

function setText(element, text) {
    if (element.textContent !== text) element.textContent = text;
}
