/**
 * Runs within the measured page, before its own scripts. It tells when the page shows something, and how long its tasks are. It also tells
 * when a frame follows an input.
 */
/** Only what hangs takes this long. */
const PATIENCE_MS = 300_000;
const inputs = ['keydown', 'pointerdown', 'input'];
const found = { taskMs: 0, paintMs: 0, largestMs: 0, answersMs: [] };
const watch = (options, note) =>
  new PerformanceObserver((list) => list.getEntries().forEach(note)).observe(options);
watch({ type: 'longtask', buffered: true }, ({ duration }) => {
  found.taskMs = Math.max(found.taskMs, duration);
});
watch({ type: 'paint', buffered: true }, ({ name, startTime }) => {
  if (name === 'first-contentful-paint') found.paintMs = startTime;
});
watch({ type: 'largest-contentful-paint', buffered: true }, ({ startTime }) => {
  found.largestMs = startTime;
});
// Shorter ones are not told.
watch({ type: 'event', durationThreshold: 16, buffered: true }, ({ interactionId, duration }) => {
  if (interactionId > 0) found.answersMs.push(duration);
});

const isShown = (parts) =>
  parts.every(([selector, text]) =>
    [...document.querySelectorAll(selector)].some((each) => each.textContent.includes(text)),
  );
const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
/** The begin of the frame after that in which it holds: then somebody sees it. Rejects, naming it, if that never comes. */
const whenFrame = async (holds, what) => {
  const end = performance.now() + PATIENCE_MS;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`The page never shows ${what}.`);
    await nextFrame();
  }
  await nextFrame();
  return performance.now();
};
const isBlank = (list, blank) => {
  const { top, bottom } = list.getBoundingClientRect();
  const [from, to] = [Math.max(0, top), Math.min(innerHeight, bottom)];
  return [...list.querySelectorAll(blank.selector)].some((each) => {
    const place = each.getBoundingClientRect();
    return each.textContent === blank.text && place.bottom > from && place.top < to;
  });
};

let answer = null;
globalThis.pageWatch = {
  found,
  /** Milliseconds from the begin of the page. */
  fromStart: (parts) => {
    answer = whenFrame(() => isShown(parts), JSON.stringify(parts));
  },
  /** Milliseconds from the last input that follows this call. */
  fromInput: (parts) => {
    let beganAt = null;
    const note = ({ timeStamp }) => {
      beganAt = timeStamp;
    };
    for (const type of inputs) addEventListener(type, note, { capture: true });
    answer = whenFrame(() => beganAt !== null && isShown(parts), JSON.stringify(parts)).then(
      (at) => at - beganAt,
    );
  },
  answer: () => answer,
  /** For each of some places from the begin to the end: milliseconds until no row in view is blank. */
  scrollTo: async (selector, places, blank) => {
    const list = document.querySelector(selector);
    const inner = list.scrollHeight > list.clientHeight + 1;
    const scroller = inner ? list : document.scrollingElement;
    const times = [];
    for (const place of places) {
      scroller.scrollTop = place * (scroller.scrollHeight - scroller.clientHeight);
      const began = performance.now();
      await nextFrame();
      times.push((await whenFrame(() => !isBlank(list, blank), 'rows')) - began);
    }
    return times;
  },
  /** Scrolls by some pixels in each frame. */
  scrollOn: async (selector, pixels, frames) => {
    found.taskMs = 0;
    const list = document.querySelector(selector);
    const began = performance.now();
    for (let frame = 0; frame < frames; frame += 1) {
      list.scrollTop += pixels;
      await nextFrame();
    }
    const framesPerSecond = (frames * 1000) / (performance.now() - began);
    return { taskMs: found.taskMs, framesPerSecond };
  },
  /** Milliseconds from the time that a text has, in epoch milliseconds, to the frame that shows it. */
  delays: async (selector, pattern, count) => {
    const times = new Map();
    while (times.size < count) {
      await nextFrame();
      for (const { textContent } of document.querySelectorAll(selector)) {
        const [, time] = new RegExp(pattern).exec(textContent) ?? [];
        if (time === undefined || times.has(time)) continue;
        times.set(time, performance.timeOrigin + performance.now() - Number(time));
      }
    }
    return [...times.values()];
  },
};
