/**
 * Redacts the events of a run. Everything that is shown, published or written to the log passes through here and loses its masked texts. By
 * default every text is masked. `shown-shapes.ts` lists the exceptions with their places.
 */
import { isOwnEntry, isRunEvent, type LoggedEvent } from '@tutti/manifests';
import { CUT_MARK } from '../environment/cut-text.ts';
import { hideEncoded, mayBeEncoded } from '../environment/encoded-text.ts';
import { hasMasked, MASK, maskCutText, maskLine, masksOfParts } from '../environment/masks.ts';
import {
  DOCUMENT_SHAPE,
  FREE,
  hasOwnSecrets,
  mayRevealSecrets,
  OUTPUTS,
  PLAIN_SHAPE,
  publicMetadata,
  type Shape,
  shapeOfEvent,
} from '../facts/shown-shapes.ts';

export interface ShownEvent {
  readonly event: LoggedEvent;
  readonly json: string;
}

export interface Redactor {
  readonly masks: readonly string[];
  /** True where an event with this JSON has nothing to hide, as far as can be seen at once. */
  leavesAlone(json: string): boolean;
  /** The event as it may be shown, with its JSON text; `json` is that of the event as it is. */
  shown(event: LoggedEvent, json: string): ShownEvent;
  /** Redacts the JSON text of an event. */
  shownJson(json: string): string;
  /** A test case or job, as data sources show it. */
  document<Document extends object>(document: Document): Document;
}

/** An event with this text shows a mask, in a script or in its echo, before the environment prints it. */
const ADD_MASK = '::add-mask::';
const MASK_COMMAND = /(::add-mask::)[^\r\n]+/g;

/** Shells write the commands that they run like this, if they are asked to. */
const ECHO = /^ *\++ /;

export function createRedactor(masks: readonly string[]): Redactor {
  return masks.length === 0 ? withoutMasks : redactorOf(masks);
}

function redactorOf(masks: readonly string[]): Redactor {
  const walk = new Redaction(masks);
  const parts = masksOfParts(masks);
  const shorter = masks.length > parts.length;
  const mayHide = (json: string) =>
    shorter ||
    json.includes(ADD_MASK) ||
    (parts.length > 0 && (json.includes(CUT_MARK) || mayBeEncoded(json) || hasMasked(parts, json)));
  const shown = (event: LoggedEvent, json: string): ShownEvent => {
    if (!hasOwnSecrets(event) && !mayHide(json)) return { event, json };
    const redacted = walk.event(event);
    return { event: redacted, json: JSON.stringify(redacted) };
  };
  return {
    masks,
    leavesAlone: (json) =>
      masks.length === 0 && !json.includes(ADD_MASK) && !mayRevealSecrets(json),
    shown,
    shownJson: (json) =>
      mayRevealSecrets(json) || mayHide(json) ? shown(JSON.parse(json), json).json : json,
    document: (document) => (masks.length === 0 ? document : walk.document(document)),
  };
}

/** Lines that readers see one by one: here even the shortest mask counts. */
const LINES: ReadonlySet<string> = new Set(['scripts', 'error', 'reason']);

const PATHS: ReadonlySet<string> = new Set(['attachments', 'artifacts']);

type Entries = Readonly<Record<string, unknown>>;

const isEntries = (value: unknown): value is Entries =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** True for plain texts, the only form that may stay unmasked. Another value under the same name may hide anything. */
const isTexts = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.every((item) => typeof item !== 'object')
    : typeof value !== 'object' || value === null;

const isOfPlugin = (key: string): boolean => key.includes('.') && !isOwnEntry(key);

/** Path of a file of a job, or of the whole run. */
const FILE_PATH = /^(\/tmp\/[0-9a-f-]{36}-[0-9a-f-]{36}_(?:-?\d+|WR)_)(.*)$/is;

class Redaction {
  readonly #masks: readonly string[];
  readonly #parts: readonly string[];
  readonly #whole: ReadonlySet<string>;

  constructor(masks: readonly string[]) {
    this.#masks = masks;
    this.#parts = masksOfParts(masks);
    this.#whole = new Set(masks);
  }

  event(event: LoggedEvent): LoggedEvent {
    const { metadata, ...body } = event;
    const { name, rest, mark } = publicMetadata(metadata);
    const { metadata: shownRest } = this.#entries({ metadata: rest }, shapeOfEvent(event));
    const shown = {
      ...this.#body(event, body),
      metadata: {
        name,
        ...(isEntries(shownRest) ? shownRest : {}),
        ...mark,
      },
    };
    const secrets: unknown = 'secrets' in event ? event.secrets : null;
    // Texts became other texts, so it is an event of the same kind.
    return (isEntries(secrets) ? { ...shown, secrets: hidden(secrets) } : shown) as LoggedEvent;
  }

  /** The body of an event of a plugin's own kind has the plugin's own entries. */
  #body(event: LoggedEvent, body: Entries): Entries {
    if (isRunEvent(event)) return this.#entries(body, shapeOfEvent(event));
    const { apiVersion, kind, ...own } = body;
    return { ...(apiVersion === undefined ? {} : { apiVersion }), kind, ...this.#ownEntries(own) };
  }

