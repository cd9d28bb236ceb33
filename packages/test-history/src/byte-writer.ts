/** Writes and reads numbers as few bytes: seven bits in each, the lowest first. */
export class ByteWriter {
  /** Mostly enough for a ledger. */
  #bytes = new Uint8Array(1024);
  #length = 0;

  /** A whole number from 0 to 2^53. */
  whole(value: number): this {
    this.#reserve(WHOLE_BYTES);
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) {
      this.#bytes[this.#length++] = (rest % 128) + 128;
    }
    this.#bytes[this.#length++] = rest;
    return this;
  }

  /** With its length. */
  list(values: readonly number[]): this {
    this.whole(values.length);
    for (const value of values) this.whole(value);
    return this;
  }

  floats(values: Float32Array): this {
    this.#reserve(4 * values.length);
    const view = new DataView(this.#bytes.buffer, this.#length);
    for (let at = 0; at < values.length; at++) view.setFloat32(4 * at, values[at] ?? 0, true);
    this.#length += 4 * values.length;
    return this;
  }

  /** Two bytes each, with their number. */
  shorts(values: readonly number[]): this {
    this.whole(values.length).#reserve(2 * values.length);
    for (const value of values) {
      this.#bytes[this.#length++] = value & 255;
      this.#bytes[this.#length++] = value >> 8;
    }
    return this;
  }

  end(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length);
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const more = new Uint8Array(2 * (this.#length + count));
    more.set(this.#bytes);
    this.#bytes = more;
  }
}

const WHOLE_BYTES = 8;

export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  whole(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#byte();
      value += (byte % 128) * factor;
      if (byte < 128) return value;
    }
  }

  list(): readonly number[] {
    const values: number[] = [];
    for (let left = this.whole(); left > 0; left--) values.push(this.whole());
    return values;
  }

  floats(into: Float32Array): void {
    const { buffer, byteOffset } = this.#bytes;
    const view = new DataView(buffer, byteOffset + this.#at, 4 * into.length);
    for (let at = 0; at < into.length; at++) into[at] = view.getFloat32(4 * at, true);
    this.#at += 4 * into.length;
  }

  shorts(): readonly number[] {
    const values: number[] = [];
    for (let left = this.whole(); left > 0; left--) values.push(this.#byte() + 256 * this.#byte());
    return values;
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new RangeError('The bytes end too early.');
    return byte;
  }
}
