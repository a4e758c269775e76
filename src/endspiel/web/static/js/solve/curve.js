// Exploitability over time on a logarithmic scale, drawn as SVG.
import { duration } from "../format.js";
import { html } from "../lib.js";
import { useWidth } from "../parts/plot.js";

const EDGE = { top: 14, right: 16, bottom: 30, left: 58 };
const MOST_POINTS = 600; // more cannot be told apart on a screen

/** Few enough points to draw: of each run of neighbors the last, and always the newest. */
function thinned(points) {
  const step = Math.ceil(points.length / MOST_POINTS);
  return step < 2 ? points : points.filter((_, at) => at % step === 0 || at === points.length - 1);
}

/** Powers of ten that enclose some values. */
function decades(values) {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.ceil(Math.log10(Math.max(...values)));
  return [low, Math.max(high, low + 1)];
}

/** Round steps of time that give about five ticks. */
function timeTicks(end) {
  const rough = end / 5;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * unit).find((size) => size >= rough);
  const ticks = [];
  for (let at = 0; at <= end * 1.0001; at += step) ticks.push(at);
  return ticks;
}

const percentText = (value) => `${value >= 1 ? value : Number(value.toPrecision(1))}%`;

/** `points` are [iteration, seconds, percent]; `target` a percentage or null. */
export function Curve({ points, target, height = 280 }) {
  const [frame, width] = useWidth();
  const shown = thinned(points.filter(([, , percent]) => percent > 0));
  const right = width - EDGE.right;
  const bottom = height - EDGE.bottom;
  const values = shown.map(([, , percent]) => percent);
  if (target > 0) values.push(target);
  const [low, high] = decades(values.length ? values : [0.1, 10]);
  const end = shown.length ? Math.max(shown[shown.length - 1][1], 1e-3) : 1;
  const x = (seconds) => EDGE.left + (seconds / end) * (right - EDGE.left);
  const y = (percent) =>
    EDGE.top + ((high - Math.log10(percent)) / (high - low)) * (bottom - EDGE.top);
  const powers = Array.from({ length: high - low + 1 }, (_, at) => 10 ** (low + at));
  const line = shown
    .map(([, seconds, percent]) => `${x(seconds).toFixed(1)},${y(percent).toFixed(1)}`)
    .join(" ");
  const last = shown[shown.length - 1];
  const told = last
    ? `Exploitability ${last[2].toPrecision(3)}% of the pot after ${duration(last[1])}`
    : "No measurement yet";
  const tick = (at, down, text, anchor = "middle") =>
    html`<text class="tick" key=${text} x=${at} y=${down} text-anchor=${anchor}>${text}</text>`;
  const across = (name, percent) =>
    html`<line class=${name} key=${percent} x1=${EDGE.left} x2=${right} y1=${y(percent)} y2=${y(percent)} />`;

  return html`<div class="curve" ref=${frame}>
    <svg width=${width} height=${height} role="img" aria-label=${told}>
      ${powers.map((value) => across("rule", value))}
      ${powers.map((value) => tick(EDGE.left - 8, y(value) + 4, percentText(value), "end"))}
      ${timeTicks(end).map((seconds) => tick(x(seconds), height - 10, `${Number(seconds.toPrecision(3))} s`))}
      <line class="axis" x1=${EDGE.left} x2=${right} y1=${bottom} y2=${bottom} />
      ${target > 0 && across("target", target)}
      ${target > 0 && tick(EDGE.left + 4, y(target) - 5, `target ${target}%`, "start")}
      ${shown.length > 1 && html`<polyline class="line" points=${line} />`}
      ${last && html`<circle class="head" cx=${x(last[1])} cy=${y(last[2])} r="3.5" />`}
      ${!last && tick(width / 2, height / 2, "The first measurement comes with the first iterations.")}
    </svg>
  </div>`;
}
