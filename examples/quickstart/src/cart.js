import { totalOf } from './discounts.js';

/** A cart never changes: each operation gives a new one. */
export class Cart {
  #lines;

  constructor(lines = []) {
    this.#lines = lines;
  }

  get lines() {
    return this.#lines.map((line) => ({ ...line }));
  }

  get isEmpty() {
    return this.#lines.length === 0;
  }

  /** `price` is in cents. The same article at the same price stands in one line. */
  add(article, price, quantity = 1) {
    if (!Number.isInteger(quantity) || quantity < 1) {
      throw new RangeError(`Not a quantity: ${quantity}.`);
    }
    const index = this.#lines.findIndex((line) => line.article === article && line.price === price);
    if (index === -1) return new Cart([...this.#lines, { article, price, quantity }]);
    const { quantity: before } = this.#lines[index];
    return new Cart(this.#lines.with(index, { article, price, quantity: before + quantity }));
  }

  remove(article) {
    return new Cart(this.#lines.filter((line) => line.article !== article));
  }

  /** Cents to pay; of several discounts the best one counts. */
  total(discounts = []) {
    const best = Math.max(0, ...discounts.map((discount) => discount(this.#lines)));
    return Math.max(0, totalOf(this.#lines) - best);
  }
}
