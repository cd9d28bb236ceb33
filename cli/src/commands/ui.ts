/** `tutti ui`: opens the page of a server, signed in, or that of a directory with local runs. */
import type { Client } from '@tutti/client';
import {
  type ConnectionOptions,
  connectTo,
  DEFAULT_DATA_DIR,
  findConnection,
  isOfDataDir,
  namedDataDirOf,
  refuseNoDirectory,
} from '../connection/connection.ts';
import { pageAddress } from '../connection/page-address.ts';
import { answersItself } from '../connection/running-server.ts';
import { openBrowser } from '../report-folder/open-browser.ts';
import { resolveWorkflowId } from '../runs/workflow-ref.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { untilAborted, untilStopped } from '../terminal/until-stopped.ts';

export interface UiOptions extends ConnectionOptions {
  /** False: the address is only printed. */
  readonly browser: boolean;
}

/** Opens the page, or that of a run. Resolves with the exit code; for a directory, after a request to stop. */
export async function openUi(
  workflowId: string | undefined,
  options: UiOptions,
  io: Io,
): Promise<number> {
  const connection = await findConnection(options, io);
  refuseNoDirectory(connection, options, io.env);
  const dataDir = namedDataDirOf(options, io.env) ?? DEFAULT_DATA_DIR;
  const show = async (client: Client) => {
    const id = workflowId === undefined ? null : await resolveWorkflowId(client, workflowId);
    await announce(await pageAddress(client, id), options, io);
  };
  if (!isOfDataDir(connection.source) || !answersItself(dataDir)) {
    await show(await connectTo(connection, io));
    return EXIT_CODES.done;
  }
  return await untilStopped((signal) => serveDirectory(dataDir, signal, { show, io }), {}, io);
}

/** The page reads the directory. Other commands may use it meanwhile. */
async function serveDirectory(
  dataDir: string,
  signal: AbortSignal,
  { show, io }: { readonly show: (client: Client) => Promise<void>; readonly io: Io },
): Promise<void> {
  const { openReadingClient } = await import('../connection/reading-client.ts');
  const { client, close } = await openReadingClient(dataDir, io.env);
  try {
    await show(client);
    io.complain('Ctrl-C ends it.\n');
    await untilAborted(signal);
  } finally {
    await close();
  }
}

async function announce(address: string, { browser }: UiOptions, io: Io): Promise<void> {
  io.screen.write(`${address}\n`);
  if (browser && !(await openBrowser(address, io.env))) {
    io.complain('No browser can be started here. Open the address yourself, within 60 seconds.\n');
  }
}
