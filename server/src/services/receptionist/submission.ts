/** The content of a request for a run: the manifest, and in a multipart request variables, inputs and files. */
import type { MultipartFile, MultipartValue } from '@fastify/multipart';
import { OPENING } from '@tutti/expressions';
import {
  type FetchedFile,
  isOrchestratorError,
  messages,
  nameOfFile,
  OrchestratorError,
  type ResourceFile,
  type WorkflowManifest,
} from '@tutti/manifests';
import type { FastifyRequest } from 'fastify';
import { readBounded } from '../../http/bodies.ts';
import { decodeText } from '../../http/json.ts';
import {
  dropPart,
  isField,
  type PartReading,
  partReading,
  partsOf,
  passing,
  repeatedPart,
} from '../../http/multipart.ts';
import { partsOfNames, receivedNames } from '../../http/part-names.ts';
import { LIMITS } from '../../runtime/limits.ts';
import type { ReadWorkflow, WorkflowSource } from './workflow-source.ts';

export interface Submission {
  readonly manifest: WorkflowManifest;
  /** Warnings about the manifest, which is still valid. */
  readonly warnings: readonly string[];
  /** The text or document of the manifest. */
  readonly source: WorkflowSource;
  /** `NAME=value` lines; empty when there are none. */
  readonly variables: string;
  readonly inputs: string;
  /** Resource files: name to name of the blob. */
  readonly files: ReadonlyMap<string, string>;
}

/** Reads and checks a workflow; throws its problems. */
export type ReadManifest = (source: WorkflowSource) => Promise<ReadWorkflow>;

/** Keeps one file of the request; `blob` is its name in the scope of the run. */
export type KeepFile = (blob: string, content: AsyncIterable<Uint8Array>) => Promise<void>;

export interface SubmissionLimits {
  /** Limit for the manifest, in bytes. */
  readonly bodyBytes: number;
  /** Limit for one file, in bytes. */
  readonly fileBytes: number;
}

/** A manifest alone. Its files could not be in the request, so it must not ask for any. */
export async function readPlainSubmission(
  request: FastifyRequest,
  readManifest: ReadManifest,
): Promise<Submission> {
  const content = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const source = { content, contentType: request.headers['content-type'] ?? '' };
  const { manifest, warnings } = await readManifest(source);
  if (attachedFiles(manifest).length > 0) {
    throw new OrchestratorError('Invalid', messages.filesExpectMultipart());
  }
  return { manifest, warnings, source, variables: '', inputs: '', files: new Map() };
}

interface PartsReading {
  readonly readManifest: ReadManifest;
  readonly limits: SubmissionLimits;
  readonly keepFile: KeepFile;
}

/** Reads the parts in the order in which they come, whatever it is; files go to `keepFile` as they arrive. */
export async function readMultipartSubmission(
  request: FastifyRequest,
  parts: PartsReading,
): Promise<Submission> {
  const { limits } = parts;
  const reader = new PartReader(request, parts);
  const reading = partReading();
  try {
    const fieldsMax = limits.bodyBytes + 2 * LIMITS.linesBytes;
    const all = partsOf(request, multipartLimits(limits, reading), fieldsMax);
    for await (const part of all) await reader.read(part);
  } catch (error) {
    // The rest of the body is dropped, so that the sender can read the answer.
    request.raw.unpipe();
    request.raw.resume();
    throw reading.refusalOf(error);
  }
  return reader.finish();
}

const filesOf = (manifest: WorkflowManifest): readonly ResourceFile[] =>
  manifest.resources?.files ?? [];

/** Files that the request must contain. It may also contain others, which are then not fetched. */
const attachedFiles = (manifest: WorkflowManifest): readonly string[] =>
  filesOf(manifest).filter((file) => typeof file === 'string');

const namesOf = (manifest: WorkflowManifest): readonly string[] =>
  filesOf(manifest).map(nameOfFile);

/** The files that the workflow names by their addresses and that did not come with it. */
export function filesToFetch({ manifest, files }: Submission): readonly FetchedFile[] {
  return filesOf(manifest).flatMap((file) =>
    typeof file === 'string' || files.has(file.name) ? [] : [file],
  );
}

/** The submission with the full addresses of these files. */
export function withAddresses(
  submission: Submission,
  addresses: () => (file: FetchedFile) => FetchedFile,
): Submission {
  const { manifest, files } = submission;
  if (!filesToFetch(submission).some(({ url }) => url.includes(OPENING))) return submission;
  const addressed = addresses();
  const entries = filesOf(manifest).map((file) =>
    typeof file === 'string' || files.has(file.name) ? file : addressed(file),
  );
  const resources = { ...manifest.resources, files: entries };
  return { ...submission, manifest: { ...manifest, resources } };
}

/** The submission with its fetched files. */
export async function withFetchedFiles(
  submission: Submission,
  fetch: (file: FetchedFile) => AsyncIterable<Uint8Array>,
  keepFile: KeepFile,
): Promise<Submission> {
  const missing = filesToFetch(submission);
  const all = new Map(submission.files);
  for (const [index, file] of missing.entries()) {
    const blob = `url_${index}`;
    await keepFetched(file, () => keepFile(blob, fetch(file)));
    all.set(file.name, blob);
  }
  return { ...submission, files: all };
}

