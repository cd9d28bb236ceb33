/** The document of the server, the items of all its pages in one, as JSON and as YAML. */
import type { JsonRecord, TestCasePage } from '@tutti/client';
import { portableYaml } from '@tutti/manifests/documents';
import type { TestCaseFormat } from './test-case-format.ts';

/** The document around the items. The newest frame is that of the last page. */
function frameOf({ document }: TestCasePage): {
  readonly head: readonly (readonly [string, unknown])[];
  readonly details: readonly (readonly [string, unknown])[];
} {
  const { details, ...head } = document;
  const { items: _items, ...others }: JsonRecord =
    typeof details === 'object' && details !== null ? { ...details } : {};
  return { head: Object.entries(head), details: Object.entries(others) };
}

const MARGIN = '  ';
const indented = (text: string, margin: string): string => text.replaceAll('\n', `\n${margin}`);
const json = (value: unknown, margin: string): string =>
  indented(JSON.stringify(value, null, 2), margin);

export function createJsonFormat(): TestCaseFormat {
  let separator = '\n';
  const entry = ([key, value]: readonly [string, unknown], margin: string) =>
    `${margin}${JSON.stringify(key)}: ${json(value, margin)}`;
  return {
    begin(first) {
      const head = frameOf(first).head.map((each) => `${entry(each, MARGIN)},\n`);
      return `{\n${head.join('')}${MARGIN}"details": {\n${MARGIN.repeat(2)}"items": [`;
    },
    items(items) {
      const margin = MARGIN.repeat(3);
      return items
        .map((item) => {
          const text = `${separator}${margin}${json(item, margin)}`;
          separator = ',\n';
          return text;
        })
        .join('');
    },
    end(last) {
      const close = separator === '\n' ? ']' : `\n${MARGIN.repeat(2)}]`;
      const details = frameOf(last).details.map((each) => `,\n${entry(each, MARGIN.repeat(2))}`);
      return `${close}${details.join('')}\n${MARGIN}}\n}\n`;
    },
  };
}

export async function createYamlFormat(): Promise<TestCaseFormat> {
  const library = await import('yaml');
  const yaml = (value: unknown, margin: string): string =>
    portableYaml(library, value)
      .split('\n')
      .map((line) => (line === '' ? '' : `${margin}${line}`))
      .join('\n');
  const entry = ([key, value]: readonly [string, unknown], margin: string) =>
    yaml({ [key]: value }, margin);
  let isEmpty = true;
  return {
    begin: (first) =>
      `${frameOf(first)
        .head.map((each) => entry(each, ''))
        .join('')}details:\n`,
    items(items) {
      if (items.length === 0) return '';
      const head = isEmpty ? `${MARGIN}items:\n` : '';
      isEmpty = false;
      return `${head}${yaml(items, MARGIN.repeat(2))}`;
    },
    end(last) {
      const details = frameOf(last).details.map((each) => entry(each, MARGIN));
      return `${isEmpty ? `${MARGIN}items: []\n` : ''}${details.join('')}`;
    },
  };
}
