/** Finds the posts that a client sends on one connection, byte for byte, to send them again. */

/** A body that is longer is nobody's result. */
const POST_BYTES_MAX = 512 * 1024;
const HEAD_END = Buffer.from('\r\n\r\n');

export interface PostRecorder {
  /** Bytes as they were sent; calls back for each post that is whole. */
  take(chunk: Buffer): void;
}

export function createPostRecorder(found: (post: Buffer) => void): PostRecorder {
  let held = Buffer.alloc(0);
  // After a request whose end cannot be told, nothing more is looked for on this connection.
  let isLost = false;
  return {
    take(chunk) {
      if (isLost) return;
      held = Buffer.concat([held, chunk]);
      for (let length = requestLength(held); length !== null; length = requestLength(held)) {
        if (length === 'unknown' || length > POST_BYTES_MAX) {
          isLost = true;
          held = Buffer.alloc(0);
          return;
        }
        if (held.length < length) return;
        const request = Buffer.from(held.subarray(0, length));
        held = held.subarray(length);
        if (request.subarray(0, 5).toString() === 'POST ') found(request);
      }
    },
  };
}

/** Length of the first request, with its head; null while the head is not complete. */
function requestLength(bytes: Buffer): number | 'unknown' | null {
  const end = bytes.indexOf(HEAD_END);
  if (end === -1) return null;
  const head = bytes.subarray(0, end).toString('latin1');
  if (/^transfer-encoding:/im.test(head)) return 'unknown';
  const [, size = '0'] = /^content-length: *(\d+)/im.exec(head) ?? [];
  return end + HEAD_END.length + Number(size);
}
