/** Changes a configuration and keeps the rest of its file: comments, order, and unknown keys. */
import { existsSync } from 'node:fs';
import { entriesOf, numberOf } from '@tutti/manifests/values';
import { Document, isMap, isSeq, YAMLMap, YAMLSeq } from 'yaml';
import { type ConfigParts, configParts, PARTS, type PartList } from './client-context.ts';
import { readConfigDocument } from './read-config.ts';

/** An undefined value leaves its key unchanged. */
export type PartValues = Readonly<Record<string, string | number | boolean | undefined>>;

/** Service, key and value. */
export type ServiceValue = readonly [string, string, unknown];

const BEGIN = {
  ...{ apiVersion: 'opentestfactory.org/v1alpha1', kind: 'CtlConfig', 'current-context': null },
  ...{ contexts: [], orchestrators: [], users: [] },
};

export class EditedConfig {
  readonly document: Document;
  /** The parts at the time of reading. Throws `UsageError` if the file is no configuration. */
  readonly parts: ConfigParts;

  /** Reads the file. Without a file, the configuration is empty. */
  constructor(file: string | null = null) {
    const read = file !== null && existsSync(file) ? readConfigDocument(file) : null;
    this.document = read?.contents == null ? new Document(BEGIN) : read;
    this.parts = configParts(this.document.toJS(), file ?? '');
  }

  /** Sets keys of the part of that name, and adds a missing part. True if it was added. */
  set(list: PartList, name: string, values: PartValues): boolean {
    const isNew = this.part(list, name) === null;
    if (isNew) {
      const items = this.#items(list) ?? new YAMLSeq();
      // An empty list has flow style, which would continue.
      items.flow = false;
      items.add(this.document.createNode({ name, [PARTS[list]]: {} }));
      this.document.set(list, items);
    }
    const part = this.part(list, name);
    for (const [key, value] of Object.entries(values)) {
      if (value !== undefined) part?.set(key, value);
    }
    return isNew;
  }

  /** Moves ports of old files to the new list, because both together are invalid. */
  setServices(name: string, given: readonly ServiceValue[]): void {
    const orchestrator = this.part('orchestrators', name);
    if (given.length === 0 || orchestrator === null) return;
    const ports = entriesOf(orchestrator.toJS(this.document)?.ports);
    orchestrator.delete('ports');
    for (const [service, port] of Object.entries(ports)) {
      orchestrator.setIn(['services', service, 'port'], numberOf(port));
    }
    for (const [service, key, value] of given) {
      orchestrator.setIn(['services', service, key], value);
    }
  }

  /** The keys of a part; null if no part has that name. */
  part(list: PartList, name: string): YAMLMap | null {
    const item = this.#items(list)?.items.find(isNamed(name));
    if (!isMap(item)) return null;
    if (!isMap(item.get(PARTS[list]))) item.set(PARTS[list], new YAMLMap(this.document.schema));
    const part: unknown = item.get(PARTS[list]);
    return isMap(part) ? part : null;
  }

  delete(list: PartList, name: string): void {
    const items = this.#items(list);
    items?.delete(items.items.findIndex(isNamed(name)));
  }

  #items(list: PartList): YAMLSeq | null {
    const items = this.document.get(list);
    return isSeq(items) ? items : null;
  }
}

const isNamed =
  (name: string) =>
  (item: unknown): boolean =>
    isMap(item) && item.get('name') === name;
