/** One run with many events, a long log or many test cases. */
import { readFileSync, statSync } from 'node:fs';
import { openSqliteStore } from '../../server/src/store/sqlite/sqlite-store.ts';
import { asked, databaseIn, startOn } from './asked.ts';
import { figure } from './report.ts';
import { SYNTHETIC_RUN, writeLongLog, writeManyEvents } from './synthetic-events.ts';
import { writeTestCases } from './synthetic-test-cases.ts';
import { growthFigures, ownProcessorMs } from './tenths.ts';

const MIB = 2 ** 20;

export async function* manyEvents(what: string, count: number, dataDir: string) {
  const before = ownProcessorMs();
  await writeManyEvents(databaseIn(dataDir), count);
  yield figure(`${what}: stored, each`, [((ownProcessorMs() - before) * 1000) / count], 'us');
  const { server, readyMs } = await startOn(dataDir);
  yield figure(`${what}: server, start to ready`, [readyMs], 'ms');
  const status = `/workflows/${SYNTHETIC_RUN}/status`;
  const ofKind = `fieldSelector=${encodeURIComponent('kind==ExecutionResult')}`;
  yield* await asked(server, `${what}: first page of 100`, status);
  yield* await asked(server, `${what}: last page of 100`, `${status}?page=${count / 100}`);
  yield* await asked(server, `${what}: first page of a kind`, `${status}?${ofKind}`);
  yield* await asked(server, `${what}: that page again`, `${status}?${ofKind}`);
  const far = `${status}?${ofKind}&page=${Math.ceil(count / 400)}`;
  yield* await asked(server, `${what}: a page of a kind, far`, far);
  const { rssBytes } = await server.usage();
  await server.stop();
  yield figure(`${what}: memory of the server`, [rssBytes / MIB], 'MiB');
}

export async function* longLog(what: string, count: number, dataDir: string) {
  const before = ownProcessorMs();
  await writeLongLog(databaseIn(dataDir), count);
  const each = (ownProcessorMs() - before) / (count / MIB);
  yield figure(`${what}: stored, a MiB`, [each], 'ms');
  const { server, readyMs } = await startOn(dataDir);
  yield figure(`${what}: server, start to ready`, [readyMs], 'ms');
  yield* await asked(server, `${what}: its last 64 KiB`, {
    path: `/workflows/${SYNTHETIC_RUN}/logs`,
    headers: { range: 'bytes=-65536' },
  });
  await server.stop();
}

export async function* manyCases(what: string, count: number, dataDir: string) {
  const file = databaseIn(dataDir);
  const store = await openSqliteStore({ file });
  const written: number[] = [];
  const clockMs = () => {
    written.push(writtenBytes());
    return ownProcessorMs();
  };
  const costs = await writeTestCases(store, SYNTHETIC_RUN, { count, clockMs });
  const afterEnd = writtenBytes() - (written.at(-1) ?? 0);
  await store.close();
  yield* growthFigures(`${what}: stored`, costs);
  yield* writtenFigures(what, written, count);
  yield figure(`${what}: written after the end, for each`, [afterEnd / count / 1024], 'KiB');
  yield figure(`${what}: database, for each`, [statSync(file).size / count / 1024], 'KiB');
  const { server } = await startOn(dataDir);
  const cases = `/workflows/${SYNTHETIC_RUN}/datasources/testcases`;
  yield* await asked(server, `${what}: first page of 100`, cases);
  yield* await asked(server, `${what}: last page of 100`, `${cases}?page=${count / 100}`);
  await server.stop();
}

/** Bytes that this process wrote to files. */
const writtenBytes = (): number =>
  Number(/^wchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);

/** `written`: at the begin and the end of each tenth. */
function* writtenFigures(what: string, written: readonly number[], count: number) {
  const [first = 0, firstEnd = 0, second = 0, secondEnd = 0] = written;
  const [last = 0, lastEnd = 0] = written.slice(-2);
  const ofTenth = (bytes: number) => [bytes / (count / 10) / 1024];
  yield figure(`${what}: written, each of the first tenth`, ofTenth(firstEnd - first), 'KiB');
  yield figure(`${what}: written, each of the second tenth`, ofTenth(secondEnd - second), 'KiB');
  yield figure(`${what}: written, each of the last tenth`, ofTenth(lastEnd - last), 'KiB');
}
