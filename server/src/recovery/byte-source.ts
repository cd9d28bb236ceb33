/** Chunks of any size as pieces of the sizes that are asked for. */
export class ByteSource {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array();

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Fewer only at the end. */
  async read(count: number): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    for await (const piece of this.stream(count)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /** Bytes as they come, `count` of them in all, or fewer at the end. */
  async *stream(count: number): AsyncGenerator<Uint8Array> {
    let missing = count;
    while (missing > 0) {
      if (this.#rest.byteLength === 0 && !(await this.#fill())) return;
      const piece = this.#rest.subarray(0, missing);
      this.#rest = this.#rest.subarray(piece.byteLength);
      missing -= piece.byteLength;
      yield piece;
    }
  }

  async #fill(): Promise<boolean> {
    const next = await this.#chunks.next();
    if (next.done === true) return false;
    this.#rest = next.value;
    return true;
  }
}
