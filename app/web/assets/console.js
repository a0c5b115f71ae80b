// The console works without this. With it progress moves by itself, and forms say more while they are filled in.

document.documentElement.classList.add("scripted");

const pageOf = (html) => new DOMParser().parseFromString(html, "text/html");
const main = document.getElementById("main");

// What is shown is replaced by what another page has in its place; who was at something goes on there, if it is there.
function show(page, focusOn) {
  const at = main.contains(document.activeElement) ? document.activeElement : null;
  document.title = page.title;
  main.replaceChildren(...page.getElementById("main").childNodes);
  prepare();
  const same = at && [...main.querySelectorAll("a, button, input, select, summary, textarea")].find((one) => isLike(one, at));
  const place = focusOn ? document.getElementById(focusOn) : same || (at ? main : null);
  place?.focus({ preventScroll: !focusOn });
}

const signs = (place) => [place.tagName, place.id, place.name, place.getAttribute("href"), place.textContent.trim()];
const isLike = (one, other) => signs(one).every((sign, index) => sign === signs(other)[index]);

// ---- Progress: a stream of events; when it is lost, the page is asked for again and again.

class Progress {
  constructor(place) {
    this.place = place;
    this.percent = -1;
    this.told = "";
    this.open();
  }

  open() {
    this.stream = new EventSource(this.place.dataset.live);
    this.stream.addEventListener("snapshot", (event) => this.take(pageOf(event.data).querySelector(".now")));
    this.stream.addEventListener("open", () => this.found());
    this.stream.addEventListener("error", () => {
      // the browser comes back by itself; a stream that stays away, or is refused, is not waited for
      const patience = this.stream.readyState === EventSource.CLOSED ? 0 : 3000;
      this.lost ??= setTimeout(() => this.fall(), patience);
    });
  }

  found() {
    clearTimeout(this.lost);
    this.lost = undefined;
    this.place.querySelector(".offline")?.remove();
  }

  fall() {
    this.stream.close();
    this.poll(3);
  }

  async poll(times) {
    // no sooner than was last asked for, whoever asked
    const early = calm - performance.now();
    if (early > 0) return void (this.timer = setTimeout(() => this.poll(times), early));
    let wait = 5;
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" }, cache: "no-store" });
      wait = Number(answer.headers.get("Retry-After")) || 2;
      calm = performance.now() + wait * 1000;
      const page = pageOf(await answer.text());
      if (answer.ok) {
        const now = page.querySelector("#live .now");
        this.found();
        if (!now) return void (page.getElementById("token") ? location.reload() : show(page));
        this.take(now, page);
      } else this.say_offline();
    } catch {
      this.say_offline();
    }
    if (this.over) return;
    this.timer = setTimeout(() => (times > 1 ? this.poll(times - 1) : this.open()), wait * 1000);
  }

  take(now, page) {
    // an answer that was overtaken on its way is old news
    if (!now || this.over || Number(now.dataset.percent) < this.percent) return;
    this.percent = Number(now.dataset.percent);
    const bar = this.place.querySelector("progress");
    const next = now.querySelector("progress");
    if (bar && next) {
      // the same bar moves on, where a new one would jump
      bar.value = next.value;
      next.replaceWith(bar);
    }
    this.place.replaceChildren(now);
    this.say(now);
    const doing = now.querySelector("strong").textContent;
    const isNew = this.doing !== undefined && this.doing !== doing;
    this.doing = doing;
    if (["completed", "failed", "cancelled"].includes(now.dataset.state)) this.end(page);
    // the rest of the page changes with what the export does; but not under the hands of somebody at work there
    else if (isNew && !main.querySelector("details[open], form:focus-within")) this.end(page);
  }

  say(now) {
    // for those who listen: what it does, and every tenth of the way
    const news = `${now.dataset.state} ${now.querySelector("strong").textContent} ${Math.floor(this.percent / 10)}`;
    if (news !== this.told) document.getElementById("said").textContent = now.dataset.said;
    this.told = news;
  }

  say_offline() {
    if (this.place.querySelector(".offline")) return;
    const note = document.createElement("p");
    note.className = "notice warn offline";
    note.textContent = this.place.dataset.offline;
    this.place.append(note);
  }

  close() {
    this.stream.close();
    clearTimeout(this.timer);
    clearTimeout(this.lost);
    this.lost = undefined;
  }

  // the page as it is now takes the place of this one, and follows anew if there is still something to follow
  async end(page) {
    this.over = true;
    this.close();
    if (page) return show(page);
    const answer = await fetch(location.href, { headers: { Accept: "text/html" }, cache: "no-store" });
    if (answer.ok) show(pageOf(await answer.text()));
  }
}

let calm = 0;
let progress;

function follow() {
  progress?.close();
  const place = document.getElementById("live");
  progress = place && new Progress(place);
}

// a page that nobody sees keeps no connection: browsers have six for each server
document.addEventListener("visibilitychange", () => {
  if (!progress || progress.over) return;
  progress.close();
  if (!document.hidden) {
    progress.poll(0);
  }
});

// ---- A new export: days beside the range, and the name of a file while it is typed.

