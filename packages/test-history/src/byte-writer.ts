/** Writes and reads numbers as few bytes: seven bits in each, the lowest first. */
export class ByteWriter {
  readonly #bytes: number[] = [];

  /** A whole number from 0 to 2^53. */
  whole(value: number): this {
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#bytes.push((rest % 128) + 128);
    this.#bytes.push(rest);
    return this;
  }

  /** With its length. */
  list(values: Iterable<number>): this {
    const all = [...values];
    this.whole(all.length);
    for (const value of all) this.whole(value);
    return this;
  }

  floats(values: Float32Array): this {
    const view = new DataView(new ArrayBuffer(4 * values.length));
    values.forEach((value, at) => {
      view.setFloat32(4 * at, value, true);
    });
    for (let at = 0; at < view.byteLength; at++) this.#bytes.push(view.getUint8(at));
    return this;
  }

  /** Two bytes each, with their number. */
  shorts(values: Iterable<number>): this {
    const all = [...values];
    this.whole(all.length);
    for (const value of all) this.#bytes.push(value & 255, value >> 8);
    return this;
  }

  end(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }
}

export class ByteReader {
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  whole(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#view.getUint8(this.#at++);
      value += (byte % 128) * factor;
      if (byte < 128) return value;
    }
  }

  list(): number[] {
    return Array.from({ length: this.whole() }, () => this.whole());
  }

  floats(into: Float32Array): void {
    for (let at = 0; at < into.length; at++, this.#at += 4) {
      into[at] = this.#view.getFloat32(this.#at, true);
    }
  }
  shorts(): number[] {
    return Array.from({ length: this.whole() }, () => {
      const value = this.#view.getUint16(this.#at, true);
      this.#at += 2;
      return value;
    });
  }
}