  document<Document extends object>(document: Document): Document {
    // Redaction changes texts and keeps the entries.
    return this.#entries(Object.fromEntries(Object.entries(document)), DOCUMENT_SHAPE) as Document;
  }

  #entries(entries: Entries, shape: Shape): Entries {
    return Object.fromEntries(
      Object.entries(entries).map(([key, value]) =>
        shape.isExtensible && isOfPlugin(key)
          ? [this.#field(key), this.#own(key, value)]
          : [key, this.#entry(key, value, shape)],
      ),
    );
  }

  #entry(key: string, value: unknown, shape: Shape): unknown {
    if ((shape.isKept || shape.kept.has(key)) && isTexts(value)) return value;
    const inner = shape.within.get(key) ?? shape.each;
    if (inner !== null) return this.#shaped(value, inner);
    if (OUTPUTS.has(key)) return this.#each(value, (text) => this.#output(text));
    if (LINES.has(key)) return this.#lines(value);
    if (shape.hasFiles && PATHS.has(key)) return this.#files(value);
    return FREE.has(key) ? this.#free(value) : this.#shaped(value, PLAIN_SHAPE);
  }

  #shaped(value: unknown, shape: Shape): unknown {
    if (typeof value === 'string') return this.#field(value);
    if (Array.isArray(value)) return value.map((item) => this.#shaped(item, shape));
    return isEntries(value) ? this.#entries(value, shape) : value;
  }

  /** An entry that a plugin made up, where lines are lines nevertheless. */
  #own(key: string, value: unknown): unknown {
    if (key === 'logs') return this.#each(value, (text) => this.#output(text));
    if (LINES.has(key)) return this.#lines(value);
    if (typeof value === 'string') return this.#field(value);
    if (Array.isArray(value)) return value.map((item) => this.#own('', item));
    return isEntries(value) ? this.#ownEntries(value) : value;
  }

  #ownEntries(entries: Entries): Entries {
    return Object.fromEntries(
      Object.entries(entries).map(([key, value]) => [this.#field(key), this.#own(key, value)]),
    );
  }

  #free(value: unknown): unknown {
    if (typeof value === 'string') return this.#field(value);
    if (Array.isArray(value)) return value.map((item) => this.#free(item));
    if (!isEntries(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [this.#field(key), this.#free(each)]),
    );
  }

  /** A text that is written in pieces stands in several of them. */
  #lines(value: unknown): unknown {
    const isText = (item: unknown): item is string => typeof item === 'string';
    const lines = Array.isArray(value) && value.every(isText) ? this.#decoded(value) : value;
    return this.#each(lines, (text) => this.#line(text));
  }

  #decoded(lines: readonly string[]): readonly string[] {
    if (this.#parts.length === 0 || !lines.some(mayBeEncoded)) return lines;
    return hideEncoded(lines, (text) => maskLine(this.#parts, text) !== text, MASK);
  }

  /** Hides encoded masked texts in a text of several lines. */
  #decodedText(text: string): string {
    return mayBeEncoded(text) ? this.#decoded(text.split('\n')).join('\n') : text;
  }

  #each(value: unknown, change: (text: string) => string): unknown {
    if (typeof value === 'string') return change(value);
    return Array.isArray(value)
      ? value.map((item) => (typeof item === 'string' ? change(item) : this.#free(item)))
      : this.#free(value);
  }

  /** A list of paths, or a map from paths to entries about the files. */
  #files(value: unknown): unknown {
    if (!isEntries(value)) return this.#each(value, (path) => this.#path(path));
    return Object.fromEntries(
      Object.entries(value).map(([path, file]) => [this.#path(path), this.#file(file)]),
    );
  }

  #file(file: unknown): unknown {
    if (!isEntries(file)) return this.#free(file);
    const { uuid, ...parameters } = file;
    const shown = this.#free(parameters);
    return { ...(isEntries(shown) ? shown : {}), uuid: isTexts(uuid) ? uuid : this.#free(uuid) };
  }

  /** The ids in a path identify the file; its name, the third part, is the author's. */
  #path(path: string): string {
    const [, ids = '', name = path] = FILE_PATH.exec(path) ?? [];
    return ids + this.#field(name);
  }

  #output(text: string): string {
    const isEcho = ECHO.test(text);
    return maskLine(this.#masks, isEcho ? withoutMaskCommands(this.#decodedText(text)) : text);
  }

  #line(text: string): string {
    return maskCutText(this.#masks, withoutMaskCommands(text));
  }

  #field(text: string): string {
    return this.#whole.has(text)
      ? MASK
      : maskCutText(this.#parts, withoutMaskCommands(this.#decodedText(text)));
  }
}

const hidden = (secrets: Entries): Entries =>
  Object.fromEntries(Object.keys(secrets).map((name) => [name, MASK]));

/** The shell that runs such a line shows it before it is obeyed, and so does a manifest. */
const withoutMaskCommands = (text: string): string =>
  text.includes(ADD_MASK) ? text.replace(MASK_COMMAND, `$1${MASK}`) : text;

/** Shared by all runs that mask nothing, which most of them are. */
const withoutMasks = redactorOf([]);
