/** Reads the entries of a report folder, within its limits. */
import { REPORT_FOLDER_LIST } from '@tutti/manifests';
import { FOLDER_LIMITS } from './limits.ts';

export interface FolderEntry {
  /** Null for anything but a file with a plain path. */
  readonly path: string | null;
  /** As the archive has it. */
  readonly name: string;
  readonly content: AsyncIterable<Uint8Array>;
}

/** A report that is not opened, and what to do. */
export class FolderError extends Error {
  readonly advice: string;

  constructor(message: string, advice: string) {
    super(message);
    this.advice = advice;
  }
}

type Chunks = AsyncIterable<Uint8Array>;

/** The error that users see: damage of the archive has a sentence, other errors stay as they are. */
export function archiveError(error: unknown): unknown {
  if (!isDamage(error)) return error;
  return new FolderError(
    'The archive of the report is damaged, so it is not opened.',
    'run the tests again.',
  );
}

/** Errors of the decompression are of the kind `TypeError`, those of the archive of none. Connections and disks have their own. */
const isDamage = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof Error && error.constructor === Error);

export type FolderLimits = Readonly<Record<'unpackedBytes' | 'entries', number>>;

/** The files of an archive, in order. The content of each is read before the next one, or skipped. Folders are left out. */
export async function* folderEntries(
  archive: Chunks,
  limits: FolderLimits = FOLDER_LIMITS,
): AsyncGenerator<FolderEntry> {
  const { createTarDecoder } = await import('modern-tar');
  const entries = ReadableStream.from(archive)
    .pipeThrough(new DecompressionStream('gzip'))
    .pipeThrough(limited(limits.unpackedBytes))
    .pipeThrough(createTarDecoder({ strict: true }));
  let count = 0;
  for await (const { header, body } of entries) {
    count += 1;
    if (count > limits.entries) throw tooLarge(`more than ${limits.entries} entries`);
    const { type = 'file', name } = header;
    if (type !== 'directory') {
      yield { name, path: type === 'file' ? plainPath(name) : null, content: body };
    }
    if (!body.locked) await body.cancel();
  }
}

function limited(bytesMax: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > bytesMax) throw tooLarge(`more than ${bytesMax / 1024 / 1024} MiB`);
      controller.enqueue(chunk);
    },
  });
}

const tooLarge = (what: string): FolderError =>
  new FolderError(
    `The report has ${what}, so it is not opened.`,
    'save it with "tutti attachments ID \'*.tar.gz\' --save-to DIRECTORY", and unpack it yourself.',
  );

/** The path below the folder; null for one that leads elsewhere. */
export function plainPath(name: string): string | null {
  const path = name.replace(/^(?:\.\/)+/, '');
  const parts = path.split('/');
  const isPlain = parts.every((part) => part !== '' && part !== '.' && part !== '..');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused.
  return isPlain && !/[\u0000-\u001f\u007f]/.test(path) ? path : null;
}

/** The list of files that a function puts first. */
export interface FolderList {
  readonly files: readonly string[];
  /** Files that the archive has no room for. */
  readonly leftOut: readonly string[];
}

export const isList = ({ path }: FolderEntry): boolean => path === REPORT_FOLDER_LIST;

export async function readList({ content }: FolderEntry): Promise<FolderList> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of content) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > FOLDER_LIMITS.listBytes) throw tooLarge('too long a list of files');
  }
  const lines = text.split(/\r?\n/);
  const paths = (mark: string) =>
    lines
      .filter((line) => line.startsWith(mark))
      .flatMap((line) => plainPath(line.slice(mark.length)) ?? []);
  return { files: paths('+ '), leftOut: paths('- ') };
}
