/** Changes of a configuration file that leave the rest of it as it is: comments, order, and keys that we do not know. */
import { randomUUID } from 'node:crypto';
import { existsSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeDirectory } from '@tutti/agent/make-directory';
import { Document, isMap, isSeq, YAMLMap, YAMLSeq } from 'yaml';
import { UsageError } from '../problem.ts';
import { configParts } from './client-context.ts';
import type { ConfigPlace } from './config-place.ts';
import { readConfigDocument } from './read-config.ts';

export type PartList = 'contexts' | 'orchestrators' | 'users';

const BELOW: Readonly<Record<PartList, string>> = {
  contexts: 'context',
  orchestrators: 'orchestrator',
  users: 'user',
};

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
export function openConfig({ file, isThere }: ConfigPlace): Document {
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
  const found = partOf(document, list, name);
  const part = found ?? addPart(document, list, name);
  for (const [key, value] of Object.entries(values)) {
    if (value !== undefined) part.set(key, value);
  }
  return found === null;
}

/** The keys of a part; null where there is none of that name. */
export function partOf(document: Document, list: PartList, name: string): YAMLMap | null {
  const item = itemOf(document, list, name);
  if (item === null) return null;
  const part: unknown = item.get(BELOW[list]);
  if (isMap(part)) return part;
  const made = new YAMLMap(document.schema);
  item.set(BELOW[list], made);
  return made;
}

/** True when there was one. */
export function deletePart(document: Document, list: PartList, name: string): boolean {
  const items = document.get(list);
  if (!isSeq(items)) return false;
  const before = items.items.length;
  items.items = items.items.filter((item) => !(isMap(item) && item.get('name') === name));
  return items.items.length < before;
}

/** Null: there is no current one. */
export function setCurrentContext(document: Document, name: string | null): void {
  document.set('current-context', name);
}

function itemOf(document: Document, list: PartList, name: string): YAMLMap | null {
  const items = document.get(list);
  if (!isSeq(items)) return null;
  const found = items.items.find((item) => isMap(item) && item.get('name') === name);
  return isMap(found) ? found : null;
}

function addPart(document: Document, list: PartList, name: string): YAMLMap {
  const [item, part] = [new YAMLMap(document.schema), new YAMLMap(document.schema)];
  item.set('name', name);
  item.set(BELOW[list], part);
  const items = document.get(list);
  const written = isSeq(items) ? items : new YAMLSeq();
  // An empty list is written in one line, which would go on so.
  written.flow = false;
  written.add(item);
  document.set(list, written);
  return part;
}

const PRIVATE = 0o600;

/** As a whole or not at all, for its owner alone: it may have tokens. Throws as the file system does. */
export function writeConfig({ file, isForeign }: ConfigPlace, content: string): void {
  if (isForeign) throw new UsageError(`${file} belongs to another client.`, FOREIGN_ADVICE);
  // A link stays one.
  const target = existsSync(file) ? realpathSync(file) : file;
  makeDirectory(dirname(target));
  const temporary = `${target}.${randomUUID()}.tmp`;
  try {
    writeFileSync(temporary, content, { mode: PRIVATE, flag: 'wx', flush: true });
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** What to do where only the file of another client is there. */
export const FOREIGN_ADVICE =
  'copy it with "tutti config import", then change the copy; that client keeps its own file.';
