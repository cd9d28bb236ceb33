/**
 * Files that a report names as evidence of a failed test: pictures, traces, videos. They follow the text of the failure, each as
 * `[[ATTACHMENT|PATH]]`, which several tools write and read.
 */
import type { TestResultDetails } from '@tutti/manifests';
import { cutText } from '@tutti/workflow';
import { REPORT_LIMITS } from '../report-limits.ts';
import { clean } from './bounded-text.ts';

/** Longest mark that is looked for, in characters: a path, and what stands around it. */
const MARK_LENGTH_MAX = 1_100;
const MARK = /\[\[ATTACHMENT\|([^\]\r\n]{1,1024})\]\]/g;

/** A link or a picture in a message of HTML. Both ends are bounded, so a long text costs its length. */
const LINK = /\b(?:src|href)="([^"\r\n]{1,1024})"/g;

export class NamedFiles {
  readonly #paths = new Set<string>();
  /** The end of the output so far, in which a mark may have begun. */
  #rest = '';

  /** Reads a piece of the output of a test. */
  addOutput(piece: string): void {
    const text = this.#rest + piece;
    let end = 0;
    for (const match of text.matchAll(MARK)) {
      this.#add(match[1] ?? '');
      end = match.index + match[0].length;
    }
    this.#rest = text.slice(Math.max(end, text.length - MARK_LENGTH_MAX));
  }

  /** Reads a message of Robot Framework. Addresses of other machines, and pictures within the message, are no files. */
  addHtml(html: string): void {
    for (const [, link = ''] of html.matchAll(LINK)) {
      if (!/^[a-z][a-z\d+.-]+:|^#/i.test(link)) this.#add(decoded(link));
    }
  }

  #add(path: string): void {
    if (this.#paths.size < REPORT_LIMITS.namedFilesMax) this.#paths.add(clean(path).trim());
  }

  /** The details with a line for each file that their text does not name. A long text is cut, and the lines stay. */
  addTo(details: TestResultDetails): TestResultDetails {
    const { text = '' } = details;
    const lines = [...this.#paths]
      .filter((path) => path !== '' && !text.includes(path))
      .map((path) => `[[ATTACHMENT|${path}]]`)
      .join('\n');
    if (lines === '') return details;
    const room = REPORT_LIMITS.textLengthMax - lines.length - 2;
    return { ...details, text: text === '' ? lines : `${cutText(text, room)}\n\n${lines}` };
  }
}

function decoded(link: string): string {
  const path = link.replace(/[?#].*/s, '').replaceAll('&amp;', '&');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
