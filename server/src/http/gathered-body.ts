/** A body in memory. */

const FIRST_BYTES = 256 * 1024;

/**
 * A body in one buffer that grows with received bytes, not with announced ones. A list of pieces of 64 KiB would stay in the heap of the C
 * library. The process never returns it. A large buffer returns to the system.
 */
export class GatheredBody {
  #buffer = Buffer.alloc(0);
  #size = 0;

  add(piece: Uint8Array): void {
    const size = this.#size + piece.length;
    if (size > this.#buffer.length) this.#grow(size);
    this.#buffer.set(piece, this.#size);
    this.#size = size;
  }

  get content(): Buffer {
    return this.#buffer.subarray(0, this.#size);
  }

  /** Frees the memory now: an idle server collects no garbage. The content is empty from then on. */
  free(): void {
    freeMemory(this.#buffer);
    this.#buffer = Buffer.alloc(0);
    this.#size = 0;
  }

  #grow(size: number): void {
    // The system provides no memory for pages without a write.
    const larger = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, 2 * size));
    larger.set(this.content);
    freeMemory(this.#buffer);
    this.#buffer = larger;
  }
}

function freeMemory({ buffer }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength >= FIRST_BYTES) buffer.transfer(0);
}
