/** A body in memory. */

const FIRST_BYTES = 256 * 1024;

/**
 * One buffer that grows with the bytes that came, not with those that were announced. A list of the pieces, 64 KiB each, would be
 * left in the heap of the C library after the request: the process keeps such memory for ever. A large buffer goes back to the system.
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

  /** Gives the memory back now: a server with nothing to do collects no garbage. The content is empty from then on. */
  free(): void {
    freeMemory(this.#buffer);
    this.#buffer = Buffer.alloc(0);
    this.#size = 0;
  }

  #grow(size: number): void {
    // Of memory that nobody wrote to, the system provides none.
    const larger = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, 2 * size));
    larger.set(this.content);
    freeMemory(this.#buffer);
    this.#buffer = larger;
  }
}

function freeMemory({ buffer }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength >= FIRST_BYTES) buffer.transfer(0);
}
