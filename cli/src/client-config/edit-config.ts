/** Changes of a configuration file that leave the rest of it as it is: comments, order, and keys that we do not know. */
import { existsSync } from 'node:fs';
import { Document, isMap, isSeq, YAMLMap, YAMLSeq } from 'yaml';
import { UsageError } from '../terminal/problem.ts';
import { changeFile } from './change-file.ts';
import { configParts, PARTS, type PartList } from './client-context.ts';
import type { ConfigPlace } from './config-place.ts';
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

/** A document with nothing in it. */
export const newConfig = (): Document => new Document(BEGIN);

/** The document of a place, or one with nothing in it. Throws `UsageError` for what is no configuration. */
export function openConfig({ file, isThere }: Pick<ConfigPlace, 'file' | 'isThere'>): Document {
  const document = isThere ? readConfigDocument(file) : newConfig();
  if (document.contents === null) document.contents = newConfig().contents;
  // Refuses what has another form, before anything is changed.
  configParts(document.toJS(), file);
  return document;
}

/** Sets keys of the part of that name, which is made if there is none. True when it was made. */
export function setPart(
  document: Document,
  list: PartList,
  name: string,
  values: PartValues,
): boolean {
  const isNew = placeOf(document, list, name) === -1;
  if (isNew) addPart(document, list, name);
  const part = partOf(document, list, name);
  for (const [key, value] of Object.entries(values)) {
    if (value !== undefined) part?.set(key, value);
  }
  return isNew;
}

/** The keys of a part; null where there is none of that name. */
export function partOf(document: Document, list: PartList, name: string): YAMLMap | null {
  const place = placeOf(document, list, name);
  if (place === -1) return null;
  const path = [list, place, PARTS[list]];
  const part: unknown = document.getIn(path);
  if (isMap(part)) return part;
  const made = new YAMLMap(document.schema);
  document.setIn(path, made);
  return made;
}

export function deletePart(document: Document, list: PartList, name: string): void {
  const place = placeOf(document, list, name);
  if (place !== -1) document.deleteIn([list, place]);
}

/** Null: there is no current one. */
export function setCurrentContext(document: Document, name: string | null): void {
  document.set('current-context', name);
}

/** The place in the list; -1 for none. */
function placeOf(document: Document, list: PartList, name: string): number {
  const items = document.get(list);
  if (!isSeq(items)) return -1;
  return items.items.findIndex((item) => isMap(item) && item.get('name') === name);
}

function addPart(document: Document, list: PartList, name: string): void {
  const items = document.get(list);
  const written = isSeq(items) ? items : new YAMLSeq();
  // An empty list is written in one line, which would go on so.
  written.flow = false;
  written.add(document.createNode({ name, [PARTS[list]]: {} }));
  document.set(list, written);
}

/** Has `edit` make the new content of the file of what it is by then. It may have tokens, so it is for its owner alone. Throws as `changeFile` does. */
export async function changeConfig(
  { file, isForeign }: ConfigPlace,
  edit: (now: Pick<ConfigPlace, 'file' | 'isThere'>) => string,
): Promise<void> {
  if (isForeign) throw new UsageError(`${file} belongs to another client.`, FOREIGN_ADVICE);
  await changeFile(file, () => edit({ file, isThere: existsSync(file) }));
}

/** What to do where only the file of another client is there. */
export const FOREIGN_ADVICE =
  'copy it with "tutti config import", then change the copy; that client keeps its own file.';
