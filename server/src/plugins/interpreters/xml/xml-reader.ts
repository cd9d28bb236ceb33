/** Reads reports in XML: the common part of these formats. */
import { OrchestratorError } from '@tutti/manifests';
import type { FormatReader } from '../format-reader.ts';
import { REPORT_LIMITS } from '../report-limits.ts';
import { type XmlHandler, XmlTokenizer } from './xml-tokenizer.ts';

export interface XmlFormat {
  /** The elements a report may begin with. */
  readonly roots: readonly string[];
  /** The attributes that are looked at. */
  readonly attributes: readonly string[];
  readonly depthMax?: number;
}

export function createXmlReader(format: XmlFormat, handler: XmlHandler): FormatReader {
  let hasRoot = false;
  const open: XmlHandler['open'] = (name, attributes) => {
    if (!hasRoot && !format.roots.includes(name)) throw notAReport(name, format.roots);
    hasRoot = true;
    handler.open(name, attributes);
  };
  const tokenizer = new XmlTokenizer(
    {
      open,
      close: (name) => handler.close(name),
      text: (text) => handler.text(text),
      wantsText: () => handler.wantsText(),
    },
    {
      attributes: new Set(format.attributes),
      depthMax: format.depthMax ?? REPORT_LIMITS.nestingMax,
    },
  );
  return {
    write: (text) => tokenizer.write(text),
    end: () => tokenizer.end(),
    abandon: () => undefined,
    place: () => tokenizer.place(),
  };
}

function notAReport(name: string, roots: readonly string[]): OrchestratorError {
  const expected = roots.slice(0, 2).map((root) => `<${root}>`);
  return new OrchestratorError(
    'Invalid',
    `the document begins with <${name.slice(0, 100)}>, expected ${expected.join(' or ')}`,
  );
}