/** The request itself has a valid size. */
async function keepFetched({ name }: FetchedFile, keep: () => Promise<void>): Promise<void> {
  try {
    await keep();
  } catch (error) {
    if (!isOrchestratorError(error) || error.reason !== 'PayloadTooLarge') throw error;
    const message = `The resource file "${name}" could not be fetched: ${error.message}`;
    throw new OrchestratorError('Invalid', message, { cause: error });
  }
}

export const tooManyFiles = (): OrchestratorError =>
  new OrchestratorError(
    'Invalid',
    `A workflow may have at most ${LIMITS.fetchedFiles} files that are fetched.`,
  );

function multipartLimits({ bodyBytes, fileBytes }: SubmissionLimits, { options }: PartReading) {
  return {
    ...options,
    // Each kind of file has its own smaller limit, with a clearer message.
    throwFileSizeLimit: false,
    limits: {
      fieldSize: bodyBytes,
      fileSize: Math.max(bodyBytes, fileBytes, LIMITS.linesBytes) + 1,
      parts: LIMITS.multipartParts,
    },
  };
}

class PartReader {
  readonly #request: FastifyRequest;
  readonly #parts: PartsReading;
  #read: Pick<Submission, 'manifest' | 'warnings' | 'source'> | null = null;
  #lines = { variables: '', inputs: '' };
  /** Blobs by the names under which their parts arrived. */
  readonly #files = new Map<string, string>();
  /** Null while the manifest is unknown and any file may be wanted. */
  #wanted: ReadonlySet<string> | null = null;
  #filesSeen = 0;

  constructor(request: FastifyRequest, parts: PartsReading) {
    this.#request = request;
    this.#parts = parts;
  }

  async read(part: MultipartFile | MultipartValue): Promise<void> {
    switch (part.fieldname) {
      case 'workflow':
        if (this.#read !== null) throw repeatedPart(part.fieldname);
        // Checked at once: a wrong manifest is refused before its files are stored.
        await this.#takeWorkflow(part);
        return;
      case 'variables':
      case 'inputs':
        this.#addLines(part.fieldname, await this.#readText(part, LIMITS.linesBytes));
        return;
      default:
        if (part.type === 'file') await this.#readFile(part);
    }
  }

  /** A repeated part adds its lines to the earlier ones. */
  #addLines(name: 'variables' | 'inputs', text: string): void {
    const before = this.#lines[name];
    const lines = before === '' ? text : `${before}\n${text}`;
    if (lines.length > LIMITS.linesBytes) {
      throw new OrchestratorError(
        'PayloadTooLarge',
        `The parts "${name}" may have ${LIMITS.linesBytes} bytes at most in all.`,
      );
    }
    this.#lines[name] = lines;
  }

  finish(): Submission {
    if (this.#read === null) {
      throw new OrchestratorError('Invalid', 'The part "workflow" is missing.');
    }
    const { manifest } = this.#read;
    const files = partsOfNames(namesOf(manifest), this.#files);
    const missing = [...new Set(attachedFiles(manifest))].filter((name) => !files.has(name));
    if (missing.length > 0) {
      throw new OrchestratorError('Invalid', messages.filesMissing(missing));
    }
    return { ...this.#read, ...this.#lines, files };
  }

  async #takeWorkflow(part: MultipartFile | MultipartValue): Promise<void> {
    const content = await this.#readText(part, this.#parts.limits.bodyBytes);
    const source = { content, contentType: null };
    const { manifest, warnings } = await this.#parts.readManifest(source);
    // No request can bring more, and searching each name would take long.
    if (attachedFiles(manifest).length > LIMITS.multipartParts) throw tooManyAttached();
    this.#read = { manifest, warnings, source };
    this.#wanted = new Set(namesOf(manifest).flatMap(receivedNames));
  }

  async #readText(part: MultipartFile | MultipartValue, bytesMax: number): Promise<string> {
    const refusal = () =>
      new OrchestratorError(
        'PayloadTooLarge',
        `The part "${part.fieldname}" may have ${bytesMax} bytes at most.`,
      );
    if (part.type === 'file') {
      const content = await readBounded(part.file, refusal, bytesMax);
      return decodeText(content, `The part "${part.fieldname}"`);
    }
    const text = String(part.value);
    if (part.valueTruncated || text.length > bytesMax) throw refusal();
    return text;
  }

  /** The manifest may follow the files, so a file is skipped only if it is known to be unwanted. */
  async #readFile(part: MultipartFile): Promise<void> {
    const isWanted = this.#wanted?.has(part.fieldname) ?? true;
    if (isField(part) || !isWanted) {
      dropPart(this.#request, part.file);
      return;
    }
    if (this.#files.has(part.fieldname)) throw repeatedPart(part.fieldname);
    const blob = `in_${this.#filesSeen}`;
    this.#filesSeen += 1;
    await this.#parts.keepFile(blob, passing(this.#request, part.file));
    this.#files.set(part.fieldname, blob);
  }
}

const tooManyAttached = (): OrchestratorError =>
  new OrchestratorError(
    'Invalid',
    `A workflow may have at most ${LIMITS.multipartParts} files that come with the request.`,
  );
