/** Heads of files in the tar form (POSIX.1-2001): what every `tar` understands. */

export const BLOCK_BYTES = 512;

/** The fields of a block: where they begin, and how long they are. */
const FIELDS = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  magic: [257, 8],
} as const;

const FILE = '0';
/** Says of the next file what its own head has no room for. */
const EXTENDED = 'x';
const OCTAL_SIZE_MAX = 0o77777777777;

export interface TarHead {
  readonly path: string;
  readonly size: number;
}

/** How much is to be added to content so that it ends with a block. */
export const paddingOf = (size: number): number =>
  (BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES;

/** All blocks that stand before the content of a file. */
export function tarHead({ path, size }: TarHead, mtimeSeconds: number): Buffer {
  const records = [
    ...(Buffer.byteLength(path) > FIELDS.name[1] ? [record('path', path)] : []),
    ...(size > OCTAL_SIZE_MAX ? [record('size', String(size))] : []),
  ].join('');
  const own = block(FILE, { path, size: Math.min(size, OCTAL_SIZE_MAX) }, mtimeSeconds);
  if (records === '') return own;
  const content = Buffer.from(records);
  const head = block(EXTENDED, { path: 'PaxHeader', size: content.length }, mtimeSeconds);
  return Buffer.concat([head, content, Buffer.alloc(paddingOf(content.length)), own]);
}

/** `LENGTH key=value`, where the length counts its own digits. */
function record(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + 1;
  while (rest + String(length).length !== length) length = rest + String(length).length;
  return `${length} ${key}=${value}\n`;
}

function block(type: string, { path, size }: TarHead, mtimeSeconds: number): Buffer {
  const bytes = Buffer.alloc(BLOCK_BYTES);
  const put = ([at, length]: readonly [number, number], text: string) => {
    bytes.write(text, at, length);
  };
  put(FIELDS.name, path);
  put(FIELDS.mode, '0000600');
  put(FIELDS.uid, '0000000');
  put(FIELDS.gid, '0000000');
  put(FIELDS.size, size.toString(8).padStart(11, '0'));
  put(FIELDS.mtime, mtimeSeconds.toString(8).padStart(11, '0'));
  put(FIELDS.type, type);
  put(FIELDS.magic, 'ustar\u000000');
  put(FIELDS.checksum, `${checksumOf(bytes).toString(8).padStart(6, '0')}\0 `);
  return bytes;
}

/** The sum of all bytes, with blanks where it stands itself. */
function checksumOf(bytes: Uint8Array): number {
  const [at, length] = FIELDS.checksum;
  return bytes.reduce(
    (sum, byte, index) => sum + (index >= at && index < at + length ? 0x20 : byte),
    0,
  );
}

export type ReadHead =
  | { readonly kind: 'file' | 'other'; readonly head: TarHead }
  | { readonly kind: 'extended'; readonly size: number }
  | { readonly kind: 'end' };

/** Null for what is no head. */
export function readTarHead(bytes: Uint8Array): ReadHead | null {
  if (bytes.every((byte) => byte === 0)) return { kind: 'end' };
  const text = Buffer.from(bytes).toString('latin1');
  const field = ([at, length]: readonly [number, number]) =>
    text.slice(at, at + length).replace(/\0.*$/s, '');
  if (Number.parseInt(field(FIELDS.checksum), 8) !== checksumOf(bytes)) return null;
  const size = Number.parseInt(field(FIELDS.size), 8);
  if (!Number.isSafeInteger(size)) return null;
  const type = field(FIELDS.type);
  if (type === EXTENDED) return { kind: 'extended', size };
  // Names that are no ASCII stand in an extended head, or in UTF-8.
  const path = Buffer.from(field(FIELDS.name), 'latin1').toString('utf8');
  return { kind: type === FILE || type === '' ? 'file' : 'other', head: { path, size } };
}

/** What an extended head says of the next file. */
export function readRecords(content: Uint8Array): Partial<TarHead> {
  let rest = Buffer.from(content);
  let found: Partial<TarHead> = {};
  while (rest.length > 0) {
    const length = Number.parseInt(rest.toString('latin1', 0, 16), 10);
    if (!(length > 0)) break;
    const [, key, value = ''] =
      /^\d+ ([^=]+)=(.*)\n$/s.exec(rest.toString('utf8', 0, length)) ?? [];
    if (key === 'path') found = { ...found, path: value };
    if (key === 'size') found = { ...found, size: Number(value) };
    rest = rest.subarray(length);
  }
  return found;
}
