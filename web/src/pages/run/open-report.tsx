/** Opens a report with several files, such as that of Playwright, in a tab of its own. It has an origin of its own, without the session. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { isOrchestratorError } from '@tutti/manifests';
import { BookOpen } from 'lucide-react';
import { useState } from 'react';
import { ask, runPath, SERVER } from '../../data/api.ts';
import { Button } from '../../parts/button.tsx';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { Problem } from '../../parts/states.tsx';
import styles from './open-report.module.css';
import { type FilePart, useRun } from './run-context.ts';

interface Ticket {
  /** Address of the list of its files. */
  readonly url: string;
  readonly page: string | null;
  readonly traces: readonly { readonly path: string; readonly url: string }[];
}

/** The server keeps an address for ten minutes. A tab that opens late still has to load the files. */
const TICKET_MS = 8 * 60_000;
const TRACES_SHOWN = 50;

/** The file has the type of a report folder. */
export function OpenReport({ file }: { readonly file: FilePart }) {
  const { runId } = useRun();
  const queries = useQueryClient();
  const [error, setError] = useState<unknown>(null);
  const query = {
    queryKey: ['ticket', runId, file.id],
    queryFn: () =>
      ask<Ticket>({
        method: 'POST',
        path: runPath(runId, `/files/${encodeURIComponent(file.id)}/ticket`),
      }),
    staleTime: TICKET_MS,
    gcTime: TICKET_MS,
  };
  const { data: ticket, isStale, isFetching } = useQuery({ ...query, enabled: false });
  const open = async () => {
    try {
      // Each address keeps a report unpacked on the server, so one that still counts is used again.
      const { page, url } = await queries.fetchQuery(query);
      setError(null);
      window.open(page ?? url, '_blank', 'noopener,noreferrer');
    } catch (problem) {
      setError(problem);
    }
  };
  const isWithoutPort = isOrchestratorError(error) && error.reason === 'Conflict';
  return (
    <div className={styles.report}>
      <div>
        <Button kind="main" isDisabled={isFetching} onPress={() => void open()}>
          <BookOpen aria-hidden size={16} />
          Open report
        </Button>
      </div>
      {isWithoutPort && <NoPort />}
      {error !== null && !isWithoutPort && <Problem error={error} onAgain={() => void open()} />}
      {error === null && ticket !== undefined && !isStale && <Addresses ticket={ticket} />}
    </div>
  );
}

/** Links to what the tab shows, for browsers that open no tab, and to its traces. */
function Addresses({ ticket: { url, page, traces } }: { readonly ticket: Ticket }) {
  const links = [
    ...(page === null ? [] : [{ path: 'The report', url: page }]),
    { path: 'All of its files', url },
    ...traces.slice(0, TRACES_SHOWN).map((trace) => ({ ...trace, path: `Trace ${trace.path}` })),
  ];
  return (
    <section aria-label="In the report">
      <p>The report opens in a tab of its own. These links count for some minutes:</p>
      <ul className={styles.links}>
        {links.map((link) => (
          <li key={link.url}>
            <a href={link.url} target="_blank" rel="noopener noreferrer">
              <bdi>{link.path}</bdi>
            </a>
          </li>
        ))}
      </ul>
      {traces.length > TRACES_SHOWN && <p>{traces.length - TRACES_SHOWN} more traces</p>}
    </section>
  );
}

function NoPort() {
  const { runId } = useRun();
  const command = `tutti report open ${runId}`;
  return (
    <div className={styles.advice} role="alert">
      <p>
        This server has no port for reports. They have scripts, so they need a port of their own.
      </p>
      <p>
        What to do: set <code>ui.reportsPort</code> in the{' '}
        <a href={`${SERVER}/docs/operate/browser-sessions.html#reports-of-tools`}>configuration</a>{' '}
        of the server. Until then, open the report from a terminal:
      </p>
      <p>
        <code>{command}</code>
      </p>
      <CopyCommand command={command} />
    </div>
  );
}
