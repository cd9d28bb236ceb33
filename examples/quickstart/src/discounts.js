import { percentageOf } from './money.js';

/** Discounts take the lines of a cart and give the cents to take off. */

export function percentOff(percent) {
  if (!(percent > 0 && percent <= 100)) throw new RangeError(`Not a discount: ${percent} %.`);
  return (lines) => percentageOf(totalOf(lines), percent);
}

/** Of every `count` pieces of an article, one is free. */
export function oneFreeOf(count, article) {
  return (lines) =>
    lines
      .filter((line) => line.article === article)
      .reduce((sum, line) => sum + Math.floor(line.quantity / count) * line.price, 0);
}

export function totalOf(lines) {
  return lines.reduce((sum, line) => sum + line.price * line.quantity, 0);
}
