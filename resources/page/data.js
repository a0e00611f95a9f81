"use strict";
// The page's data: arrays and texts are deflated; numbers are written as in Fabriscope's window.

const TYPES = { f4: Float32Array, i4: Int32Array, i2: Int16Array, u1: Uint8Array };
const MINUS = "\u2212";

async function inflated(text) {
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let k = 0; k < letters.length; k++) bytes[k] = letters.charCodeAt(k);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The array of a blob, or its lines: see app/page/blobs.py. */
async function decoded(blob) {
  const bytes = await inflated(blob.data);
  if (blob.type === "text") return new TextDecoder().decode(bytes).split("\n");
  const type = TYPES[blob.type], size = type.BYTES_PER_ELEMENT, count = bytes.length / size;
  const ungrouped = new Uint8Array(bytes.length);
  for (let place = 0, from = 0; place < size; place++) {
    for (let k = 0; k < count; k++) ungrouped[k * size + place] = bytes[from++];
  }
  const values = new type(ungrouped.buffer);
  if (blob.delta) for (let k = 1; k < count; k++) values[k] += values[k - 1];
  return values;
}

/** An object with its blobs decoded. */
async function unpacked(data) {
  const isBlob = (part) => part !== null && typeof part === "object" && typeof part.data === "string";
  const names = Object.keys(data).filter((name) => isBlob(data[name]));
  const arrays = await Promise.all(names.map((name) => decoded(data[name])));
  return { ...data, ...Object.fromEntries(names.map((name, k) => [name, arrays[k]])) };
}

const grouped = (value, digits = 0) =>
  value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });

const plural = (count, noun) => {
  const many = /(ch|ss)$/.test(noun) ? `${noun}es` : `${noun}s`;
  return `${grouped(count)} ${count === 1 ? noun : many}`;
};

/** A number with four significant digits, as core.text.figure writes it. */
function figure(value, digits = 4) {
  const size = Math.abs(value);
  if (size >= 1e15 || (size > 0 && size < 1e-6)) return String(Number(value.toPrecision(digits)));
  if (size >= 10 ** (digits - 1) - 0.05) return grouped(Math.round(value));
  return String(Number(value.toPrecision(digits)));
}

/** A share as app.wording.numbers.percent writes it; without decimals from `wholeFrom` percent. */
function percent(share, wholeFrom = Infinity) {
  const value = 100 * share;
  if (value > 0 && value < 0.05) return "<0.1 %";
  if (value >= wholeFrom) return `${grouped(Math.floor(value + 0.5))} %`;
  return `${grouped(value, 1).replace(/\.0$/, "")} %`;
}

const loadPercent = (share) => percent(share, 9.95);

/** A round number of at least `least`: 1, 2 or 5 times a power of ten. */
function roundStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((part) => part * power).find((step) => step >= least * (1 - 1e-9));
}

const withSign = (value, write, zero = "no change") =>
  value ? `${value > 0 ? "+" : MINUS}${write(Math.abs(value))}` : zero;

/** A counter, relative to the top of its scale, in its unit. */
function valueText(look, heat, signed, unit = true) {
  if (Number.isNaN(heat)) return look.missing;
  if (!Number.isFinite(heat)) return look.infinite;
  const text = withSign(heat * look.top, figure, "0");
  return `${signed ? text : text.replace("+", "")}${unit ? ` ${look.unit}` : ""}`;
}

/** The measure that suits a volume: of a job, or for bytes a smaller or larger one: see core.job.measure. */
function suited([own, ...others], volume) {
  const size = volume * own.perVolume;
  if (!others.length || volume <= 0 || (size >= 1e-2 && size < 1e6)) return own;
  return others.find((other) => volume * other.perVolume >= 1) ?? others[others.length - 1];
}

/** A volume in a suitable measure. */
function amount(measures, volume, unit = true) {
  const measure = suited(measures, volume), text = figure(volume * measure.perVolume);
  return unit ? `${text} ${text === "1" ? measure.singular : measure.many}` : text;
}