function prepareRange() {
  const range = document.querySelector("[data-range]");
  const days = document.querySelector("[data-days]");
  if (!range || !days) return;
  const turn = () => (days.hidden = range.value !== "other");
  range.addEventListener("change", turn);
  turn();
}

function prepareExample() {
  const field = document.querySelector("[data-example]");
  if (!field) return;
  let timer;
  const ask = async () => {
    const kind = field.form.elements.document_type.value;
    const query = new URLSearchParams({ document_type: kind, filename_pattern: field.value });
    const answer = await fetch(`${field.dataset.example}?${query}`);
    if (!answer.ok) return;
    const code = document.createElement("code");
    code.textContent = await answer.text();
    document.getElementById("example").replaceChildren(code);
  };
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => ask().catch(() => {}), 250);
  };
  field.addEventListener("input", soon);
  field.form.addEventListener("change", (event) => event.target.name === "document_type" && soon());
}

// ---- The store: a document with what stands in the form, a moment after it was typed.

class Preview {
  constructor(section) {
    this.section = section;
    this.shown = document.getElementById("shown");
    this.form = document.getElementById("store");
    this.isAsking = false;
    this.isOld = false;
    for (const place of [this.form, section]) place.addEventListener("input", () => this.soon());
    if (!this.shown.querySelector("img, .notice")) this.ask();
  }

  soon(seconds = 0.5) {
    // what is on its way was asked before this was typed
    this.isOld = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), seconds * 1000);
  }

  // one at a time: the next one is asked when this one has come, and takes its place
  async ask() {
    if (this.isAsking || !this.section.isConnected) return;
    this.isAsking = true;
    this.isOld = false;
    this.shown.setAttribute("aria-busy", "true");
    let again = 0;
    try {
      const answer = await fetch(this.section.dataset.preview, { method: "POST", body: new FormData(this.form), headers: { Accept: "text/html" } });
      const page = pageOf(await answer.text());
      const found = page.getElementById("shown");
      // too much to do, or no time left; where there is no preview at all, nobody may be signed in any more
      if (answer.status >= 500) again = Number(answer.headers.get("Retry-After")) || 5;
      else if (!found) again = 30;
      if (again) this.say_late();
      else if (!this.isOld) this.take(page, found);
    } catch {
      again = 5;
      this.say_late();
    }
    this.isAsking = false;
    this.shown.removeAttribute("aria-busy");
    if (again) this.soon(again);
    else if (this.isOld) this.soon(0);
  }

  take(page, found) {
    this.shown.replaceChildren(...found.childNodes);
    document.getElementById("contrast").replaceChildren(...page.getElementById("contrast").childNodes);
    document.getElementById("said").textContent = this.shown.querySelector(".notice")?.textContent ?? "";
  }

  say_late() {
    if (this.shown.querySelector(".late")) return;
    const note = document.createElement("p");
    note.className = "notice warn late";
    note.textContent = this.section.dataset.late;
    this.shown.prepend(note);
  }
}

function prepareStore() {
  const section = document.querySelector("[data-preview]");
  if (section) new Preview(section);
  const picker = document.querySelector("[data-colour]");
  if (!picker) return;
  const field = document.getElementById(picker.dataset.colour);
  picker.addEventListener("input", () => (field.value = picker.value));
  field.addEventListener("input", () => /^#[0-9a-f]{6}$/i.test(field.value) && (picker.value = field.value));
}

// ---- Forms that are sent once, and files on their way.

function prepareForms() {
  for (const form of document.querySelectorAll("form[data-once]")) {
    form.addEventListener("submit", () => {
      // after the browser has read which button was pressed
      setTimeout(() => document.querySelectorAll("button").forEach((button) => (button.disabled = true)));
    });
  }
  document.querySelector("form[data-upload]")?.addEventListener("submit", upload);
}

function upload(event) {
  event.preventDefault();
  const form = event.target;
  const bar = form.querySelector(".bar");
  const button = form.querySelector("button");
  const request = new XMLHttpRequest();
  const tell = (percent) => {
    bar.querySelector("progress").value = percent;
    bar.querySelector("output").textContent = `${percent} %`;
  };
  const again = () => {
    bar.hidden = true;
    button.disabled = false;
  };
  request.open("POST", form.action);
  request.setRequestHeader("Accept", "text/html");
  request.upload.addEventListener("progress", (sent) => {
    if (sent.lengthComputable) tell(Math.floor((99 * sent.loaded) / sent.total));
  });
  request.upload.addEventListener("load", () => {
    document.getElementById("said").textContent = form.dataset.reading;
  });
  request.addEventListener("load", () => show(pageOf(request.responseText), "report"));
  request.addEventListener("error", again);
  request.addEventListener("abort", again);
  bar.hidden = false;
  button.disabled = true;
  document.getElementById("said").textContent = form.dataset.sending;
  tell(0);
  request.send(new FormData(form));
}

// a page that comes back from the browser's memory can be used again
addEventListener("pageshow", () => document.querySelectorAll("button").forEach((button) => (button.disabled = false)));

function prepare() {
  follow();
  prepareRange();
  prepareExample();
  prepareForms();
  prepareStore();
  document.getElementById("errors")?.focus();
}

prepare();
