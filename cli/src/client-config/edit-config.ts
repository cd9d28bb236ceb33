/** Changes of a configuration that leave the rest of its file as it is: comments, order, and keys that we do not know. */
import { existsSync } from 'node:fs';
import { entriesOf, numberOf } from '@tutti/manifests/values';
import { Document, isMap, isSeq, YAMLMap, YAMLSeq } from 'yaml';
import { type ConfigParts, configParts, PARTS, type PartList } from './client-context.ts';
import { readConfigDocument } from './read-config.ts';

/** Values of undefined leave a key as it is. */
export type PartValues = Readonly<Record<string, string | number | boolean | undefined>>;

const BEGIN = {
  apiVersion: 'opentestfactory.org/v1alpha1',
  kind: 'CtlConfig',
  'current-context': null,
  contexts: [],
  orchestrators: [],
  users: [],
};

export class EditedConfig {
  readonly document: Document;
  /** As the file had them. Throws `UsageError` for what is no configuration. */
  readonly parts: ConfigParts;

  /** What is in the file; without one, or of a file that is not there, a configuration with nothing in it. */
  constructor(file: string | null = null) {
    const read = file !== null && existsSync(file) ? readConfigDocument(file) : null;
    this.document = read?.contents == null ? new Document(BEGIN) : read;
    this.parts = configParts(this.document.toJS(), file ?? '');
  }

  /** Sets keys of the part of that name, which is made if there is none. True when it was made. */
  set(list: PartList, name: string, values: PartValues): boolean {
    const isNew = this.#item(list, name) === undefined;
    if (isNew) this.#add(list, name);
    const part = this.part(list, name);
    for (const [key, value] of Object.entries(values)) {
      if (value !== undefined) part?.set(key, value);
    }
    return isNew;
  }

  /** Ports of old files move to where the others are: both together mean nothing. */
  setServices(
    name: string,
    given: readonly (readonly [service: string, key: string, value: unknown])[],
  ) {
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

  /** The keys of a part; null where there is none of that name. */
  part(list: PartList, name: string): YAMLMap | null {
    const item = this.#item(list, name);
    if (item === undefined) return null;
    const part: unknown = item.get(PARTS[list]);
    if (isMap(part)) return part;
    const made = new YAMLMap(this.document.schema);
    item.set(PARTS[list], made);
    return made;
  }

  delete(list: PartList, name: string): void {
    const items = this.document.get(list);
    const item = this.#item(list, name);
    if (isSeq(items)) items.items = items.items.filter((each) => each !== item);
  }

  /** Null: there is no current one. */
  setCurrentContext(name: string | null): void {
    this.document.set('current-context', name);
  }

  #item(list: PartList, name: string): YAMLMap | undefined {
    const items = this.document.get(list);
    if (!isSeq(items)) return undefined;
    return items.items.filter((each) => isMap(each)).find((each) => each.get('name') === name);
  }

  #add(list: PartList, name: string): void {
    const items = this.document.get(list);
    const written = isSeq(items) ? items : new YAMLSeq();
    // An empty list is written in one line, which would go on so.
    written.flow = false;
    written.add(this.document.createNode({ name, [PARTS[list]]: {} }));
    this.document.set(list, written);
  }
}
